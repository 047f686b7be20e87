import { Database } from 'bun:sqlite';

declare const self: Worker;

// A worker that checkpoints a write-ahead log continuously, without the pauses of the checkpointer, so that truncation
// finds the log in use. The first message names the file; any later message stops it.

let database: Database | undefined;

self.addEventListener('message', ({ data: path }: MessageEvent<string>) => {
  if (database === undefined) {
    database = new Database(path, { create: false, readwrite: true });
    checkpoint();
    return;
  }
  database.close();
  database = undefined;
  postMessage('stopped');
});

function checkpoint(): void {
  if (database === undefined) return;
  database.run('PRAGMA wal_checkpoint(PASSIVE)');
  setImmediate(checkpoint);
}
