import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { changed, type Fare, paid, priced, pricingOf } from '../../support/expected-price.ts';
import { allowHotels } from '../../support/hotels.ts';
import { seededIds } from '../../support/ids.ts';
import { changeCatalogue, eventsOf, modify, quote } from '../../support/modifications.ts';
import { NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import type { Booking } from '../../support/service-answers.ts';

/** From 24 hours before opening (9:00 in Bangkok) on, half of what is given back is kept. */
const LATER = '2026-11-25';
const FREE_UNTIL = Date.parse('2026-11-24T02:00:00Z');

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

type Amount = { readonly amountMinor: number; readonly currency: string; readonly keyId: string };

/** Charges and refunds (negative) of a booking on the key's statement, oldest first. */
async function account(booking: Pick<Booking, 'booking_id'>): Promise<number[]> {
  const money = (await eventsOf(service, booking)).filter(({ type }) => /^(Charge|Refund)Recorded/.test(type));
  return money.map(({ type, data }) => {
    const { amountMinor, keyId } = data as Amount;
    expect(keyId).toMatch(/^key_/);
    return type.startsWith('Charge') ? amountMinor : -amountMinor;
  });
}

describe('the account of the key', () => {
  test('is charged for added guests at the present price', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    changeCatalogue(service, 'bangkok', 'river-walk', { price: 500 });
    await service.restart();
    const { data } = await modify(service, booking, { num_adults: 3, num_children: 1 });
    expect(data.new_pricing).toMatchObject({ unit_price: 120.5, total: 1_241 });
    expect(await account(booking)).toEqual([24_100, 100_000]);
  });

  test('is refunded for fewer guests: in full until the policy’s deadline, half from then on', async () => {
    const bookings = [];
    for (let n = 0; n < 2; n++) bookings.push((await service.book({ booking_date: LATER, num_adults: 3 })).data);
    for (const [n, booking] of bookings.entries()) {
      service.clock.set(FREE_UNTIL - 1 + n);
      expect((await quote(service, booking, { num_adults: 2 })).data.refund).toBe([120.5, 60.25][n] ?? 0);
      await modify(service, booking, { num_adults: 2 });
      expect(await account(booking)).toEqual([36_150, [-12_050, -6_025][n] ?? 0]);
    }
  });

  test('keeps an amount rounded down, in the guest’s favour', async () => {
    changeCatalogue(service, 'bangkok', 'river-walk', {
      price: 100.01,
      cancellation: { free_until_hours: 24, percent_kept: 33 },
    });
    await service.restart();
    const { data: booking } = await service.book({ num_adults: 2 });
    await modify(service, booking, { num_adults: 1 });
    // A third of 10001 is 3300.33.
    expect(await account(booking)).toEqual([20_002, -6_701]);
  });

  test('does not change if only the mix of the party or the guest changes', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    await modify(service, booking, { num_adults: 1, num_children: 1, user_name: 'Augusta King' });
    expect(await account(booking)).toEqual([24_100]);
  });

  test('pays or gets the difference to another date’s present price', async () => {
    const { data: booking } = await service.book({ activity_id: 'paper-museum', booking_date: LATER });
    // In season a guest pays 300, before it 250.
    expect((await modify(service, booking, { booking_date: '2026-12-20' })).data.new_pricing.unit_price).toBe(300);
    expect((await modify(service, booking, { booking_date: '2026-12-22' })).data.new_pricing.total).toBe(600);
    const { data } = await modify(service, booking, { booking_date: LATER, num_adults: 4 });
    expect(data.new_pricing).toMatchObject({ unit_price: 250, total: 1000 });
    await modify(service, booking, { booking_date: '2026-12-20', num_adults: 1 });
    expect(await account(booking)).toEqual([50_000, 10_000, 40_000, -70_000]);
  });

  test('is refunded the difference by the policy of the old date', async () => {
    const { data: booking } = await service.book({ activity_id: 'paper-museum', booking_date: '2026-12-20' });
    service.clock.set(Date.parse('2026-12-19T02:00:00Z'));
    expect((await modify(service, booking, { booking_date: '2027-02-02' })).status).toBe(200);
    expect(await account(booking)).toEqual([60_000, -5_000]);
  });

  test('is in the currency of the city, without decimals where it has none', async () => {
    const { data: booking } = await service.book({ activity_id: 'clay-workshop', num_adults: 1 });
    expect((await quote(service, booking, { num_adults: 2 })).data).toMatchObject({ charge: 450_000, refund: 0 });
    await modify(service, booking, { num_adults: 2 });
    expect(await account(booking)).toEqual([450_000, 450_000]);
  });
});

test('guests of a hotel keep its price, also on another date and for added guests', async () => {
  await allowHotels(service, 'pier-house');
  const { data: asked } = await service.recommend({ location: { hotel_id: 'pier-house' } });
  const wish = { booking_date: LATER, context_log_id: asked.context.log_id };
  const { data: booking } = await service.book(wish);
  expect(booking.pricing.total).toBe(204.86);
  const { data } = await modify(service, booking, { booking_date: '2026-11-26', num_adults: 3 });
  expect<object>(data.new_pricing).toEqual({
    unit_price: 120.5,
    total_guests: 3,
    subtotal: 361.5,
    discount: 54.21,
    total: 307.29,
    currency: 'THB',
  });
  const { data: grown } = await modify(service, booking, { num_adults: 4 });
  expect(grown.new_pricing).toMatchObject({ discount: 72.28, total: 409.72 });
  const { data: exclusive } = await service.book({ ...wish, activity_id: 'roof-terrace' });
  expect((await modify(service, exclusive, { booking_date: '2026-11-26' })).status).toBe(200);
});

const SEEDS = [20_261, 20_262, 20_263];

test.each(SEEDS)(
  'what any modifications charge and give back is what they come to by themselves: seed %i',
  async (seed) => {
    const ids = seededIds(seed);
    const below = (limit: number): number => ((ids.secret(1)[0] ?? 0) * limit) >> 8;
    const dates = [TODAY, TOMORROW, LATER, '2026-12-19', '2026-12-20', '2026-12-22'];
    const fareOn = (date: string): Fare => {
      const unitMinor = date >= '2026-12-20' ? 30_000 : 25_000;
      return { unitMinor, priceMinor: unitMinor };
    };
    const opensMs = (date: string): number => Date.parse(`${date}T02:00:00Z`);

    const { data: booking } = await service.book({ activity_id: 'paper-museum', booking_date: LATER, num_adults: 2 });
    let [date, adults, children, expected] = [LATER, 2, 0, [50_000]];
    let price = paid(priced(2, fareOn(LATER)));
    let modified = 0;
    for (let n = 0; n < 40; n++) {
      service.clock.advance(below(6) * HOUR_MS);
      const wish = {
        ...(below(3) === 0 ? { booking_date: dates[below(dates.length)] ?? LATER } : {}),
        ...(below(2) === 0 ? { num_adults: 1 + below(5) } : {}),
        ...(below(3) === 0 ? { num_children: below(4) } : {}),
        ...(below(4) === 0 ? { user_name: `Guest ${below(5)}` } : {}),
      };
      const nowMs = service.clock.nowMs();
      const quoted = await quote(service, booking, wish);
      const answer = await modify(service, booking, wish);
      if (answer.status !== 200) {
        expect(quoted.status === 200 ? quoted.data.available : quoted.refusal.code).toBe(
          answer.refusal.code === 'INVENTORY_EXHAUSTED' ? false : answer.refusal.code,
        );
        continue;
      }
      modified++;
      const before = date;
      const policy = { opensAtMs: opensMs(date), freeUntilHours: 24, percentKept: 50 };
      [date, adults, children] = [wish.booking_date ?? date, wish.num_adults ?? adults, wish.num_children ?? children];
      const change = { guests: adults + children, moves: date !== before, present: fareOn(date), charged: true };
      const after = changed(price, change, policy, nowMs);
      const settled = after.paidMinor - price.paidMinor;
      price = after;
      if (settled !== 0) expected = [...expected, settled];
      expect([quoted.data.charge, quoted.data.refund]).toEqual([
        Math.max(settled, 0) / 100,
        Math.max(-settled, 0) / 100,
      ]);
      expect<object>(answer.data.pricing).toEqual(pricingOf(price, 'THB'));
    }
    expect(modified).toBeGreaterThan(10);
    expect(await account(booking)).toEqual(expected);
    expect(service.clock.nowMs()).toBeGreaterThan(NOW);
  },
);
