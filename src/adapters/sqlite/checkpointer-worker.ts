import { Database } from 'bun:sqlite';
import { ignoringDiskFaults } from './disk.ts';

declare const self: Worker;

/** The worker of `startCheckpointer`. The first message names the files; any later message stops it. */
const INTERVAL_MS = 100;

let databases: Database[] = [];
let timer: ReturnType<typeof setInterval> | undefined;

self.addEventListener('message', ({ data }: MessageEvent<{ readonly paths: readonly string[] } | 'stop'>) => {
  if (data !== 'stop') {
    databases = data.paths.map((path) => new Database(path, { create: false, readwrite: true }));
    timer = setInterval(checkpoint, INTERVAL_MS);
    return;
  }
  clearInterval(timer);
  for (const database of databases) database.close();
  postMessage('stopped');
});

function checkpoint(): void {
  // Passive: copies pages that no reader blocks, without waiting. The next run copies the rest; on a full disk the
  // writers get the fault.
  for (const database of databases) ignoringDiskFaults(() => void database.run('PRAGMA wal_checkpoint(PASSIVE)'));
}
