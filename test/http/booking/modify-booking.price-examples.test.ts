import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { modify, quote } from '../../support/modifications.ts';
import { openService, type Service, TOMORROW } from '../../support/service.ts';
import type { Answer, AnswerOf, Booking } from '../../support/service-answers.ts';

type Cancelled = AnswerOf<'post /api/b2a/bookings/:booking_id/cancel'>;

/** The policy is free until 24 hours before opening, then keeps half. That is over for tomorrow. */
const LATE = TOMORROW;
const FREE = '2026-11-25';
const FAR = '2026-12-10';
const OTHER = '2026-12-20';
const LATE_FOR_FAR = Date.parse('2026-12-09T12:00:00Z');

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

/** An operator's price of the river walk. */
async function setPrice(date: string, price: number, activity = 'river-walk'): Promise<void> {
  expect((await service.put(`/api/activities/${activity}/allotments/${date}`, { price }, service.admin)).status).toBe(
    200,
  );
}

function cancel(id: string, body: object = {}, headers = service.key): Promise<Answer<Cancelled>> {
  return service.post(`/api/b2a/bookings/${id}/cancel`, body, headers);
}

type Change = {
  readonly body: object;
  /** The present price of the date after the change. */
  readonly price?: number;
  readonly atMs?: number;
  readonly charge?: number;
  readonly refund?: number;
};
type Example = readonly [
  name: string,
  booked: string,
  changes: readonly Change[],
  then: {
    readonly total: number;
    readonly retained?: number;
    readonly lines?: readonly (readonly number[])[];
    readonly cancel: number;
  },
];

/** The table of examples in docs/api.md: 3 guests at 100, the policy keeps half from 24 hours before opening on. */
const EXAMPLES: readonly Example[] = [
  [
    'free, a guest is added at 120',
    FREE,
    [{ body: { num_adults: 4 }, price: 120, charge: 120 }],
    {
      total: 420,
      lines: [
        [3, 100],
        [1, 120],
      ],
      cancel: 420,
    },
  ],
  [
    'free, a guest is added at 120, then two leave',
    FREE,
    [
      { body: { num_adults: 4 }, price: 120, charge: 120 },
      { body: { num_adults: 2 }, refund: 220 },
    ],
    { total: 200, cancel: 200 },
  ],
  ['late, a guest leaves', LATE, [{ body: { num_adults: 2 }, refund: 50 }], { total: 200, retained: 150, cancel: 100 }],
  [
    'late, a guest is added at 120',
    LATE,
    [{ body: { num_adults: 4 }, price: 120, charge: 120 }],
    {
      total: 420,
      retained: 150,
      lines: [
        [3, 100],
        [1, 120],
      ],
      cancel: 210,
    },
  ],
  [
    'late, moved to a date at 100',
    LATE,
    [{ body: { booking_date: FAR }, price: 100 }],
    { total: 300, retained: 150, cancel: 150 },
  ],
  [
    'late, moved to a date at 150',
    LATE,
    [{ body: { booking_date: FAR }, price: 150, charge: 150 }],
    { total: 450, retained: 150, cancel: 300 },
  ],
  [
    'late, moved to a date at 60',
    LATE,
    [{ body: { booking_date: FAR }, price: 60, refund: 60 }],
    { total: 180, retained: 150, cancel: 90 },
  ],
  [
    'late, moved to a date at 100, free there, a guest leaves',
    LATE,
    [
      { body: { booking_date: FAR }, price: 100 },
      { body: { num_adults: 2 }, refund: 100 },
    ],
    { total: 200, retained: 150, cancel: 50 },
  ],
  [
    'late, moved to a date at 100, free there, moved to a date at 40',
    LATE,
    [
      { body: { booking_date: FAR }, price: 100 },
      { body: { booking_date: OTHER }, price: 40, refund: 150 },
    ],
    { total: 120, retained: 150, cancel: 0 },
  ],
  [
    'late, moved to a date at 100, late there too, moved to a date at 100',
    LATE,
    [
      { body: { booking_date: FAR }, price: 100 },
      { body: { booking_date: OTHER }, price: 100, atMs: LATE_FOR_FAR },
    ],
    { total: 300, retained: 150, cancel: 150 },
  ],
  [
    'late, moved to a date at 150, late there too, moved to a date at 150',
    LATE,
    [
      { body: { booking_date: FAR }, price: 150, charge: 150 },
      { body: { booking_date: OTHER }, price: 150, atMs: LATE_FOR_FAR },
    ],
    { total: 450, retained: 225, cancel: 225 },
  ],
];

describe('the examples of the guide', () => {
  test.each(EXAMPLES)('%s', async (_, booked, changes, then) => {
    await setPrice(booked, 100);
    const { data: booking } = await service.book({ booking_date: booked, num_adults: 3 });
    let date = booked;
    let pricing: object = booking.pricing;
    for (const { body, price, atMs, charge = 0, refund = 0 } of changes) {
      if (atMs !== undefined) service.clock.set(atMs);
      if ('booking_date' in body) date = String(body.booking_date);
      if (price !== undefined) await setPrice(date, price);
      const { data: quoted } = await quote(service, booking, body);
      expect([quoted.charge, quoted.refund]).toEqual([charge, refund]);
      const { data } = await modify(service, booking, body);
      pricing = data.pricing;
      expect<object[]>([data.new_pricing, quoted.new_pricing]).toEqual([pricing, pricing]);
    }
    const { total, retained, lines, cancel: refunded } = then;
    const shown = lines?.map(([guests = 0, price = 0]) => ({ guests, unit_price: price, price }));
    const { total: found, ...more } = pricing as Booking['pricing'];
    expect([found, more.retained, more.lines]).toEqual([total, retained, shown]);
    expect((await cancel(booking.booking_id, { dry_run: true })).data.refund_amount).toBe(refunded);
    expect((await cancel(booking.booking_id)).data.refund_amount).toBe(refunded);
    expect<object>((await service.booking(booking.booking_id)).data.pricing).toEqual(pricing);
  });
});
