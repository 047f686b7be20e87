import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { cancelDate, finishedCancellation } from '../../support/cancelled-dates.ts';
import { hold } from '../../support/holds.ts';
import { headOf } from '../../support/log-of-service.ts';
import { NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Range = AnswerOf<'put /api/activities/:activity_id/allotments'>;

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

async function put(body: object, activity = 'river-walk') {
  const headers = { ...service.admin, 'x-position': await headOf(service) };
  return service.put<Range>(`/api/activities/${activity}/allotments`, body, headers);
}

/** The events of the allotments, by date. */
async function events() {
  const stored = (await service.events()).filter(({ stream }) => stream.startsWith('allotment-'));
  return stored.map(({ stream, type }) => `${stream.slice(-10)} ${type.split('.')[0]}`).toSorted();
}

const MONDAY = '2026-11-23';
const TERMS = { capacity: 10, taken: 0, free: 10, price: 120.5, flash_deal: null };

const results = ({ dates }: Range) => dates.map(({ date, result }) => `${date} ${result}`);

describe('a range of dates', () => {
  test('changes each date by itself, and a repetition changes nothing', async () => {
    const body = { from: TODAY, to: MONDAY, capacity: 12, price: 99.5 };
    const { data, headers } = await put(body);
    const after = { ...TERMS, capacity: 12, free: 12, price: 99.5 };
    expect(data).toEqual({
      activity_id: 'river-walk',
      dry_run: false,
      changed: 3,
      refused: 0,
      complete: true,
      dates: [TODAY, TOMORROW, MONDAY].map((date) => ({ date, result: 'changed', why: null, before: null, after })),
    });
    expect(headers.get('x-position')).not.toBeNull();
    const stored = await events();
    expect(stored).toEqual(
      [TODAY, TOMORROW, MONDAY].flatMap((date) =>
        ['AllotmentOpened', 'CapacitySet', 'PriceSet'].map((type) => `${date} ${type}`),
      ),
    );
    const again = await put(body);
    expect(results(again.data)).toEqual([`${TODAY} unchanged`, `${TOMORROW} unchanged`, `${MONDAY} unchanged`]);
    expect([again.headers.get('x-position'), await events()]).toEqual([null, stored]);
  });

  test('leaves a cancelled date closed, and says how to open it', async () => {
    await cancelDate(service);
    await finishedCancellation(service);
    const body = { from: TODAY, to: MONDAY, capacity: 12 };
    const dry = await put({ ...body, dry_run: true });
    const { data } = await put(body);
    for (const shown of [dry.data, data])
      expect(results(shown)).toEqual([`${TODAY} changed`, `${TOMORROW} refused`, `${MONDAY} changed`]);
    expect(data.dates[1]?.why).toBe(
      `All bookings of ${TOMORROW} were cancelled, so a range does not put it on sale again; set the capacity of this date alone.`,
    );
  });

  test('shows in a dry run what it would change, and writes nothing', async () => {
    await service.book({ booking_date: TOMORROW, num_adults: 4 });
    const before = await service.events();
    const { data } = await put({ from: TODAY, to: TOMORROW, capacity: 5, dry_run: true });
    const after = { ...TERMS, capacity: 5 };
    expect(data.dates).toEqual([
      { date: TODAY, result: 'changed', why: null, before: TERMS, after: { ...after, free: 5 } },
      {
        date: TOMORROW,
        result: 'changed',
        why: null,
        before: { ...TERMS, taken: 4, free: 6 },
        after: { ...after, taken: 4, free: 1 },
      },
    ]);
    // The request itself is audited.
    const audited = (await service.events()).slice(before.length).map(({ stream }) => stream.split('-')[0]);
    expect(new Set(audited)).toEqual(new Set(['audit']));
  });

  test.each([true, false])(
    'refuses the dates on which more is taken, and changes the others (dry run: %p)',
    async (dryRun) => {
      await service.book({ booking_date: TOMORROW, num_adults: 4 });
      await hold(service, { booking_date: TOMORROW, num_adults: 2 });
      const { data } = await put({ from: TODAY, to: MONDAY, capacity: 5, dry_run: dryRun });
      expect([data.changed, data.refused, data.complete]).toEqual([2, 1, true]);
      expect(results(data)).toEqual([`${TODAY} changed`, `${TOMORROW} refused`, `${MONDAY} changed`]);
      expect(data.dates[1]?.why).toBe(
        'capacity must be at least 6, the slots of 2026-11-22 already taken; it was 5. Send 6 to stop the sale.',
      );
    },
  );

  test('says what a dry run and the change itself agree on', async () => {
    await service.book({ booking_date: TOMORROW, num_adults: 9 });
    await put({ from: MONDAY, to: MONDAY, price: 10 });
    const body = { from: '2026-11-20', to: '2026-11-26', capacity: 8, price: 10, flash_deal: { discount_percent: 30 } };
    const [shown, done] = [await put({ ...body, dry_run: true }), await put(body)];
    const plain = ({ dates }: Range) => dates.map(({ date, result, why }) => ({ date, result, why }));
    expect(plain(done.data)).toEqual(plain(shown.data));
    expect(results(done.data)).toEqual([
      '2026-11-20 refused',
      '2026-11-21 changed',
      '2026-11-22 refused',
      '2026-11-23 changed',
      '2026-11-24 changed',
      '2026-11-25 changed',
      '2026-11-26 changed',
    ]);
  });

  test('selects weekdays, and leaves out the days on which the activity is closed', async () => {
    const { data } = await put(
      { from: TODAY, to: '2026-12-07', weekdays: ['mon', 'sat'], capacity: 30 },
      'paper-museum',
    );
    expect(results(data)).toEqual([
      '2026-11-21 changed',
      '2026-11-23 closed',
      '2026-11-28 changed',
      '2026-11-30 closed',
      '2026-12-05 closed',
      '2026-12-07 closed',
    ]);
  });

  test('gives each date a deal until its last entry, or until a local time', async () => {
    await put({ from: TODAY, to: TOMORROW, flash_deal: { discount_percent: 40 } });
    const shown = async (date: string) =>
      (
        await service.get<AnswerOf<'get /api/activities/:activity_id/allotments/:date'>>(
          `/api/activities/river-walk/allotments/${date}`,
          service.admin,
        )
      ).data.flash_deal?.expires_at;
    expect([await shown(TODAY), await shown(TOMORROW)]).toEqual([
      '2026-11-21T10:00:00.000Z',
      '2026-11-22T10:00:00.000Z',
    ]);
    const { data } = await put({ from: TODAY, to: TOMORROW, flash_deal: { discount_percent: 40, until: '09:30' } });
    expect(data.dates.map(({ result, why }) => [result, why])).toEqual([
      [
        'refused',
        'flash_deal.until 09:30 of 2026-11-21 has passed; send an earlier time, or leave it out for the last entry.',
      ],
      ['changed', null],
    ]);
    const late = await put({ from: TOMORROW, to: TOMORROW, flash_deal: { discount_percent: 40, until: '17:01' } });
    expect(late.data.dates[0]?.why).toBe(
      'flash_deal.until 17:01 is after the last entry of 2026-11-22, 17:00; send an earlier time, or leave it out for the last entry.',
    );
    const none = await put({ from: TODAY, to: TOMORROW, flash_deal: null });
    expect([none.data.changed, await shown(TODAY)]).toEqual([2, undefined]);
  });

  test('gives the night market a deal that ends with the day, because its last entry is after midnight', async () => {
    const { data } = await put({ from: TOMORROW, to: TOMORROW, flash_deal: { discount_percent: 30 } }, 'night-market');
    expect(data.dates[0]?.after?.flash_deal?.expires_at).toBe('2026-11-22T17:00:00.000Z');
  });

  test('takes a whole year', async () => {
    const { data } = await put({ from: TODAY, to: '2027-11-21', capacity: 11 });
    expect([data.changed, data.complete, data.dates.length]).toEqual([366, true, 366]);
  });

  test('is refused with the field and what to do, and then writes nothing', async () => {
    for (const [body, code, text] of REFUSED) {
      const { refusal } = await put(body);
      expect([body, refusal.code, refusal.error]).toEqual([body, code, expect.stringContaining(text)]);
    }
    expect((await put({ from: TODAY, to: TODAY, capacity: 1 }, 'none')).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    expect(await events()).toEqual([]);
  });

  test('serves a sold-out date within one request: ten more places are bookable at once', async () => {
    await service.book({ booking_date: TOMORROW, num_adults: 10 });
    await put({ from: TOMORROW, to: TOMORROW, capacity: 20 });
    service.clock.set(NOW + HOUR_MS);
    expect((await service.book({ booking_date: TOMORROW, num_adults: 10 })).data.status).toBe('confirmed');
  });
});

const REFUSED: readonly (readonly [object, string, string])[] = [
  [{ from: TODAY, to: TOMORROW }, 'INVALID_REQUEST', 'capacity, price and flash_deal are missing'],
  [{ from: TOMORROW, to: TODAY, capacity: 5 }, 'INVALID_DATE', 'to 2026-11-21 is before from 2026-11-22'],
  [{ from: TODAY, to: '2027-11-22', capacity: 5 }, 'INVALID_DATE', 'makes a range of 367 days'],
  [{ from: 'today', to: TODAY, capacity: 5 }, 'INVALID_DATE', 'from must be'],
  [{ from: TODAY, to: TODAY, weekdays: ['sun'], capacity: 5 }, 'INVALID_REQUEST', 'weekdays selects no date'],
  [{ from: TODAY, to: TODAY, weekdays: ['sunday'], capacity: 5 }, 'INVALID_REQUEST', 'weekdays'],
  [{ from: TODAY, to: TODAY, price: 1.234 }, 'INVALID_REQUEST', 'price must be an amount in THB'],
  [{ from: TODAY, to: TODAY, capacity: -1 }, 'INVALID_REQUEST', 'capacity must be a whole number'],
  [
    { from: TODAY, to: TODAY, flash_deal: { discount_percent: 40, until: '25:00' } },
    'INVALID_REQUEST',
    'flash_deal.until must be a local time as HH:MM',
  ],
];
