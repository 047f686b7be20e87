import type { Database } from 'bun:sqlite';
import { openAttempts } from './attempts.ts';
import type { Disk } from './disk.ts';

/**
 * Pause after a truncation. Each one waits for the disk, and while read models are filled, nearly every commit deletes a
 * document.
 */
const PAUSE_MS = 250;
/** Pause after attempts that a reader or the disk has prevented for about two seconds. */
const AGAIN_MS = 1_000;

/**
 * Truncates the write-ahead log soon after a request, and once at first, since the last process may have ended before that.
 *
 * @param busyTimeoutMs of the connection
 */
export function openTruncation(db: Database, disk: Disk, busyTimeoutMs: number) {
  const truncate = db.prepare<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)');
  const attempts = openAttempts('read models', () => {
    // Does not wait for readers and writers of other threads: the attempt is repeated.
    db.run('PRAGMA busy_timeout = 0');
    try {
      return disk.write(() => truncate.get()?.busy === 0);
    } finally {
      db.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    }
  });
  let requested = false;
  let pause: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  const request = (): void => {
    if (requested) return;
    requested = true;
    if (pause === undefined) attempts.request(done, retryLater);
  };
  const done = (): void => {
    requested = false;
    pause = setTimeout(endPause, PAUSE_MS);
    pause.unref();
  };
  const endPause = (): void => {
    clearTimeout(pause);
    pause = undefined;
    if (requested) attempts.request(done, retryLater);
  };
  const retryLater = (): void => {
    requested = false;
    again = setTimeout(request, AGAIN_MS);
    again.unref();
  };
  request();
  return {
    request,
    stop(): void {
      if (pause !== undefined) endPause();
      attempts.stop();
      clearTimeout(pause);
      clearTimeout(again);
    },
  };
}
