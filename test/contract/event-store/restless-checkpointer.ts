import { Database } from 'bun:sqlite';

declare const self: Worker;

// A worker that copies the write-ahead log of a database into its file over and over, as the checkpointer does, but
// without its pauses: whoever needs the log to himself finds it taken. Told the file at its start, to stop by any later
// message.

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
