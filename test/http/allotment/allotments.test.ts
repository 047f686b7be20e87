import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { allotmentCodec } from '../../../src/domain/allotment/events.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { hold, shownFree } from '../../support/holds.ts';
import { changeCatalogue, modify } from '../../support/modifications.ts';
import { NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { type AnswerOf, faulty, refused } from '../../support/service-answers.ts';

type Shown = AnswerOf<'get /api/activities/:activity_id/allotments/:date'>;

const LAST_ENTRY = '2026-11-21T10:00:00.000Z';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

const path = (date: string, activity = 'river-walk') => `/api/activities/${activity}/allotments/${date}`;

function put(body: object, date = TODAY, activity?: string) {
  return service.put<Shown>(path(date, activity), body, service.admin);
}

function shown(date = TODAY, activity?: string) {
  return service.get<Shown>(path(date, activity), service.analyst);
}

/** The events of a date of the river walk, and who caused them. */
async function events(date = TODAY) {
  const stored = (await service.events()).filter(({ stream }) => stream === `allotment-river-walk-${date}`);
  return stored.map((event) => ({ ...allotmentCodec.decode(event), by: event.cause.by, at: event.cause.at }));
}

const UNTOUCHED: Shown = {
  activity_id: 'river-walk',
  date: TODAY,
  capacity: 10,
  capacity_by: 'schedule',
  taken: 0,
  held: 0,
  free: 10,
  price: 120.5,
  price_by: 'schedule',
  currency: 'THB',
  flash_deal: null,
  flash_deals_by: 'policy',
};

describe('an operator', () => {
  test('reads a date from the schedule, and writes nothing by that', async () => {
    expect((await shown()).data).toEqual(UNTOUCHED);
    expect(await events()).toEqual([]);
  });

  test('sets capacity, price and deal, reads who set them, and resets them', async () => {
    const deal = { discount_percent: 40, expires_at: '2026-11-21T12:00:00+07:00' };
    const { data } = await put({ capacity: 6, price: 100, flash_deal: deal });
    const set: Shown = {
      ...UNTOUCHED,
      capacity: 6,
      capacity_by: 'operator',
      free: 6,
      price: 100,
      price_by: 'operator',
      flash_deal: {
        discount_percent: 40,
        expires_at: '2026-11-21T05:00:00.000Z',
        by: 'operator',
        price: 60,
        active: true,
      },
      flash_deals_by: 'operator',
    };
    expect(data).toEqual(set);
    await service.restart();
    expect((await shown()).data).toEqual(set);
    const back = await put({ capacity: null, price: null, flash_deal: null });
    expect(back.data).toEqual({ ...UNTOUCHED, flash_deals_by: 'operator' });
    const at = new Date(NOW).toISOString();
    expect((await events()).slice(1)).toEqual([
      { type: 'CapacitySet', data: { capacity: 6 }, by: 'admin', at },
      { type: 'PriceSet', data: { unitPriceMinor: 10_000 }, by: 'admin', at },
      {
        type: 'FlashDealStarted',
        data: { discountPercent: 40, expiresAtMs: NOW + 2 * HOUR_MS, by: 'operator' },
        by: 'admin',
        at,
      },
      { type: 'CapacitySet', data: { capacity: null }, by: 'admin', at },
      { type: 'PriceSet', data: { unitPriceMinor: null }, by: 'admin', at },
      { type: 'FlashDealEnded', data: { because: 'operator' }, by: 'admin', at },
    ]);
  });

  test('repeats a change, and the repetition writes nothing', async () => {
    const body = { capacity: 4, flash_deal: { discount_percent: 30, expires_at: LAST_ENTRY } };
    const first = await put(body);
    const second = await put(body);
    expect([second.data, second.headers.get('x-position')]).toEqual([first.data, null]);
    expect((await put({})).data).toEqual(first.data);
    expect((await events()).map(({ type }) => type)).toEqual(['AllotmentOpened', 'CapacitySet', 'FlashDealStarted']);
  });

  test('lowers the capacity to the taken slots, and existing bookings stay', async () => {
    await service.book({ booking_date: TODAY, num_adults: 3 });
    const held = await hold(service, { booking_date: TODAY, num_adults: 2 });
    expect((await put({ capacity: 4 })).refusal).toEqual(
      refused(
        400,
        'INVALID_REQUEST',
        'capacity must be at least 5, the slots of 2026-11-21 already taken; it was 4. Send 5 to stop the sale.',
        { details: 'taken: 5, of these held: 2' },
      ),
    );
    const { data, headers } = await put({ capacity: 5 });
    expect(data).toMatchObject({ capacity: 5, taken: 5, held: 2, free: 0 });
    expect((await service.book({ booking_date: TODAY, num_adults: 1 })).refusal.code).toBe('INVENTORY_EXHAUSTED');
    const listed = await service.inventory('city=Bangkok', { 'x-position': headers.get('x-position') ?? '' });
    expect(listed.data.inventory.map(({ activity_id: id }) => id)).not.toContain('river-walk');
    const used = await service.book({ booking_date: TODAY, hold_id: held.data.hold_id });
    expect(used.data.status).toBe('confirmed');
    expect((await put({ capacity: null })).data).toMatchObject({ capacity: 10, taken: 5, held: 0, free: 5 });
  });

  test('raises the capacity above the schedule', async () => {
    await put({ capacity: 25 });
    expect((await service.book({ booking_date: TODAY, num_adults: 20 })).data.status).toBe('confirmed');
    // Back to the schedule: existing bookings stay, and new ones are refused.
    expect((await put({ capacity: null })).data).toMatchObject({ capacity: 10, taken: 20, free: 0 });
    expect(await shownFree(service, TODAY)).toBe(0);
    expect((await service.book({ booking_date: TODAY, num_adults: 1 })).refusal.code).toBe('INVENTORY_EXHAUSTED');
  });

  test('overrides the catalogue until the change is reset', async () => {
    await put({ price: 99.5 }, TOMORROW);
    changeCatalogue(service, 'bangkok', 'river-walk', { price: 500, capacity: 7 });
    await service.restart();
    expect((await shown(TOMORROW)).data).toMatchObject({ price: 99.5, price_by: 'operator', capacity: 7, free: 7 });
    expect((await service.book()).data.pricing).toMatchObject({ unit_price: 99.5, total: 199 });
    expect((await put({ price: null }, TOMORROW)).data).toMatchObject({ price: 500, price_by: 'schedule' });
    expect((await service.book()).data.pricing).toMatchObject({ unit_price: 500, total: 1000 });
  });

  test('can set a deal in advance: it applies from the start of the day at the city', async () => {
    const expires = '2026-11-22T10:00:00.000Z';
    const { data } = await put({ flash_deal: { discount_percent: 50, expires_at: expires } }, TOMORROW);
    expect(data['flash_deal']).toMatchObject({ active: false, price: 60.25 });
    expect((await service.book()).data.pricing.total).toBe(241);
    service.clock.set(Date.parse('2026-11-21T17:00:00Z'));
    expect((await shown(TOMORROW)).data['flash_deal']).toMatchObject({ active: true });
    expect((await service.book()).data.pricing.total).toBe(120.5);
  });
});

describe('a catalogue that has changed', () => {
  test('applies to a date that is already open: to reads at once, to the log with the next booking', async () => {
    await service.book({ num_adults: 4 });
    const { data: booking } = await service.book({ num_adults: 2 });
    changeCatalogue(service, 'bangkok', 'river-walk', { price: 200, capacity: 8 });
    service.clock.advance(1_000);
    await service.restart();
    expect((await service.inventory(`activity_id=river-walk&date=${TOMORROW}`)).data.inventory).toMatchObject([
      { price: 200, available_slots: 2, last_updated: '2026-11-21T03:00:01.000Z' },
    ]);
    expect((await events(TOMORROW)).map(({ type }) => type)).not.toContain('ScheduleFollowed');
    const dry = await service.post('/api/b2a/execute_booking', { ...A_BOOKING, dry_run: true }, service.key);
    expect(dry.data).toMatchObject({ available_slots: 2, pricing: { unit_price: 200, total: 400 } });
    expect((await service.book({ num_adults: 3 })).refusal.details).toBe('available_slots: 2');
    expect((await service.book()).data.pricing).toMatchObject({ unit_price: 200 });
    const followed = (await events(TOMORROW)).filter(({ type }) => type === 'ScheduleFollowed');
    expect(followed.map(({ data }) => data)).toMatchObject([{ capacity: 8, unitPriceMinor: 20_000 }]);
    // An earlier booking keeps its price while its date stays, for fewer guests too.
    const { data } = await modify(service, booking, { num_adults: 1 });
    expect(data.new_pricing).toMatchObject({ unit_price: 120.5, total: 120.5 });
  });
});

const A_BOOKING = {
  activity_id: 'river-walk',
  user_email: 'ada@example.com',
  user_name: 'Ada Lovelace',
  booking_date: TOMORROW,
  num_adults: 2,
};

describe('is refused', () => {
  const whole = "capacity must be a whole number of guests from 0 to 100000, or null for the schedule's";
  const end =
    'flash_deal.expires_at must be after 2026-11-21T03:00:00.000Z and at most 2026-11-21T10:00:00.000Z: a deal is valid on 2026-11-21 until the last entry';
  const deal = (change: object) => ({ flash_deal: { discount_percent: 30, expires_at: LAST_ENTRY, ...change } });
  test.each([
    [{ capacity: -1 }, `${whole}; it was -1.`],
    [{ capacity: 1.5 }, `${whole}; it was 1.5.`],
    [{ price: 0 }, "price must be an amount above 0 in the city's currency, or null for the schedule's; it was 0."],
    [
      { flash_deal: 40 },
      'flash_deal must be an object with discount_percent and expires_at, or null for none; it was 40.',
    ],
    [deal({ discount_percent: 29 }), 'flash_deal.discount_percent must be a whole number from 30 to 50; it was 29.'],
    [deal({ discount_percent: 51 }), 'flash_deal.discount_percent must be a whole number from 30 to 50; it was 51.'],
    [deal({ expires_at: null }), 'flash_deal.expires_at is missing; it must be an ISO 8601 timestamp with a zone.'],
  ])('%j', async (body, sentence) => {
    expect((await put(body)).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });

  test.each([
    [{ price: 1.005 }, 'price must be an amount in THB with at most 2 decimals; it was 1.005.'],
    [deal({ expires_at: '2026-11-21T03:00:00Z' }), `${end}; it was 2026-11-21T03:00:00.000Z.`],
    [deal({ expires_at: '2026-11-21T10:00:00.001Z' }), `${end}; it was 2026-11-21T10:00:00.001Z.`],
  ])('%j, which only the date can say', async (body, sentence) => {
    expect((await put(body)).refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
    expect(await events()).toEqual([]);
  });

  test('for a deal on a day whose last entry is over', async () => {
    service.clock.set(Date.parse(LAST_ENTRY));
    expect((await put(deal({}))).refusal.error).toBe(
      `flash_deal.expires_at must be before the last entry, which was at ${LAST_ENTRY}: a deal is valid on 2026-11-21 until the last entry; it was ${LAST_ENTRY}.`,
    );
  });

  const range = 'send a date from 2026-11-21 (today in Bangkok) to 2027-11-21';
  test.each([
    ['2026-11-20', 'INVALID_DATE', `date 2026-11-20 is in the past; ${range}.`],
    ['2027-11-22', 'INVALID_DATE', `date 2027-11-22 is too far ahead; ${range}.`],
    [
      '2026-02-30',
      'INVALID_DATE',
      'date must be a real calendar date as YYYY-MM-DD; it was "2026-02-30"; today in Bangkok is 2026-11-21, tomorrow 2026-11-22.',
    ],
  ] as const)('the date %s', async (date, code, error) => {
    expect((await put({ capacity: 1 }, date)).refusal).toEqual(refused(400, code, error));
  });

  test('for a closed date, and for an activity that is not listed', async () => {
    const monday = '2026-11-23';
    for (const answer of [await put({ capacity: 1 }, monday, 'paper-museum'), await shown(monday, 'paper-museum')]) {
      expect(answer.refusal).toMatchObject({
        status: 409,
        code: 'ACTIVITY_UNAVAILABLE',
        error: 'Paper Museum (en) is closed on 2026-11-23; choose a date on which it is open.',
      });
    }
    expect((await put({ capacity: 1 }, TODAY, 'moon-walk')).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    expect((await shown(TODAY, 'moon-walk')).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    expect((await shown('today')).refusal.code).toBe('INVALID_DATE');
  });

  test('for analysts, who may only read, and for API keys', async () => {
    const asAnalyst = await service.put(path(TODAY), { capacity: 1 }, service.analyst);
    expect(asAnalyst.refusal.code).toBe('FORBIDDEN');
    expect((await service.put(path(TODAY), { capacity: 1 }, service.key)).refusal.code).toBe('MISSING_TOKEN');
    expect((await shown()).data).toEqual(UNTOUCHED);
  });
});

test('a past date shows the terms at which it was last sold', async () => {
  await put({ price: 100 });
  await service.book({ booking_date: TODAY });
  service.clock.advance(48 * HOUR_MS);
  expect((await shown()).data).toMatchObject({ price: 100, taken: 2 });
  expect((await put({ price: 90 })).refusal.code).toBe('INVALID_DATE');
});
