import type { Database } from 'bun:sqlite';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import type { CountedMail, MailLimiter, MailTaking } from '../../ports/mail-limiter.ts';
import { countUntilMs, type MailTurns, takeTurn } from '../../ports/mail-turns.ts';
import { type Disk, openOnDisk } from './disk.ts';

const PRAGMAS = ['journal_mode = WAL', 'synchronous = NORMAL', 'wal_autocheckpoint = 1000', 'busy_timeout = 5000'];

/** `turns` as JSON. */
type Row = { readonly turns: string };

/**
 * The embedded mail limiter: a SQLite file with one row per address, which is written before a mail is sent
 * (docs/decisions/0072).
 *
 * @param path the database file, created if missing
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openMailLimiter(path: string): MailLimiter {
  return openOnDisk('usage counters', path, PRAGMAS, limiterIn);
}

function limiterIn(db: Database, disk: Disk): MailLimiter {
  db.run(`CREATE TABLE IF NOT EXISTS mails (
    address TEXT PRIMARY KEY NOT NULL, until_ms INTEGER NOT NULL, turns TEXT NOT NULL) WITHOUT ROWID`);
  db.run('CREATE INDEX IF NOT EXISTS mails_until ON mails (until_ms)');
  const read = db.prepare<Row, [string]>('SELECT turns FROM mails WHERE address = ?');
  const write = db.prepare<never, [string, number, string]>(
    'INSERT OR REPLACE INTO mails (address, until_ms, turns) VALUES (?, ?, ?)',
  );
  const forget = db.prepare<never, [number]>('DELETE FROM mails WHERE until_ms <= ?');
  let open = true;
  let forgetAtMs = 0;

  const take = db.transaction((mail: CountedMail, whenFull: 'wait' | 'refuse', atMs: number): MailTaking => {
    // Once a day: deletes the rows of addresses that nothing counts for any more.
    if (atMs >= forgetAtMs) forget.run(atMs);
    const row = read.get(mail.address);
    // Parser: this function wrote the row.
    const before = row === null ? [] : (JSON.parse(row.turns) as MailTurns);
    const { turns, taking } = takeTurn(before, mail, whenFull, atMs);
    write.run(mail.address, countUntilMs(turns), JSON.stringify(turns));
    return taking;
  });

  return {
    async take(mail, whenFull, atMs) {
      if (!open) throw new Error('the mail limiter is closed');
      const taking = disk.write(() => take.immediate(mail, whenFull, atMs));
      if (atMs >= forgetAtMs) forgetAtMs = atMs + DAY_MS;
      return taking;
    },
    async close() {
      if (!open) return;
      open = false;
      db.close(true);
    },
  };
}
