import type { Database } from 'bun:sqlite';
import type { RateLimiter, Taking } from '../../ports/rate-limiter.ts';
import { emptyWindow, peek, type RequestWindow, take, utcDayNumber } from '../../ports/sliding-window.ts';
import { type Disk, openOnDisk } from './disk.ts';

const PRAGMAS = ['journal_mode = WAL', 'synchronous = NORMAL', 'wal_autocheckpoint = 16000', 'busy_timeout = 5000'];
/** Maximum number of keys whose usage is cached; at most 300 instants each. */
const KEYS_IN_MEMORY = 10_000;

type Row = { readonly recent: Uint8Array; readonly days: string };
type Pending = {
  readonly key: string;
  readonly used: RequestWindow;
  readonly taking: Taking;
  readonly resolve: (taking: Taking) => void;
  readonly reject: (fault: unknown) => void;
};

/** The port, and whether its disk accepts writes. */
export type EmbeddedRateLimiter = RateLimiter & Pick<Disk, 'writable'>;

/**
 * The embedded rate limiter: one SQLite file with one row per key (docs/decisions/0021). A key's row is read once;
 * then its requests are decided in memory, in the order of arrival. Those of one turn of the event loop are written in
 * one transaction before any of them is answered. This process is the file's only writer, which `lockDataDirectory`
 * ensures.
 *
 * @param path the database file, created if missing
 * @throws StoreUnavailable if the disk is full, here and at every call; then nothing was counted
 */
export function openRateLimiter(path: string): EmbeddedRateLimiter {
  return openOnDisk('usage counters', path, PRAGMAS, rateLimiterIn);
}

function rateLimiterIn(db: Database, disk: Disk): EmbeddedRateLimiter {
  db.run(`CREATE TABLE IF NOT EXISTS usage (
    key TEXT PRIMARY KEY NOT NULL, last_day INTEGER NOT NULL, recent BLOB NOT NULL, days TEXT NOT NULL)`);
  const read = db.prepare<Row, [string]>('SELECT recent, days FROM usage WHERE key = ?');
  const write = db.prepare<never, [string, number, Uint8Array, string]>(
    'INSERT OR REPLACE INTO usage (key, last_day, recent, days) VALUES (?, ?, ?, ?)',
  );
  const forgetBefore = db.prepare<never, [number]>('DELETE FROM usage WHERE last_day < ?');
  const known = new Map<string, RequestWindow>();
  let pending: Pending[] = [];
  let today = 0;
  let open = true;

  /** Writes all keys of a group and returns its day. Deletes expired rows once a day. */
  const writeGroup = db.transaction((group: readonly Pending[]): number => {
    const touched = new Map(group.map(({ key, used }) => [key, used]));
    let latest = today;
    for (const [key, used] of touched) {
      const lastDay = utcDayNumber(used.recent.at(-1) ?? 0);
      write.run(key, lastDay, new Uint8Array(new Float64Array(used.recent).buffer), JSON.stringify([...used.days]));
      latest = Math.max(latest, lastDay);
    }
    if (latest > today) forgetBefore.run(latest - 1);
    return latest;
  });

  function usageOf(key: string): RequestWindow {
    if (!open) throw new Error('the rate limiter is closed');
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    // Without pending writes, the file is as current as the cache.
    if (known.size >= KEYS_IN_MEMORY && pending.length === 0) known.clear();
    const row = disk.read(() => read.get(key));
    const used = row === null ? emptyWindow() : decode(row);
    known.set(key, used);
    return used;
  }

  function flush(): void {
    const group = pending;
    pending = [];
    if (group.length === 0) return;
    try {
      today = disk.write(() => writeGroup.immediate(group));
    } catch (fault) {
      // The cache is ahead of the file: drop it, so that the next use reads the file.
      for (const { key, reject } of group) {
        known.delete(key);
        reject(fault);
      }
      return;
    }
    for (const { resolve, taking } of group) resolve(taking);
  }

  return {
    take(key, limits, atMs, counting = 'minute and day') {
      return new Promise((resolve, reject) => {
        const used = usageOf(key);
        const taking = take(used, limits, atMs, counting);
        if (taking.kind !== 'taken') {
          resolve(taking);
          return;
        }
        if (pending.length === 0) setImmediate(flush);
        pending.push({ key, used, taking, resolve, reject });
      });
    },
    async peek(key, limits, atMs) {
      return peek(usageOf(key), limits, atMs);
    },
    async close() {
      if (!open) return;
      flush();
      open = false;
      db.close(true);
    },
    writable: () => disk.writable(),
  };
}

function decode({ recent, days }: Row): RequestWindow {
  const instants = new Float64Array(recent.buffer.slice(recent.byteOffset, recent.byteOffset + recent.byteLength));
  // Parser: the row was written above.
  return { recent: [...instants], days: new Map(JSON.parse(days) as [number, number][]) };
}
