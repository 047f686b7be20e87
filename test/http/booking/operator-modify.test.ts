import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { deliveryEvents } from '../../support/deliveries.ts';
import { headOf } from '../../support/log-of-service.ts';
import { eventsOf, freeOn, modify } from '../../support/modifications.ts';
import { createOperator } from '../../support/operators.ts';
import { openReceiver } from '../../support/receiver.ts';
import { type Credentials, openService, type Service, TODAY, withKey } from '../../support/service.ts';
import type { Answer, AnswerOf, Booking } from '../../support/service-answers.ts';

type Asked = AnswerOf<'post /api/bookings/:booking_id/modify'>;
type Quoted = Extract<Asked, { readonly dry_run: true }>;
type Modified = Exclude<Asked, Quoted>;

const LATER = '2026-11-25';

let service: Service;
let support: Awaited<ReturnType<typeof createOperator>>;
beforeEach(async () => {
  service = await openService();
  support = await createOperator(service, 'support');
});
afterEach(() => service.stop());

function operate<T = Modified>(
  { booking_id: id }: Booking,
  body: object,
  headers: Credentials = {},
): Promise<Answer<T>> {
  return service.post(`/api/bookings/${id}/modify`, body, { ...support.headers, ...headers });
}

describe('a modification by an operator', () => {
  test('has the answer, price and events of one by the agent, and names the operator', async () => {
    const [{ data: mine }, { data: theirs }] = [
      await service.book({ booking_date: LATER }),
      await service.book({ booking_date: LATER }),
    ];
    const change = { num_adults: 3, booking_date: '2026-11-26', user_name: 'Augusta King' };
    const { data: byAgent } = await modify(service, mine, change);
    const { data, headers } = await operate(theirs, change);
    expect([data.changes, data.new_pricing, data.pricing]).toEqual([
      byAgent.changes,
      byAgent.new_pricing,
      byAgent.pricing,
    ]);
    expect([data.user_name, data.num_adults, data.booking_date]).toEqual(['Augusta King', 3, '2026-11-26']);
    expect([data.modified_by, headers.get('etag'), headers.get('x-position')]).toEqual([
      support.id,
      '"2"',
      expect.any(String),
    ]);
    const typesOf = async (booking: Booking) => (await eventsOf(service, booking)).map(({ type }) => type);
    expect(await typesOf(theirs)).toEqual(await typesOf(mine));
    const [event] = (await eventsOf(service, theirs)).filter(({ type }) => type.startsWith('BookingModified.'));
    expect([event?.data, event?.cause.by]).toEqual([expect.objectContaining({ by: 'operator' }), support.id]);
    expect(await freeOn(service, 'river-walk', '2026-11-26')).toBe((await freeOn(service, 'river-walk', LATER)) - 6);
    await service.restart();
    const after = await service.get<Modified>(`/api/bookings/${theirs.booking_id}`, support.headers);
    expect([after.data.num_adults, after.data.modified_by]).toEqual([3, support.id]);
  });

  test('is announced with modified_by operator, without the operator’s id', async () => {
    await using receiver = openReceiver();
    const headers = withKey((await service.createKey({ webhook_url: receiver.url })).key);
    const { data } = await service.book({ booking_date: LATER }, headers);
    await operate(data, { num_adults: 3 });
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    const bodies = receiver.received.map(({ body }) => body);
    const [announced = ''] = bodies.filter((body) => body.includes('"booking_modified"'));
    expect(JSON.parse(announced)).toMatchObject({ data: { modified_by: 'operator', new_pricing: { total: 361.5 } } });
    expect(bodies.join()).not.toContain(support.id);
  });

  test('can be quoted first, and the quote writes nothing but its audit', async () => {
    const { data } = await service.book({ booking_date: LATER });
    const before = await eventsOf(service, data);
    const quoted = await operate<Quoted>(data, { num_adults: 4, dry_run: true });
    expect(quoted.data).toMatchObject({ dry_run: true, charge: 241, refund: 0, available: true });
    expect(await eventsOf(service, data)).toEqual(before);
    const made = await operate(data, { num_adults: 4, expected_total: quoted.data.new_pricing.total });
    expect(made.data.new_pricing).toEqual(quoted.data.new_pricing);
  });

  test('follows the rules of the agent’s', async () => {
    const { data } = await service.book({ booking_date: TODAY });
    expect((await operate(data, { expected_total: 1, num_adults: 3 })).refusal.code).toBe('PRICE_CHANGED');
    expect((await operate(data, { num_adults: 3 }, { 'if-match': '"7"' })).refusal.code).toBe('REVISION_CONFLICT');
    expect((await operate(data, { colour: 'red' })).refusal.code).toBe('INVALID_REQUEST');
    await service.verify({ code: data.voucher.code });
    const { code, details } = (await operate(data, { num_adults: 1 })).refusal;
    expect([code, details]).toEqual(['BOOKING_NOT_MODIFIABLE', 'status: completed']);
    const unknown = { ...data, booking_id: 'bk_00000000000000000000' };
    expect((await operate(unknown, { num_adults: 1 })).refusal.code).toBe('BOOKING_NOT_FOUND');
  });

  test('with an Idempotency-Key changes the booking once, also after a restart', async () => {
    const { data } = await service.book({ booking_date: LATER });
    const key = { 'idempotency-key': 'desk-1' };
    const first = await operate(data, { num_adults: 3 }, key);
    const head = async () => (await eventsOf(service, data)).length;
    const written = await head();
    for (const restarted of [false, true]) {
      if (restarted) await service.restart();
      const again = await operate(data, { num_adults: 3 }, key);
      expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([first.data, 'true']);
    }
    expect((await operate(data, { num_adults: 4 }, key)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await head()).toBe(written);
    // The key of an agent is another command.
    expect((await modify(service, data, { num_adults: 4 }, key)).data.num_adults).toBe(4);
  });

  test('is for admins and support', async () => {
    const { data } = await service.book({ booking_date: LATER });
    const viewer = await createOperator(service, 'viewer');
    const position = await headOf(service);
    for (const headers of [viewer.headers, service.analyst])
      expect((await operate(data, { num_adults: 3 }, headers)).refusal.code).toBe('FORBIDDEN');
    expect(await headOf(service)).toBe(position);
    expect((await operate(data, { num_adults: 3 }, service.admin)).data.modified_by).toBe('admin');
  });
});
