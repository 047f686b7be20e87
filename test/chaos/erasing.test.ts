import { describe, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openErasureLedger } from '../../src/adapters/sqlite/erasure-ledger.ts';
import { ready, type Service, startProgram } from '../support/process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { DIES_AFTER, type Step } from './erasing/mortal.ts';
import { dateAhead, writeCatalogue } from './kill/catalogue.ts';
import { leftIn } from './kill/embedded.ts';
import { eventually } from './kill/real-time.ts';
import { everyEvent } from './kill/stopped.ts';
import { type BookingData, send } from './kill/wire.ts';

const NOW = Date.parse('2026-11-21T03:00:00Z');
const PATIENCE_MS = 60_000;
const MARKER = 'zq-marker-of-the-guest';

/** The rooms of one test: data, catalogue and clock. */
function roomFor() {
  const directory = temporaryDirectory();
  const sale = writeCatalogue(directory.file('catalogue'), NOW);
  writeFileSync(directory.file('now'), String(NOW));
  return { directory, sale, data: directory.file('data'), [Symbol.dispose]: () => directory.remove() };
}

/** A process on the data, which dies after a step; null: it lives. */
function start({ directory, data }: { directory: TemporaryDirectory; data: string }, step: Step | null) {
  const settings = {
    DATA_DIR: data,
    CATALOGUE_DIR: directory.file('catalogue'),
    PORT: '0',
    MAIL_WAIT_MS: '0',
    REAPER_INTERVAL_MS: '100',
    WAYMARK_TEST_CLOCK: directory.file('now'),
    BUN_OPTIONS: '--preload=./test/chaos/erasing/preload.ts',
    ...(step !== null && { [DIES_AFTER]: step }),
  };
  return { program: startProgram(['serve'], settings), settings };
}

async function begin(room: ReturnType<typeof roomFor>, step: Step | null = null): Promise<Service> {
  const { program, settings } = start(room, step);
  return ready(program, settings);
}

async function book({ url, adminToken }: Service, { sale }: ReturnType<typeof roomFor>, count: number) {
  const operator = { authorization: `Bearer ${adminToken}` };
  const key = await send<{ key: string }>(`${url}/api/keys`, operator, { name: 'All', plan: 'enterprise' });
  if (key.kind !== 'done') throw new Error('no key');
  const wish = { activity_id: sale.large[0], booking_date: dateAhead(sale, 3), num_adults: 2 };
  const guest = { user_name: MARKER, user_email: `${MARKER}@example.com` };
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const headers = { 'x-api-key': key.data.key, 'idempotency-key': `booking ${n}` };
    const booked = await send<BookingData>(`${url}/api/b2a/execute_booking`, headers, { ...wish, ...guest });
    if (booked.kind !== 'done') throw new Error(`not booked: ${JSON.stringify(booked)}`);
    ids.push(booked.data.booking_id);
  }
  return ids;
}

function erase(id: string, { url, adminToken }: Service) {
  return send(`${url}/api/bookings/${id}/erase`, { authorization: `Bearer ${adminToken}` }, {});
}

async function entries(data: string): Promise<readonly string[]> {
  const ledger = openErasureLedger(join(data, 'erasures.db'));
  const found = await Array.fromAsync(ledger.newestFirst());
  await ledger.close();
  return found.map(({ booking }) => booking).sort();
}

async function streamsIn(data: string) {
  await using left = leftIn(data);
  const events = await everyEvent(left.store);
  return {
    erased: events.filter(({ type }) => type.startsWith('GuestErased')).map(({ stream }) => stream),
    guests: events.filter(({ stream }) => stream.startsWith('guest-')).length,
  };
}

function filesHolding(data: string): string[] {
  return readdirSync(data).filter((name) => !name.endsWith('outbox') && holdsMarker(join(data, name)));
}

function holdsMarker(path: string): boolean {
  try {
    return readFileSync(path).includes(MARKER);
  } catch (fault) {
    // SQLite deletes the journal of a database when a transaction ends.
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return false;
    throw fault;
  }
}

describe('a process that is killed in an erasure', () => {
  test.each([
    ['fact', 0, 1],
    ['entry', 1, 1],
    ['deletion', 1, 0],
  ] as const)(
    'after the %s, has listed it before it deletes anything; the next one completes it',
    async (step, listed, guests) => {
      using room = roomFor();
      const { data } = room;
      const dying = await begin(room, step);
      const [id = ''] = await book(dying, room, 1);
      await erase(id, dying);
      // The reaper, which deletes, runs after its interval.
      writeFileSync(room.directory.file('now'), String(NOW + 1_000));
      await dying.program.ended();
      expect(await entries(data)).toHaveLength(listed);
      expect(await streamsIn(data)).toEqual({ erased: [`booking-${id}`], guests });
      await using next = await begin(room);
      await eventually(async () => {
        writeFileSync(room.directory.file('now'), String(NOW + 2_000));
        return filesHolding(data).length === 0;
      }, PATIENCE_MS);
      expect((await streamsIn(data)).guests).toBe(0);
      expect(await next.program.terminate()).toBe(0);
      expect(await entries(data)).toEqual([id]);
      expect(filesHolding(data)).toEqual([]);
    },
    6 * PATIENCE_MS,
  );

  test(
    'while it applies the ledger to a restored backup, is followed by one that applies the rest before it serves',
    async () => {
      using room = roomFor();
      const { data, directory } = room;
      const first = await begin(room);
      const ids = await book(first, room, 3);
      await first.program.terminate();
      mkdirSync(directory.file('backup'));
      copyFileSync(join(data, 'events.db'), directory.file('backup/events.db'));
      writeFileSync(directory.file('now'), String(NOW + 60_000));
      const second = await begin(room);
      for (const id of ids) await erase(id, second);
      await second.program.terminate();
      for (const name of readdirSync(data)) if (/^(?!erasures).*\.db/.test(name)) rmSync(join(data, name));
      copyFileSync(directory.file('backup/events.db'), join(data, 'events.db'));
      await start(room, 'first fact after a restore').program.ended();
      // The oldest one, which leaves the newest ones to find.
      expect((await streamsIn(data)).erased).toEqual([`booking-${ids[0]}`]);
      await using last = await begin(room);
      const { adminToken, url } = last;
      const list = await send<{ items: readonly { user_name: string }[] }>(
        `${url}/api/bookings`,
        { authorization: `Bearer ${adminToken}` },
        null,
        'GET',
      );
      expect(list.kind === 'done' && list.data.items.map(({ user_name }) => user_name)).toEqual(
        ids.map(() => '[erased]'),
      );
      expect(last.program.stdout.text).toContain('erasures applied to a restored log');
    },
    6 * PATIENCE_MS,
  );
});
