import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { eventsOf, freeOn, modify, quote } from '../../support/modifications.ts';
import { NOW, openService, type Service, TOMORROW } from '../../support/service.ts';

const LATER = '2026-11-25';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

async function written(): Promise<number> {
  return (await service.events()).length;
}

describe('a modification', () => {
  test('of all fields returns the changed booking and the changes', async () => {
    const { data: before } = await service.book({ booking_date: LATER, special_requests: 'A window, please.' });
    service.clock.advance(60_000);
    const answer = await modify(service, before, {
      booking_date: '2026-11-26',
      num_adults: 3,
      num_children: 2,
      user_name: 'Augusta King',
      user_email: 'augusta@example.org',
      special_requests: null,
    });
    const pricing = { unit_price: 120.5, total_guests: 5, subtotal: 602.5, discount: 0, total: 602.5, currency: 'THB' };
    const booking = {
      ...before,
      voucher: { ...before.voucher, valid_until: '2026-11-26T11:00:00.000Z' },
      pricing,
      booking_date: '2026-11-26',
      num_adults: 3,
      num_children: 2,
      user_name: 'Augusta King',
      user_email: 'augusta@example.org',
      special_requests: null,
    };
    expect<object>(answer.data).toEqual({
      ...booking,
      changes: {
        user_email: { from: 'ada@example.com', to: 'augusta@example.org' },
        user_name: { from: 'Ada Lovelace', to: 'Augusta King' },
        booking_date: { from: LATER, to: '2026-11-26' },
        num_adults: { from: 2, to: 3 },
        num_children: { from: 0, to: 2 },
        special_requests: { from: 'A window, please.', to: null },
      },
      new_pricing: pricing,
    });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(Object.keys(answer.data.changes)).toEqual([
      'user_email',
      'user_name',
      'booking_date',
      'num_adults',
      'num_children',
      'special_requests',
    ]);
    for (const restarted of [false, true]) {
      if (restarted) await service.restart();
      const now = await service.booking(before.booking_id);
      expect<object>(now.data).toEqual(booking);
      expect(now.headers.get('etag')).toBe('"2"');
    }
    const [modified] = (await eventsOf(service, before)).filter(({ type }) => type === 'BookingModified.v4');
    expect(modified?.data).toMatchObject({
      by: 'user',
      changes: { guest: ['email', 'name', 'specialRequests'] },
      at: new Date(NOW + 60_000).toISOString(),
    });
    expect(JSON.stringify(await eventsOf(service, before))).not.toMatch(/augusta|window/i);
  });

  test.each([
    [{ booking_date: TOMORROW }, { booking_date: { from: LATER, to: TOMORROW } }],
    [{ num_adults: 4 }, { num_adults: { from: 2, to: 4 } }],
    [{ num_adults: 1 }, { num_adults: { from: 2, to: 1 } }],
    [{ num_children: 1 }, { num_children: { from: 0, to: 1 } }],
    [
      { num_adults: 1, num_children: 1 },
      { num_adults: { from: 2, to: 1 }, num_children: { from: 0, to: 1 } },
    ],
    [{ user_name: 'Augusta King' }, { user_name: { from: 'Ada Lovelace', to: 'Augusta King' } }],
    [{ user_email: 'a@example.org' }, { user_email: { from: 'ada@example.com', to: 'a@example.org' } }],
    [{ special_requests: 'Shade' }, { special_requests: { from: null, to: 'Shade' } }],
  ])('of %j leaves the rest unchanged', async (change, changes) => {
    const { data: before } = await service.book({ booking_date: LATER });
    const { data } = await modify(service, before, change);
    expect<object>(data.changes).toEqual(changes);
    expect<object>({ ...data, voucher: null, pricing: null, new_pricing: null, changes: null }).toEqual({
      ...before,
      ...change,
      voucher: null,
      pricing: null,
      new_pricing: null,
      changes: null,
    });
    expect(data.voucher.code).toBe(before.voucher.code);
    expect(data.new_pricing).toEqual(data.pricing);
    expect((await service.booking(before.booking_id)).headers.get('etag')).toBe('"2"');
  });

  test('releases old slots, takes new ones, and inventory shows both at once', async () => {
    const { data: booking } = await service.book({ booking_date: LATER, num_adults: 4 });
    const free = async (change: object) => {
      const answer = await modify(service, booking, change);
      return [
        await freeOn(service, 'river-walk', LATER, answer),
        await freeOn(service, 'river-walk', TOMORROW, answer),
      ];
    };
    expect(await free({ num_adults: 1 })).toEqual([9, 10]);
    expect(await free({ num_adults: 10 })).toEqual([0, 10]);
    expect(await free({ num_adults: 3, num_children: 2 })).toEqual([5, 10]);
    expect(await free({ booking_date: TOMORROW })).toEqual([10, 5]);
    expect(await free({ booking_date: LATER, num_adults: 6 })).toEqual([2, 10]);
    expect(await free({ user_name: 'Augusta King' })).toEqual([2, 10]);
    await service.restart();
    expect(await freeOn(service, 'river-walk', LATER)).toBe(2);
    // All released slots can be booked again.
    expect((await service.book({ booking_date: LATER, num_adults: 2 })).status).toBe(200);
    expect((await service.book({ booking_date: TOMORROW, num_adults: 10 })).status).toBe(200);
  });

  test.each([
    {},
    { num_adults: null, booking_date: null, user_name: null, special_requests: null },
    { booking_date: LATER, num_adults: 2, num_children: 0, user_name: 'Ada Lovelace', user_email: 'ada@example.com' },
  ])('without differences writes nothing: %j', async (body) => {
    const { data: before, headers } = await service.book({ booking_date: LATER });
    const known = await written();
    for (const key of [{}, { 'idempotency-key': 'nothing' }]) {
      const answer = await modify(service, before, body, key);
      expect<object>(answer.data).toEqual({ ...before, changes: {}, new_pricing: before.pricing });
      expect(answer.headers.get('etag')).toBe(headers.get('etag'));
      expect(answer.headers.get('x-position')).toBeNull();
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
    }
    expect(await written()).toBe(known);
  });

  test('without a body changes nothing', async () => {
    const { data: before } = await service.book({ booking_date: LATER });
    const path = `/api/b2a/bookings/${before.booking_id}/modify`;
    const answer = await service.send(path, { method: 'POST', headers: service.key });
    expect(await answer.json()).toMatchObject({ success: true, data: { changes: {} } });
  });

  test('removes special requests by null, and by nothing else', async () => {
    const { data: booking } = await service.book({ booking_date: LATER, special_requests: 'Shade' });
    expect((await modify(service, booking, { num_adults: 1 })).data).toMatchObject({ special_requests: 'Shade' });
    expect((await modify(service, booking, { special_requests: null })).data.changes).toEqual({
      special_requests: { from: 'Shade', to: null },
    });
    expect((await modify(service, booking, { special_requests: null })).data.changes).toEqual({});
  });

  test('can be followed by others, back and forth', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    for (const [n, date] of [TOMORROW, LATER, TOMORROW, LATER].entries()) {
      const answer = await modify(service, booking, { booking_date: date });
      expect([answer.data.booking_date, answer.headers.get('etag')]).toEqual([date, `"${n + 2}"`]);
      const other = date === LATER ? TOMORROW : LATER;
      expect(await freeOn(service, 'river-walk', date, answer)).toBe(8);
      expect(await freeOn(service, 'river-walk', other, answer)).toBe(10);
    }
  });
});

describe('a quote', () => {
  test.each([
    [{ num_adults: 3 }, 120.5, 0],
    [{ num_adults: 1 }, 0, 120.5],
    [{ booking_date: '2026-11-26', num_adults: 5 }, 361.5, 0],
    [{ user_name: 'Augusta King', special_requests: 'Shade' }, 0, 0],
    [{}, 0, 0],
  ])('of %j predicts the modification, and writes nothing', async (change, charge, refund) => {
    const { data: booking } = await service.book({ booking_date: LATER });
    const known = await written();
    const quoted = await quote(service, booking, change, { 'idempotency-key': 'wish' });
    expect(quoted.headers.get('etag')).toBe('"1"');
    expect(await written()).toBe(known);
    const { data: modified } = await modify(service, booking, change, { 'idempotency-key': 'wish', 'if-match': '"1"' });
    expect<object>(quoted.data).toEqual({
      dry_run: true,
      booking_id: booking.booking_id,
      changes: modified.changes,
      new_pricing: modified.new_pricing,
      charge,
      refund,
      available: true,
    });
    const money = (await eventsOf(service, booking)).slice(3).filter(({ type }) => /^(Charge|Refund)/.test(type));
    expect(money.map(({ type, data }) => [type, (data as { amountMinor: number }).amountMinor])).toEqual([
      ...(charge === 0 ? [] : [['ChargeRecorded.v2', charge * 100]]),
      ...(refund === 0 ? [] : [['RefundRecorded.v1', refund * 100]]),
    ] as [string, number][]);
  });

  test('has the availability, and the price even without free slots', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    await service.book({ booking_date: LATER, num_adults: 7 });
    const available = async (change: object) => {
      const { data } = await quote(service, booking, change);
      return [data.available, data.charge];
    };
    expect(await available({ num_adults: 3 })).toEqual([true, 120.5]);
    expect(await available({ num_adults: 4 })).toEqual([false, 241]);
    expect(await available({ num_adults: 10, booking_date: TOMORROW })).toEqual([true, 964]);
    expect(await available({ num_adults: 11, booking_date: TOMORROW })).toEqual([false, 1084.5]);
    expect((await modify(service, booking, { num_adults: 4 })).refusal.code).toBe('INVENTORY_EXHAUSTED');
  });

  test('is refused as the modification would be', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    const refusals = async (change: object, headers = {}) => {
      const both = [await quote(service, booking, change, headers), await modify(service, booking, change, headers)];
      expect(both[0]?.refusal).toEqual(both[1]?.refusal as object as never);
      return both[0]?.refusal.code;
    };
    expect(await refusals({ num_adults: 0 })).toBe('INVALID_REQUEST');
    expect(await refusals({ booking_date: '2026-11-20' })).toBe('INVALID_DATE');
    expect(await refusals({ num_adults: 3 }, { 'if-match': '"7"' })).toBe('REVISION_CONFLICT');
    service.clock.set(Date.parse('2026-11-25T11:00:00Z'));
    expect(await refusals({ num_adults: 1 })).toBe('BOOKING_NOT_MODIFIABLE');
  });
});

test('the fields of a modification are those of a booking, by the same rules', async () => {
  const { data: booking } = await service.book({ booking_date: LATER });
  const code = async (body: object) => (await modify(service, booking, body)).refusal.code;
  expect(await code({ user_email: 'nobody' })).toBe('INVALID_EMAIL');
  expect(await code({ user_name: '' })).toBe('INVALID_REQUEST');
  expect(await code({ user_name: 'Ada\nBcc: all' })).toBe('INVALID_REQUEST');
  expect(await code({ booking_date: '2026-02-30' })).toBe('INVALID_DATE');
  expect(await code({ num_adults: 21 })).toBe('BOOKING_LIMIT_EXCEEDED');
  expect(await code({ num_adults: 1.5 })).toBe('INVALID_REQUEST');
  expect(await code({ num_children: -1 })).toBe('INVALID_REQUEST');
  expect(await code({ special_requests: 7 })).toBe('INVALID_REQUEST');
  expect(await code({ special_requests: 'x'.repeat(1_001) })).toBe('INVALID_REQUEST');
  expect(await code({ dry_run: 'yes' })).toBe('INVALID_REQUEST');
  expect((await service.booking(booking.booking_id)).data).toEqual(booking);
});
