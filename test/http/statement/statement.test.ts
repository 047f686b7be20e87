import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { command, wishedNow } from '../../support/booking-commands.ts';
import { openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import { type AnswerOf, faulty } from '../../support/service-answers.ts';

type Statement = AnswerOf<'get /api/keys/self/statement'>;

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

function statement(query = '', headers: Readonly<Record<string, string>> = {}) {
  return service.get<Statement>(`/api/keys/self/statement${query}`, { ...service.key, ...headers });
}

function cancel(booking: string): Promise<string> {
  const cancelling = { type: 'Cancel', reason: 'user_requested', ...wishedNow(service, `cancel ${booking}`) } as const;
  return command(service, booking, cancelling, 'key');
}

describe('a statement', () => {
  test('is empty for a key without bookings, by default for the current month', async () => {
    expect((await statement()).data).toEqual({ month: '2026-11', items: [], totals: [], next_cursor: null });
  });

  test('has a charge when a booking is confirmed, and a refund when it is cancelled', async () => {
    const booked = await service.book({ num_adults: 3 });
    const { booking_id: id } = booked.data;
    const charge = {
      at: '2026-11-21T03:00:00.000Z',
      type: 'charge',
      booking_id: id,
      amount: 361.5,
      currency: 'THB',
    } as const;
    const first = await statement('', { 'x-position': booked.headers.get('x-position') ?? '' });
    expect(first.data).toEqual({
      month: '2026-11',
      items: [charge],
      totals: [{ currency: 'THB', charged: 361.5, refunded: 0, balance: 361.5 }],
      next_cursor: null,
    });
    service.clock.advance(60_000);
    const position = await cancel(id);
    const refund = (await service.events()).find(({ type }) => type.startsWith('RefundRecorded'));
    const { amountMinor } = (refund?.data ?? { amountMinor: 0 }) as { readonly amountMinor: number };
    expect(amountMinor).toBeGreaterThan(0);
    const given = amountMinor / 100;
    expect((await statement('', { 'x-position': position })).data).toEqual({
      month: '2026-11',
      items: [
        charge,
        { at: '2026-11-21T03:01:00.000Z', type: 'refund', booking_id: id, amount: given, currency: 'THB' },
      ],
      totals: [{ currency: 'THB', charged: 361.5, refunded: given, balance: (36_150 - amountMinor) / 100 }],
      next_cursor: null,
    });
  });

  test('uses the UTC month, whatever the local date of the city', async () => {
    // 00:30 on 1 December in Bangkok.
    service.clock.set(Date.parse('2026-11-30T17:30:00Z'));
    await service.book({ booking_date: '2026-12-02', num_adults: 1 });
    service.clock.set(Date.parse('2026-12-01T00:00:00Z'));
    await service.book({ booking_date: '2026-12-02', num_adults: 2 });
    await service.documents('statements');
    const months = await Promise.all(
      ['', '?month=2026-12', '?month=2026-11', '?month=2027-01'].map((it) => statement(it)),
    );
    expect(months.map(({ data }) => [data.month, data.items.map(({ amount }) => amount), data.totals])).toEqual([
      ['2026-12', [241], [{ currency: 'THB', charged: 241, refunded: 0, balance: 241 }]],
      ['2026-12', [241], [{ currency: 'THB', charged: 241, refunded: 0, balance: 241 }]],
      ['2026-11', [120.5], [{ currency: 'THB', charged: 120.5, refunded: 0, balance: 120.5 }]],
      ['2027-01', [], []],
    ]);
  });

  test('has pages with the totals of the whole month; new items come last', async () => {
    for (const num_adults of [1, 2, 3]) await service.book({ num_adults, booking_date: TOMORROW });
    await service.documents('statements');
    const first = (await statement('?limit=2')).data;
    expect(first.items.map(({ amount }) => amount)).toEqual([120.5, 241]);
    expect(first.totals).toEqual([{ currency: 'THB', charged: 723, refunded: 0, balance: 723 }]);
    await service.book({ num_adults: 1, booking_date: TODAY });
    await service.documents('statements');
    const second = (await statement(`?limit=2&cursor=${first.next_cursor}`)).data;
    expect(second.items.map(({ amount }) => amount)).toEqual([361.5, 120.5]);
    expect(second.totals).toEqual([{ currency: 'THB', charged: 843.5, refunded: 0, balance: 843.5 }]);
    expect(second.next_cursor).toBeNull();
  });

  test('has no items of other keys, and does not change with a restart or a rebuild', async () => {
    await service.book();
    const other = withKey((await service.createKey()).key);
    await service.book({ num_adults: 1 }, other);
    await service.documents('statements');
    const [own, others] = [(await statement()).data, (await statement('', other)).data];
    expect([own.items.length, others.items.length]).toEqual([1, 1]);
    expect(own.items[0]?.booking_id).not.toBe(others.items[0]?.booking_id);
    await service.restart();
    expect(await service.rebuild('statements')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect((await statement()).data).toEqual(own);
  });

  test('needs the permission to book', async () => {
    const { key } = await service.createKey({ permissions: ['recommend'] });
    const { refusal } = await service.get('/api/keys/self/statement', withKey(key));
    expect([refusal.status, refusal.code]).toEqual([403, 'ENDPOINT_NOT_ALLOWED']);
  });

  test.each(['2026-13', '2026-00', '2026-1', '26-11', '2026-11-21', 'now', ''])(
    'is of no month "%s"',
    async (month) => {
      const sentence = `month must be a calendar month as YYYY-MM (UTC); it was ${JSON.stringify(month)}.`;
      expect((await statement(`?month=${month}`)).refusal).toEqual(faulty('INVALID_DATE', sentence));
    },
  );

  test.each(['limit=0', 'limit=101', 'limit=some', 'cursor=none'])('has no page with %s', async (query) => {
    const { refusal } = await statement(`?${query}`);
    expect([refusal.status, refusal.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});
