import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * bun test/bench/floor.ts
 *
 * The time that SQLite alone needs for the rows of a booking. A commit has 16 bookings, as with 64 connections: a guest row
 * and a booking row each, and one row of claims for all. WAL, one fsync per commit.
 */
const COMMITS = 4_000;
const BOOKINGS = 16;

const directory = mkdtempSync(join(tmpdir(), 'waymark-floor-'));
const db = new Database(join(directory, 'floor.db'), { create: true });
for (const pragma of [
  'page_size = 8192',
  'journal_mode = WAL',
  'synchronous = FULL',
  'cache_size = -65536',
  'wal_autocheckpoint = 8000',
]) {
  db.run(`PRAGMA ${pragma}`);
}
db.run(`CREATE TABLE appends (
  position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, count INTEGER NOT NULL, events TEXT NOT NULL)`);
db.run('CREATE UNIQUE INDEX appends_by_stream ON appends (stream, revision)');
const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
const insert = db.prepare('INSERT OR IGNORE INTO appends VALUES (?, ?, ?, ?, ?)');
const [booking, guest, claim] = ['b'.repeat(1_150), 'g'.repeat(376), 'c'.repeat(350)];

let position = 0;
let committingMs = 0;
const startedMs = performance.now();
for (let turn = 0; turn < COMMITS; turn++) {
  begin.run();
  insert.run(++position, 'allotment-bench-activity-0-2026-12-01', turn * BOOKINGS, BOOKINGS, claim.repeat(BOOKINGS));
  position += BOOKINGS;
  for (let index = 0; index < BOOKINGS; index++) {
    const id = `bk_${String(turn * BOOKINGS + index).padStart(20, '0')}`;
    insert.run(++position, `guest-${id}.0123456789abcdef`, 0, 1, guest);
    insert.run(++position, `booking-${id}`, 0, 3, booking);
    position += 2;
  }
  const beforeMs = performance.now();
  commit.run();
  committingMs += performance.now() - beforeMs;
}
const perBookingUs = ((performance.now() - startedMs) * 1_000) / (COMMITS * BOOKINGS);
process.stdout.write(
  `${perBookingUs.toFixed(1)} µs per booking, of which ${((committingMs * 1_000) / (COMMITS * BOOKINGS)).toFixed(1)} µs in COMMIT\n`,
);
db.close();
rmSync(directory, { recursive: true });
