import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import { allotmentCodec } from '../../../src/domain/allotment/events.ts';
import { quotePrice } from '../../../src/domain/allotment/state.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { hold, quotedAndBooked } from '../../support/holds.ts';
import { allowHotels } from '../../support/hotels.ts';
import { connectTo } from '../../support/mcp.ts';
import { modify, quote } from '../../support/modifications.ts';
import { NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';

/** Two hours from now: noon in Bangkok. */
const ENDS = '2026-11-21T05:00:00.000Z';
const ENDS_MS = Date.parse(ENDS);

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

/** A deal of the river walk today, by an operator; the position of its start. */
async function deal(discountPercent = 40, activity = 'river-walk'): Promise<string> {
  const { headers } = await service.put(
    `/api/activities/${activity}/allotments/${TODAY}`,
    { flash_deal: { discount_percent: discountPercent, expires_at: ENDS } },
    service.admin,
  );
  return headers.get('x-position') ?? '';
}

const FULL = { unit_price: 120.5, total_guests: 2, subtotal: 241, discount: 0, total: 241, currency: 'THB' };
/** 40 percent of 120.50 are 48.20. */
const REDUCED = { ...FULL, discount: 96.4, total: 144.6 };
const FULL_ITEM = { activity_id: 'river-walk', price: 120.5, is_flash_deal: false };
const DEAL_ITEM = {
  activity_id: 'river-walk',
  price: 72.3,
  original_price: 120.5,
  is_flash_deal: true,
  flash_deal_expires: ENDS,
  discount_percent: 40,
};

describe('the inventory', () => {
  test('shows a deal until its end, and from that instant the full price', async () => {
    const at = { 'x-position': await deal() };
    const item = async () => (await service.inventory('activity_id=river-walk', at)).data.inventory[0];
    expect<object | undefined>(await item()).toMatchObject(DEAL_ITEM);
    service.clock.set(ENDS_MS - 1);
    expect<object | undefined>(await item()).toMatchObject(DEAL_ITEM);
    service.clock.set(ENDS_MS);
    const over = await item();
    expect<object | undefined>(over).toMatchObject(FULL_ITEM);
    expect(Object.keys(over ?? {})).not.toContain('original_price');
  });

  test('lists deals first, sorts by present price, counts deals before the limit, and filters by them', async () => {
    await deal(30, 'night-market');
    const at = { 'x-position': await deal(30, 'paper-museum') };
    const ids = async (query: string): Promise<readonly [ids: readonly string[], metadata: object]> => {
      const { data } = await service.inventory(`city=Bangkok${query}`, at);
      return [data.inventory.map(({ activity_id: id }) => id), data.metadata];
    };
    const about = { query_date: TODAY, city: 'Bangkok' };
    expect(await ids('')).toEqual([
      ['paper-museum', 'night-market', 'river-walk'],
      { total_results: 3, flash_deals_count: 2, ...about },
    ]);
    expect(await ids('&limit=1')).toEqual([['paper-museum'], { total_results: 3, flash_deals_count: 2, ...about }]);
    expect(await ids('&flash_deals_only=true')).toEqual([
      ['paper-museum', 'night-market'],
      { total_results: 2, flash_deals_count: 2, ...about },
    ]);
    // The museum is 175 with its deal, and the market 245.
    expect((await ids('&max_price=175'))[0]).toEqual(['paper-museum', 'river-walk']);
    service.clock.set(ENDS_MS);
    expect(await ids('')).toEqual([
      ['river-walk', 'paper-museum', 'night-market'],
      { total_results: 3, flash_deals_count: 0, ...about },
    ]);
    expect((await service.inventory('city=Bangkok&flash_deals_only=true', at)).refusal.code).toBe('NO_INVENTORY');
  });

  test('shows no deal on other days', async () => {
    const at = { 'x-position': await deal() };
    const { data } = await service.inventory(`activity_id=river-walk&date=${TOMORROW}`, at);
    expect<object>(data.inventory).toMatchObject([FULL_ITEM]);
  });

  test('shows the same deal after a rebuild', async () => {
    const at = { 'x-position': await deal() };
    const before = await service.inventory('city=Bangkok', at);
    expect(await service.rebuild('inventory')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect((await service.inventory('city=Bangkok', at)).data).toEqual(before.data);
  });
});

describe('a booking', () => {
  test('has the price of a deal until one ms before its end, then the full price; so has its quote', async () => {
    await deal();
    for (const [atMs, pricing] of [
      [NOW, REDUCED],
      [ENDS_MS - 1, REDUCED],
      [ENDS_MS, FULL],
    ] as const) {
      service.clock.set(atMs);
      const { quote: quoted, booked } = await quotedAndBooked(service, { booking_date: TODAY, num_adults: 2 });
      expect<object>(quoted.data.pricing).toEqual(pricing);
      expect<object>(booked.data.pricing).toEqual(pricing);
      expect<object>((await service.booking(booked.data.booking_id)).data.pricing).toEqual(pricing);
    }
  });

  test('for another day has the full price', async () => {
    await deal();
    expect<object>((await service.book()).data.pricing).toEqual(FULL);
  });

  test('replayed after the end of the deal keeps its price', async () => {
    await deal();
    const key = { 'idempotency-key': 'once' };
    const first = await service.book({ booking_date: TODAY }, key);
    service.clock.set(ENDS_MS);
    await service.restart();
    const again = await service.book({ booking_date: TODAY }, key);
    expect(again.data).toEqual(first.data);
    expect<object>(again.data.pricing).toEqual(REDUCED);
  });

  test('keeps its price for its guests on its date, adds guests at the full price, and takes the price of another date', async () => {
    await deal();
    const { data: booking } = await service.book({ booking_date: TODAY });
    service.clock.set(ENDS_MS);
    const lines = [
      { guests: 2, unit_price: 120.5, price: 72.3 },
      { guests: 1, unit_price: 120.5, price: 120.5 },
    ];
    // Today is past the free cancellation, and half of 144.60 is kept.
    const grown = { ...REDUCED, total_guests: 3, subtotal: 361.5, total: 265.1, lines, retained: 72.3 };
    expect<object>((await quote(service, booking, { num_adults: 3 })).data.new_pricing).toEqual(grown);
    expect<object>((await modify(service, booking, { num_adults: 3 })).data.new_pricing).toEqual(grown);
    const moved = { ...FULL, total_guests: 3, subtotal: 361.5, total: 361.5, retained: 132.55 };
    expect<object>((await quote(service, booking, { booking_date: TOMORROW })).data.new_pricing).toEqual(moved);
    expect<object>((await modify(service, booking, { booking_date: TOMORROW })).data.new_pricing).toEqual(moved);
  });

  test('moved to the day of a deal has the price of the deal, as quoted', async () => {
    await deal();
    const { data: booking } = await service.book();
    const change = { booking_date: TODAY };
    const quoted = await quote(service, booking, change);
    // Tomorrow is past the free cancellation, and half of 241 is kept.
    expect<object>(quoted.data.new_pricing).toEqual({ ...REDUCED, retained: 120.5 });
    expect((await modify(service, booking, change)).data.new_pricing).toEqual(quoted.data.new_pricing);
  });

  test('with a hold keeps the price of the hold', async () => {
    await deal();
    service.clock.set(ENDS_MS - 1);
    const held = (await hold(service, { booking_date: TODAY })).data;
    expect<object>(held.pricing).toEqual(REDUCED);
    service.clock.set(ENDS_MS);
    await service.restart();
    const { data } = await service.book({ booking_date: TODAY, hold_id: held.hold_id });
    expect<object>(data.pricing).toEqual(REDUCED);
  });

  test('gets the larger discount of deal and hotel’s rate, not both', async () => {
    await deal(30);
    await allowHotels(service, 'pier-house');
    const location = { hotel_id: 'pier-house' };
    const { data } = await service.recommend({ location });
    const wish = { booking_date: TODAY, context_log_id: data.context.log_id };
    // 15 percent by the hotel, 30 by the deal: 36.15 of 120.50.
    expect((await service.book(wish)).data.pricing.total).toBe(168.7);
    service.clock.set(ENDS_MS);
    // The hotel's 18.075, rounded down.
    expect((await service.book(wish)).data.pricing.total).toBe(204.86);
  });
});

describe('a recommendation', () => {
  const walk = async (change: Readonly<Record<string, unknown>>, at: string) =>
    (await service.recommend(change, { 'x-position': at })).data.recommendations.find(({ id }) => id === 'river-walk');

  test('shows the deal and its price, and scores higher', async () => {
    const before = await walk({}, '');
    const at = await deal();
    const now = await walk({}, at);
    expect<object | undefined>(now).toMatchObject({ is_flash_deal: true, price: 72.3, original_price: 120.5 });
    expect(now?.available_date).toBe(TODAY);
    expect(now?.score_breakdown.price).toBeGreaterThan(before?.score_breakdown.price ?? 1);
    expect(now?.relevance_score).toBeGreaterThan(before?.relevance_score ?? 100);
    service.clock.set(ENDS_MS);
    expect<object | undefined>(await walk({}, at)).toMatchObject({ is_flash_deal: false, price: 120.5 });
  });

  test('shows the same activity at full price if the request excludes deals', async () => {
    const shown = async (at: string) =>
      (await service.recommend({ include_flash_deals: false }, { 'x-position': at })).data.recommendations.map(
        ({ id, price, available_date, score_breakdown }) => [id, price, available_date, score_breakdown.price],
      );
    const before = await shown('');
    const at = await deal();
    expect(await shown(at)).toEqual(before);
    expect<object | undefined>(await walk({ include_flash_deals: false }, at)).toMatchObject({
      is_flash_deal: false,
      price: 120.5,
    });
  });

  test('compares the present price with max_price', async () => {
    const at = await deal();
    const filters = { max_price: 100 };
    expect((await walk({ filters }, at))?.price).toBe(72.3);
    const none = await service.recommend({ filters, include_flash_deals: false }, { 'x-position': at });
    expect(none.refusal.code).toBe('NO_ACTIVITIES');
  });
});

test('the MCP tools show the deal as the API does', async () => {
  const at = { 'x-position': await deal() };
  await service.inventory('city=Bangkok', at);
  await using tools = await connectTo(service, service.key);
  const asked = { city: 'Bangkok', flash_deals_only: true };
  const { content } = await tools.call('inventory', asked);
  expect(content).toMatchObject({ inventory: [DEAL_ITEM], metadata: { flash_deals_count: 1 } });
  const recommended = await tools.call('recommend', {
    travel_type: 'couple',
    city: 'Bangkok',
    interests: ['cultural'],
  });
  expect(recommended.content).toMatchObject({
    recommendations: expect.arrayContaining([
      expect.objectContaining({ id: 'river-walk', is_flash_deal: true, price: 72.3, original_price: 120.5 }),
    ]),
  });
});

test('folding the stream gives the same prices at every moment', async () => {
  await deal();
  service.clock.set(ENDS_MS - 1);
  await service.book({ booking_date: TODAY });
  service.clock.set(ENDS_MS);
  await service.book({ booking_date: TODAY });
  const stored = (await service.events()).filter(({ stream }) => stream === `allotment-river-walk-${TODAY}`);
  const state = fold(
    allotmentDecider,
    stored.map((event) => allotmentCodec.decode(event)),
  );
  if (state.status !== 'open') expect.unreachable();
  const totals = [...state.claims.entries()].map(([, { pricing }]) => pricing?.discountMinor);
  expect(totals).toEqual(expect.arrayContaining([0, 4_820]));
  const discountAt = (nowMs: number) => quotePrice(state, state.schedule, { hotelPercentOff: 0, nowMs }).discountMinor;
  expect([ENDS_MS - 1, ENDS_MS].map(discountAt)).toEqual([4_820, 0]);
});
