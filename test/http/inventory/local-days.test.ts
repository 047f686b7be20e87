import { describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { modify } from '../../support/modifications.ts';
import { openService, type Service, withDevice } from '../../support/service.ts';
import type { AnswerOf, Booking } from '../../support/service-answers.ts';
import { entry, writeCatalogueFile } from '../../support/service-catalogue.ts';

const [FRIDAY, SATURDAY] = ['2026-11-20', '2026-11-21'] as const;
const SATURDAY_IN_A_YEAR = '2027-11-21';

/** One city per country and time zone. `midnight` is the instant between its Friday and its Saturday. */
const CITIES = [
  { city: 'Bangkok', word: 'bkk', midnight: '2026-11-20T17:00:00Z', lat: 13.75, lon: 100.5, price: 400 },
  { city: 'Hanoi', word: 'han', midnight: '2026-11-20T17:00:00Z', lat: 21.03, lon: 105.83, price: 300_000 },
  { city: 'Jakarta', word: 'jkt', midnight: '2026-11-20T17:00:00Z', lat: -6.2, lon: 106.84, price: 200_000 },
  { city: 'Bali', word: 'dps', midnight: '2026-11-20T16:00:00Z', lat: -8.67, lon: 115.21, price: 200_000 },
  { city: 'Kuala Lumpur', word: 'kul', midnight: '2026-11-20T16:00:00Z', lat: 3.14, lon: 101.69, price: 50 },
  { city: 'Singapore', word: 'sin', midnight: '2026-11-20T16:00:00Z', lat: 1.35, lon: 103.82, price: 20 },
] as const;

/** The same activities everywhere: a daytime walk, an evening show, a Friday night market, a climb at dawn. */
function writeCities(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const { city, word, lat, lon, price } of CITIES) {
    const venue = `${word}-square`;
    const at = { venue, capacity: 40, price };
    const [late, night, dawn] = [
      { open: '20:00', last_entry: '23:30', close: '23:45' },
      { open: '18:00', last_entry: '00:30', close: '02:00' },
      { open: '00:30', last_entry: '03:00', close: '07:00' },
    ];
    const untilMidnight = { free_until_hours: 9, percent_kept: 50 };
    const untilOpening = { free_until_hours: 0, percent_kept: 50 };
    writeCatalogueFile(directory, {
      city,
      venues: [{ id: venue, name: `${city} Square`, address: `1 Square Road, ${city}`, lat, lon }],
      hotels: [],
      activities: [
        entry({ ...at, id: `${word}-walk`, name: 'Walk', cancellation: untilMidnight }),
        entry({ ...at, id: `${word}-show`, name: 'Show', hours: late }),
        entry({ ...at, id: `${word}-market`, name: 'Market', hours: night, only: 'fri' }),
        entry({ ...at, id: `${word}-climb`, name: 'Climb', hours: dawn, cancellation: untilOpening }),
      ],
    });
  }
}

describe.each(CITIES.map((it) => [it.city, it] as const))('in %s', (city, { word, midnight, price }) => {
  const midnightMs = Date.parse(midnight);
  const utc = (hoursAfterMidnight: number): string => new Date(midnightMs + hoursAfterMidnight * HOUR_MS).toISOString();
  const opened = (hoursAfterMidnight: number): Promise<Service> =>
    openService({ startMs: midnightMs + hoursAfterMidnight * HOUR_MS, catalogue: writeCities });
  /** The default date of a query, and the activities still listed for it. */
  const today = async (service: Service) => {
    const { metadata, inventory } = (await service.inventory(`city=${city}`)).data;
    return [metadata.query_date, ...inventory.map((item) => item.activity_id.slice(word.length + 1))];
  };
  const wish = (name: string, booking_date: string) => ({ activity_id: `${word}-${name}`, booking_date });
  const booked = async (service: Service, name: string, date: string): Promise<Booking> =>
    (await service.book(wish(name, date))).data;

  test('today, at 23:30 and at 00:30, is the local date', async () => {
    await using service = await opened(-0.5);
    service.clock.advance(-1);
    expect(await today(service)).toEqual([FRIDAY, 'market', 'show']);
    service.clock.advance(1);
    expect(await today(service)).toEqual([FRIDAY, 'market']);
    service.clock.set(midnightMs - 1);
    expect(await today(service)).toEqual([FRIDAY, 'market']);
    service.clock.set(midnightMs);
    expect(await today(service)).toEqual([SATURDAY, 'climb', 'show', 'walk']);
    service.clock.set(midnightMs + HOUR_MS / 2);
    // The market is still open, but belongs to Friday: on Saturday it is closed.
    expect(await today(service)).toEqual([SATURDAY, 'climb', 'show', 'walk']);
  });

  test.each([
    [-0.5, '2026-11-19', FRIDAY, '2027-11-20', SATURDAY_IN_A_YEAR],
    [0.5, FRIDAY, SATURDAY, SATURDAY_IN_A_YEAR, '2027-11-22'],
  ])('%d h from midnight %s is past, and %s to %s can be booked', async (hours, past, first, last, tooFar) => {
    await using service = await opened(hours);
    const range = `send a date from ${first} (today in ${city}) to ${last}.`;
    for (const [date, why] of [
      [past, 'in the past'],
      [tooFar, 'too far ahead'],
    ]) {
      const found = (await service.inventory(`city=${city}&date=${date}`)).refusal;
      expect([found.code, found.error]).toEqual(['INVALID_DATE', `date ${date} is ${why}; ${range}`]);
      const sold = (await service.book(wish('climb', date ?? ''))).refusal;
      expect([sold.code, sold.error]).toEqual(['INVALID_DATE', `booking_date ${date} is ${why}; ${range}`]);
    }
    for (const date of [first, last]) {
      expect((await service.inventory(`city=${city}&date=${date}`)).data.metadata.query_date).toBe(date);
    }
    const kept = await booked(service, 'climb', last);
    expect((await modify(service, kept, { booking_date: past })).refusal.code).toBe('INVALID_DATE');
    expect((await modify(service, kept, { booking_date: tooFar })).refusal.code).toBe('INVALID_DATE');
  });

  test('a Friday night is sold until midnight, and its vouchers are valid until 02:00', async () => {
    await using service = await opened(-0.5);
    const [early, late, next] = [
      await booked(service, 'market', FRIDAY),
      await booked(service, 'market', FRIDAY),
      await booked(service, 'climb', SATURDAY),
    ];
    expect([early, late, next].map(({ voucher }) => voucher.valid_until)).toEqual([utc(2), utc(2), utc(7)]);
    const gate = withDevice((await service.createDevice(`${word}-square`)).device_key);
    const scan = async ({ voucher: { code } }: Booking) => {
      const answer = await service.verify({ code }, gate);
      return answer.status === 200 ? answer.data.verified_at : answer.refusal.code;
    };
    service.clock.set(midnightMs - 1);
    expect(await scan(next)).toBe('VOUCHER_NOT_VALID_TODAY');
    service.clock.set(midnightMs);
    expect((await service.book(wish('market', FRIDAY))).refusal.code).toBe('INVALID_DATE');
    service.clock.set(midnightMs + HOUR_MS / 2);
    expect(await scan(next)).toBe(utc(0.5));
    expect(await scan(early)).toBe(utc(0.5));
    service.clock.set(midnightMs + 2 * HOUR_MS);
    expect(await scan(late)).toBe('VOUCHER_EXPIRED');
  });

  test('a voucher of an evening that ends before midnight expires with it, and is not valid on the next day', async () => {
    await using service = await opened(-1);
    const show = await booked(service, 'show', FRIDAY);
    expect(show.voucher.valid_until).toBe(utc(-0.25));
    const gate = withDevice((await service.createDevice(`${word}-square`)).device_key);
    for (const hours of [-0.25, 0.5]) {
      service.clock.set(midnightMs + hours * HOUR_MS);
      expect((await service.verify({ code: show.voucher.code }, gate)).refusal.code).toBe('VOUCHER_EXPIRED');
    }
  });

  test('cancelling is free until the instant of the policy, at midnight and half an hour later', async () => {
    await using service = await opened(-0.5);
    const refundOf = async ({ booking_id }: Booking) => {
      const path = `/api/b2a/bookings/${booking_id}/cancel`;
      return (
        await service.post<AnswerOf<'post /api/b2a/bookings/:booking_id/cancel'>>(path, { dry_run: true }, service.key)
      ).data.refund_amount;
    };
    const walk = await booked(service, 'walk', SATURDAY);
    const climb = await booked(service, 'climb', SATURDAY);
    const refunds: unknown[] = [];
    for (const [hours, ms] of [
      [-0.5, 0],
      [0, -1],
      [0, 0],
      [0.5, -1],
      [0.5, 0],
    ] as const) {
      service.clock.set(midnightMs + hours * HOUR_MS + ms);
      refunds.push([await refundOf(walk), await refundOf(climb)]);
    }
    const [all, half] = [2 * price, price];
    expect(refunds).toEqual([
      [all, all],
      [all, all],
      [half, all],
      [half, all],
      [half, half],
    ]);
  });

  test("recommended dates are the city's local dates from today on", async () => {
    await using service = await opened(-0.5);
    const datesOf = async () => {
      const { data } = await service.recommend({ location: { city } });
      return Object.fromEntries(
        data.recommendations.map(({ id, available_date }) => [id.slice(word.length + 1), available_date]),
      );
    };
    expect(await datesOf()).toEqual({ walk: SATURDAY, show: SATURDAY, climb: SATURDAY, market: FRIDAY });
    service.clock.set(midnightMs + HOUR_MS / 2);
    expect(await datesOf()).toEqual({ walk: SATURDAY, show: SATURDAY, climb: SATURDAY, market: '2026-11-27' });
  });
});
