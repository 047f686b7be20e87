import { Database } from 'bun:sqlite';
import { whereDiskAllows } from './disk.ts';

declare const self: Worker;

/** The worker behind `startCheckpointer`: told the files at its start, and to stop by any later message. */
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
  // Passive: takes what nobody is in the way of, and waits for nobody. What is left is taken the next time; on a full disk
  // that is when there is room again, and until then whoever writes is told.
  for (const database of databases) whereDiskAllows(() => void database.run('PRAGMA wal_checkpoint(PASSIVE)'));
}
