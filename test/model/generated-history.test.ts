import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { fillEventStore } from '../../src/cli/generate/fill-event-store.ts';
import type { Generated } from '../../src/cli/generate/generate-history.ts';
import { readConfig } from '../../src/config.ts';
import { SECOND_MS } from '../../src/eventsourcing/durations.ts';
import { categoryOf } from '../../src/ports/event-store.ts';
import { cancelDates } from '../../src/processes/cancel-dates/process-manager.ts';
import { creditVisits } from '../../src/processes/credit-visits/process-manager.ts';
import { endOverdueBookings } from '../../src/processes/end-overdue-bookings/process-manager.ts';
import { GUEST_RETENTION } from '../../src/processes/erase-expired-guests/run.ts';
import { reapClaims } from '../../src/processes/reap-claims/process-manager.ts';
import { recordErasures } from '../../src/processes/record-erasures/process-manager.ts';
import { scheduleDeliveries } from '../../src/processes/schedule-deliveries/process-manager.ts';
import { sendBookingMails } from '../../src/processes/send-booking-mails/process-manager.ts';
import { sendSpendingMails } from '../../src/processes/send-spending-mails/process-manager.ts';
import { settleSpending } from '../../src/processes/settle-spending/process-manager.ts';
import { auditLeaks, auditLog } from '../chaos/kill/audit.ts';
import { auditUndecided } from '../chaos/kill/audit-evidence.ts';
import { readHistory } from '../chaos/kill/history.ts';
import { evidenceOf } from '../support/evidence.ts';
import { unaudited } from '../support/log-of-service.ts';
import { type Credentials, NOW, openService, type Service, withKey } from '../support/service.ts';
import { writeServiceCatalogue } from '../support/service-catalogue.ts';

const PLAN = { bookings: 300, seed: 'a history', days: 60, untilMs: NOW };
const UNWATCHED = { signal: new AbortController().signal, report: () => {} };
/** Categories of the events that a start, and the test's key, append. */
const APPENDED_AT_START = ['voucherkey', 'apikey'];

/** The process managers for whose events a history has examples. */
const FOLDING = [
  reapClaims,
  endOverdueBookings,
  cancelDates,
  scheduleDeliveries,
  sendBookingMails,
  settleSpending,
  sendSpendingMails,
  creditVisits,
  recordErasures,
].map(({ name }) => name);

async function fill(settings: Readonly<Record<string, string>>, plan = PLAN): Promise<Generated> {
  const generated = await fillEventStore(readConfig(settings), plan, UNWATCHED);
  if (generated.kind === 'not-empty') throw new Error(`${generated.name} holds events`);
  return generated;
}

type Listed = { readonly booking_id: string; readonly status: string };

async function listed(service: Service, key: Credentials): Promise<readonly Listed[]> {
  const items: Listed[] = [];
  let after = '';
  do {
    const path = `/api/b2a/bookings?limit=100${after}`;
    const { data } = await service.get<{ items: Listed[]; next_cursor: string | null }>(path, key);
    items.push(...data.items);
    after = data.next_cursor === null ? '' : `&cursor=${encodeURIComponent(data.next_cursor)}`;
  } while (after !== '');
  return items;
}

/** A service on a new history. @param before changes the data directory before the start */
async function serviceOnHistory(
  before: (dataDirectory: string) => void = () => {},
  settings: Readonly<Record<string, string>> = {},
) {
  const made: Generated[] = [];
  const service = await openService({
    mails: 'sent',
    settings,
    async catalogue(directory) {
      writeServiceCatalogue(directory);
      const dataDirectory = join(directory, '..', 'data');
      made.push(await fill({ ...settings, CATALOGUE_DIR: directory, DATA_DIR: dataDirectory }));
      before(dataDirectory);
    },
  });
  const [generated] = made;
  if (generated === undefined) throw new Error('no history was generated');
  return { service, generated };
}

/** The streams to which the service appended in its first hour. */
async function appendedInAnHour(service: Service): Promise<readonly string[]> {
  for (let second = 0; second < 3_600; second += 10) {
    service.clock.advance(10 * SECOND_MS);
    await new Promise(setImmediate);
  }
  const events = await unaudited(service);
  const own = events.slice(events.findIndex(({ stream }) => categoryOf(stream) === 'voucherkey'));
  const streams = own.map(({ stream }) => stream).filter((stream) => !APPENDED_AT_START.includes(categoryOf(stream)));
  return [...new Set(streams)].sort();
}

describe('a generated history', () => {
  let service: Service;
  let generated: Generated;
  beforeAll(async () => {
    ({ service, generated } = await serviceOnHistory());
  });
  afterAll(() => service.stop());

  test('is what the deciders allow, and leaves nothing undone', async () => {
    const history = readHistory(await service.events());
    const bookings = [...history.bookings.values()];
    const erased = new Set(bookings.flatMap((booking) => (booking.erased ? booking.records : [])));
    expect(auditLog(history)).toEqual([]);
    expect(auditLeaks(history, erased)).toEqual([]);
    expect(auditUndecided(history)).toEqual([]);
    expect(bookings.length).toBe(PLAN.bookings);
    expect(bookings.filter(({ vouchers, mailedAt }) => mailedAt.length !== Math.min(vouchers.length, 1))).toEqual([]);
    expect(bookings.filter(({ status }) => status === 'pending' || status === 'processing')).toEqual([]);
  });

  test('is at rest: a service that starts on it appends only what every start appends', async () => {
    // The test's key is an event that these process managers fold.
    expect(await appendedInAnHour(service)).toEqual([
      'checkpoint-booking-deadlines',
      'checkpoint-claim-reaper',
      'checkpoint-erasure-ledger',
      'checkpoint-webhook-fan-out',
    ]);
  });

  test('has no work for a process manager that folds all of it', async () => {
    const { service: folding } = await serviceOnHistory((dataDirectory) => {
      using events = new Database(join(dataDirectory, 'events.db'));
      events.run("DELETE FROM appends WHERE stream LIKE 'checkpoint-%'");
    });
    const streams = await appendedInAnHour(folding);
    await folding.stop();
    expect(streams).toEqual(FOLDING.map((name) => `checkpoint-${name}`).sort());
  });

  test('has erased the guests of bookings that ended too long ago', async () => {
    const { service: retaining, generated: made } = await serviceOnHistory(() => {}, { GUEST_RETENTION_DAYS: '20' });
    await appendedInAnHour(retaining);
    const events = await retaining.events();
    await retaining.stop();
    const started = events.findIndex(({ stream }) => categoryOf(stream) === 'voucherkey');
    const erased = events.flatMap(({ type, cause }, at) =>
      type === 'GuestErased' && cause.by === GUEST_RETENTION ? at : [],
    );
    const byService = erased.filter((at) => at > started);
    expect(made.erased).toBeGreaterThan(PLAN.bookings / 3);
    expect(auditLog(readHistory(events))).toEqual([]);
    // The history ends two hours before the start.
    expect(byService.length).toBeLessThan(made.erased / 20);
  });

  test('of an earlier release, without evidence, gets it when a service first starts', async () => {
    const { service: upgraded } = await serviceOnHistory((dataDirectory) => {
      using events = new Database(join(dataDirectory, 'events.db'));
      events.run("DELETE FROM appends WHERE stream LIKE 'evidence-%' OR stream = 'checkpoint-visit-crediting'");
    });
    await evidenceOf(upgraded, generated.visited);
    const [expected, history] = [readHistory(await service.events()), readHistory(await upgraded.events())];
    await upgraded.stop();
    const countsOf = ({ evidence }: typeof history) =>
      Map.groupBy(evidence, ({ event }) => event.type)
        .entries()
        .map(([type, { length }]) => [type, length])
        .toArray();
    expect([...auditLog(history), ...auditUndecided(history)]).toEqual([]);
    expect(countsOf(history)).toEqual(countsOf(expected));
  });

  test('is answered: each key lists its bookings, and each booking as its stream has it', async () => {
    const statuses: string[] = [];
    for (const { value } of generated.keys) {
      const key = withKey(value);
      for (const { booking_id: id, status } of await listed(service, key)) {
        const booking = await service.booking(id, key);
        const found: object = { answer: booking.status, status: booking.data.status };
        expect(found).toEqual({ answer: 200, status });
        statuses.push(status);
      }
    }
    const count = (status: string): number => statuses.filter((each) => each === status).length;
    const { booked, cancelled, rejected, visited } = generated;
    const counts = [statuses.length, count('cancelled'), count('rejected'), count('completed')];
    expect(counts).toEqual([booked, cancelled, rejected, visited]);
  });
});
