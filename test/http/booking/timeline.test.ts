import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { deliveryEvents } from '../../support/deliveries.ts';
import { headOf } from '../../support/log-of-service.ts';
import { modify } from '../../support/modifications.ts';
import { createOperator } from '../../support/operators.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { type Credentials, openService, type Service, TODAY, withKey } from '../../support/service.ts';
import type { Answer, AnswerOf, Booking } from '../../support/service-answers.ts';

type Timeline = AnswerOf<'get /api/bookings/:booking_id/timeline'>;

let service: Service;
let receiver: Receiver;
let agent: Credentials;
beforeEach(async () => {
  receiver = openReceiver();
  service = await openService({ mails: 'sent' });
  agent = withKey((await service.createKey({ webhook_url: `${receiver.url}/hooks?token=secret` })).key);
});
afterEach(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

async function timeline({ booking_id: id }: Booking, headers = service.admin): Promise<Answer<Timeline>> {
  return service.get(`/api/bookings/${id}/timeline`, { ...headers, 'x-position': await headOf(service) });
}

async function sentences(booking: Booking): Promise<readonly string[]> {
  return (await timeline(booking)).data.items.map(({ text }) => text);
}

describe('the timeline of a booking', () => {
  test('has payment, voucher, mail, webhooks, changes with their price and the visit, each with its time and reference', async () => {
    const support = await createOperator(service, 'support');
    const { data } = await service.book({ booking_date: TODAY }, agent);
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    service.clock.advance(60_000);
    const modified = await service.post(`/api/bookings/${data.booking_id}/modify`, { num_adults: 3 }, support.headers);
    expect(modified.status).toBe(200);
    await deliveryEvents(service, 'DeliverySucceeded', 4);
    service.clock.advance(60_000);
    await service.verify({ code: data.voucher.code, gate: 'north' });
    await deliveryEvents(service, 'DeliverySucceeded', 5);
    const { data: read, headers } = await timeline(data);
    expect([read.booking_id, headers.get('etag')]).toEqual([data.booking_id, '"3"']);
    const told = read.items.map(({ at, event, by, operator, text }) => [at.slice(14, 19), event, operator ?? by, text]);
    const { valid_until: until } = data.voucher;
    const webhook = (at: string, name: string) => [
      at,
      'webhook',
      'system',
      `The webhook ${name} to ${receiver.url} was accepted at the first attempt with HTTP 200.`,
    ];
    expect(told).toEqual([
      ['00:00', 'confirmed', 'user', `The booking is confirmed for ${TODAY}, 2 guests.`],
      ['00:00', 'charged', 'user', '241 THB were charged.'],
      ['00:00', 'voucher_issued', 'user', `The voucher was issued, valid until ${until}.`],
      ['00:00', 'voucher_mailed', 'system', 'The voucher was mailed to the guest.'],
      webhook('00:00', 'booking_confirmed'),
      webhook('00:00', 'voucher_delivered'),
      [
        '01:00',
        'modified',
        support.id,
        'The booking was changed: adults from 2 to 3. The price rose by 120.5 THB to 361.5 THB.',
      ],
      ['01:00', 'charged', support.id, '120.5 THB were charged.'],
      ['01:00', 'voucher_issued', support.id, `The voucher was issued, valid until ${until}.`],
      ['01:00', 'voucher_mailed', 'system', 'The voucher was mailed to the guest.'],
      webhook('01:00', 'booking_modified'),
      webhook('01:00', 'voucher_delivered'),
      ['02:00', 'visited', 'venue', 'The voucher was verified at north.'],
      webhook('02:00', 'qr_verified'),
    ]);
    const mails = read.items.filter(({ event }) => event === 'voucher_mailed');
    expect(mails.map(({ message_id: id }) => id)).toEqual([
      `<${data.booking_id}.1@waymark.localhost>`,
      `<${data.booking_id}.2@waymark.localhost>`,
    ]);
    const log = await service.get<AnswerOf<'get /api/webhooks/deliveries'>>('/api/webhooks/deliveries', agent);
    const named = read.items.flatMap(({ delivery_id: id }) => id ?? []);
    expect(new Set(named)).toEqual(new Set(log.data.items.map(({ delivery_id: id }) => id)));
  });

  test('says what a receiver answered, when the next attempt is, and that there is none', async () => {
    receiver.answer(() => new Response('no', { status: 503 }));
    const { data } = await service.book({}, agent);
    await deliveryEvents(service, 'AttemptFailed', 2);
    const [failed] = (await sentences(data)).filter((text) => text.includes('booking_confirmed'));
    expect(failed).toMatch(
      /^The webhook booking_confirmed to http:\/\/127\.0\.0\.1:\d+ failed at the first attempt: .*503.*; the next attempt is at 2026-11-21T03:00:\d\d\.\d{3}Z\.$/,
    );
  });

  test('has the webhooks that the delivery log has, and no older ones', async () => {
    const { data } = await service.book({}, agent);
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    const webhooks = async () => (await timeline(data)).data.items.filter(({ event }) => event === 'webhook').length;
    service.clock.advance(90 * DAY_MS);
    expect(await webhooks()).toBe(2);
    service.clock.advance(1);
    expect(await webhooks()).toBe(0);
  });

  test('says what was refunded, and that nothing was', async () => {
    const { data: refunded } = await service.book({}, agent);
    await service.post(`/api/bookings/${refunded.booking_id}/cancel`, { reason: 'weather' }, service.admin);
    expect(await sentences(refunded)).toContain('The booking was cancelled: the weather does not allow it.');
    expect(await sentences(refunded)).toContain('241 THB were refunded.');
    const { data: kept } = await service.book({ activity_id: 'village-kitchen' }, agent);
    await service.post(`/api/bookings/${kept.booking_id}/cancel`, { reason: 'user_requested' }, service.admin);
    expect(await sentences(kept)).toContain('The booking was cancelled: the guests do not come. Nothing was refunded.');
  });

  test('says that a mail was not sent because of the bounds, and that the guest was erased', async () => {
    const { data } = await service.book();
    for (let n = 1; n <= 5; n++) await modify(service, data, { special_requests: `${n}` });
    const bounded = (await timeline(data)).data.items.filter(({ event }) => event === 'voucher_mail_failed');
    expect(bounded.map(({ text }) => text)).toEqual([
      'The changed voucher was not mailed: the limit of mails was reached.',
    ]);
    expect(await sentences(data)).toContain('The booking was changed: special requests. The price did not change.');
    await service.post(`/api/bookings/${data.booking_id}/erase`, {}, service.admin);
    expect((await sentences(data)).at(-1)).toBe("The guest's personal data was erased.");
  });

  test('has no data of the guest, so a viewer reads it whole and no read of guests is recorded', async () => {
    const viewer = await createOperator(service, 'viewer');
    const { data } = await service.book({ special_requests: 'marker-requests', reference: 'marker-ref' }, agent);
    await modify(service, data, { user_name: 'Augusta King' }, agent);
    await deliveryEvents(service, 'DeliverySucceeded', 4);
    const read = await timeline(data);
    const seen = await timeline(data, viewer.headers);
    expect(seen.data).toEqual(read.data);
    expect(JSON.stringify(read.data)).not.toMatch(/Lovelace|Augusta|ada@example|marker|token=secret/);
    expect(JSON.stringify(read.data)).not.toContain(data.voucher.code);
    expect((await service.events()).some(({ type }) => type.startsWith('GuestDataRead'))).toBe(false);
    expect((await timeline(data, service.analyst)).refusal.code).toBe('FORBIDDEN');
    expect((await timeline({ ...data, booking_id: 'bk_00000000000000000000' })).refusal.code).toBe('BOOKING_NOT_FOUND');
  });

  test('is the same after a restart and a rebuild', async () => {
    const { data } = await service.book({}, agent);
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    const before = (await timeline(data)).data;
    await service.rebuild('deliveries');
    expect((await timeline(data)).data).toEqual(before);
    await service.restart();
    expect((await timeline(data)).data).toEqual(before);
  });
});
