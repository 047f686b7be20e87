import { describe, expect, test } from 'bun:test';
import { ready, type Service, startProgram } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { DIES_AFTER } from './dates/mortal.ts';
import { dateAhead, type OnSale, writeCatalogue } from './kill/catalogue.ts';
import { leftIn } from './kill/embedded.ts';
import { eventually } from './kill/real-time.ts';
import { autopsy, everyEvent } from './kill/stopped.ts';
import { type BookingData, type HoldData, send } from './kill/wire.ts';

const PATIENCE_MS = 120_000;
const BOOKINGS = 12;
const GUESTS = 2;

type Progress = {
  readonly status: string;
  readonly bookings: number;
  readonly cancelled: number;
  readonly gone: number;
  readonly pending: number;
  readonly refund_amount: number;
};

/** A process on the data, which dies after an append; null: it lives. */
async function start(data: string, catalogue: string, diesAfter: string | null): Promise<Service> {
  const settings = {
    DATA_DIR: data,
    CATALOGUE_DIR: catalogue,
    PORT: '0',
    MAIL_WAIT_MS: '0',
    REAPER_INTERVAL_MS: '100',
    BUN_OPTIONS: '--preload=./test/chaos/dates/preload.ts',
    ...(diesAfter !== null && { [DIES_AFTER]: diesAfter }),
  };
  return ready(startProgram(['serve'], settings), settings);
}

const asOperator = ({ adminToken }: Service) => ({ authorization: `Bearer ${adminToken}` });

async function book(service: Service, sale: OnSale, activity: string): Promise<string> {
  const key = await send<{ key: string }>(`${service.url}/api/keys`, asOperator(service), {
    name: 'All',
    plan: 'enterprise',
  });
  if (key.kind !== 'done') throw new Error('no key');
  const headers = { 'x-api-key': key.data.key };
  const wish = { activity_id: activity, booking_date: dateAhead(sale, 3), num_adults: GUESTS };
  const booked = await Promise.all(
    Array.from({ length: BOOKINGS }, (_, index) => {
      const name = `quetzal-${String(index).padStart(6, '0')}`;
      const guest = { user_name: name, user_email: `${name}@example.com` };
      return send<BookingData>(`${service.url}/api/b2a/execute_booking`, headers, { ...wish, ...guest });
    }),
  );
  if (booked.some(({ kind }) => kind !== 'done')) throw new Error(`not booked: ${JSON.stringify(booked)}`);
  const held = await send<HoldData>(`${service.url}/api/b2a/holds`, headers, wish);
  if (held.kind !== 'done') throw new Error(`not held: ${JSON.stringify(held)}`);
  return key.data.key;
}

/** How often each event type is in the streams of a category. */
async function counts(data: string, category: string): Promise<Readonly<Record<string, number>>> {
  await using left = leftIn(data);
  const types: Record<string, number> = {};
  for (const { stream, type } of await everyEvent(left.store)) {
    const name = type.replace(/\.v\d+$/, '');
    if (stream.startsWith(`${category}-`)) types[name] = (types[name] ?? 0) + 1;
  }
  return types;
}

describe('a process that is killed while it cancels a date', () => {
  test.each([
    ['DateCancelled 1'],
    [`BookingCancelled ${BOOKINGS / 2}`],
    ['SlotsReleased 4'],
    [`DateBookingSettled ${BOOKINGS / 2}`],
    ['DateCancellationFinished 1'],
  ])(
    'after append "%s", is followed by one that goes on: each booking is cancelled and refunded once',
    async (diesAfter) => {
      using directory = temporaryDirectory();
      const [data, catalogue] = [directory.file('data'), directory.file('catalogue')];
      const sale = writeCatalogue(catalogue, Date.now());
      const activity = sale.large[0];
      const path = `/api/activities/${activity}/allotments/${dateAhead(sale, 3)}/cancel`;
      {
        await using first = await start(data, catalogue, diesAfter);
        await book(first, sale, activity);
        const headers = { ...asOperator(first), 'idempotency-key': 'storm' };
        await send<Progress>(`${first.url}${path}`, headers, { reason: 'weather' });
        await first.program.ended();
      }
      expect((await counts(data, 'allotment'))['DateCancelled']).toBe(1);
      await using second = await start(data, catalogue, null);
      const headers = asOperator(second);
      // The operator repeats the request that was not answered.
      const again = await send<Progress>(
        `${second.url}${path}`,
        { ...headers, 'idempotency-key': 'storm' },
        { reason: 'weather' },
      );
      expect(again.kind === 'done' && again.replayed).toBe(true);
      let progress: Progress | null = null;
      await eventually(async () => {
        const answer = await send<Progress>(`${second.url}${path}`, headers, null);
        if (answer.kind === 'done') progress = answer.data;
        return progress?.status === 'finished';
      }, PATIENCE_MS);
      expect<Progress | null>(progress).toMatchObject({
        status: 'finished',
        bookings: BOOKINGS,
        cancelled: BOOKINGS,
        gone: 0,
        pending: 0,
        refund_amount: BOOKINGS * GUESTS * 123.45,
      });
      expect(await second.program.terminate()).toBe(0);
      expect(await counts(data, 'booking')).toMatchObject({
        BookingConfirmed: BOOKINGS,
        BookingCancelled: BOOKINGS,
        ChargeRecorded: BOOKINGS,
        RefundRecorded: BOOKINGS,
      });
      expect(await counts(data, 'allotment')).toMatchObject({
        DateCancelled: 1,
        DateBookingSettled: BOOKINGS,
        SlotsReleased: BOOKINGS + 1,
        DateCancellationFinished: 1,
      });
      await using left = leftIn(data);
      // The closing itself is what the audit of other tests does not expect.
      expect((await autopsy(left)).faults).toEqual([`${activity}-${dateAhead(sale, 3)} has CapacitySet`]);
    },
    4 * PATIENCE_MS,
  );
});
