import { Database } from 'bun:sqlite';
import type { Clock } from '../../ports/clock.ts';
import { assertTtl, CLOCK_SKEW_MS, type LeaseRequest, type Leases, type Leasing } from '../../ports/leases.ts';

type Row = { readonly holder: string | null; readonly token: number; readonly until_ms: number };

const PRAGMAS = ['busy_timeout = 5000', 'journal_mode = WAL', 'synchronous = FULL'];

/**
 * Leases of the embedded default: one SQLite file, a row each. A lease that was let go has no holder, and keeps its token
 * for the next one. Threads of the process may have the file open each for itself.
 *
 * @param path the database file, created where missing
 */
export function openLeases(path: string, clock: Clock): Leases {
  const db = new Database(path, { create: true, strict: true });
  for (const pragma of PRAGMAS) db.run(`PRAGMA ${pragma}`);
  db.run(`CREATE TABLE IF NOT EXISTS leases (
    name TEXT PRIMARY KEY NOT NULL, holder TEXT, token INTEGER NOT NULL, until_ms INTEGER NOT NULL) WITHOUT ROWID`);
  const read = db.prepare<Row, [string]>('SELECT holder, token, until_ms FROM leases WHERE name = ?');
  const write = db.prepare<never, [string, string, number, number]>(
    'INSERT OR REPLACE INTO leases (name, holder, token, until_ms) VALUES (?, ?, ?, ?)',
  );
  const letGo = db.prepare<never, [string, string, number]>(
    'UPDATE leases SET holder = NULL, until_ms = 0 WHERE name = ? AND holder = ? AND token = ?',
  );
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the leases are closed');
  }

  const take = db.transaction(({ name, holder, ttlMs }: LeaseRequest): Leasing => {
    const [row, nowMs] = [read.get(name), clock.nowMs()];
    const untilMs = nowMs + ttlMs;
    if (row?.holder === holder) {
      write.run(name, holder, row.token, untilMs);
      return { kind: 'renewed', token: row.token, untilMs };
    }
    if (row !== null && row.holder !== null && nowMs < row.until_ms + CLOCK_SKEW_MS) {
      return { kind: 'lost', holder: row.holder, untilMs: row.until_ms };
    }
    const token = (row?.token ?? 0) + 1;
    write.run(name, holder, token, untilMs);
    return { kind: 'acquired', token, untilMs };
  });

  return {
    async take(request) {
      assertOpen();
      assertTtl(request);
      return take.immediate(request);
    },
    async held(names) {
      assertOpen();
      const nowMs = clock.nowMs();
      return names.flatMap((name) => {
        const { holder = null, until_ms = 0 } = read.get(name) ?? {};
        return holder !== null && nowMs < until_ms + CLOCK_SKEW_MS ? [{ name, holder }] : [];
      });
    },
    async release({ name, holder, token }) {
      assertOpen();
      letGo.run(name, holder, token);
    },
    async close() {
      if (!open) return;
      open = false;
      db.close(true);
    },
  };
}
