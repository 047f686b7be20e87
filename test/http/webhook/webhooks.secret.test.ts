import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { verifyBodySignature, verifyWebhook } from '../../../examples/verify-webhook.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { allTold, deliveryEvents } from '../../support/deliveries.ts';
import { openReceiver, type Received, type Receiver } from '../../support/receiver.ts';
import { type Credentials, openService, type Service, withKey } from '../../support/service.ts';
import type { AnswerOf, Deliveries } from '../../support/service-answers.ts';

const ROTATE = '/api/keys/self/webhook_secret/rotate';
const FINISH = `${ROTATE}/finish`;

let service: Service;
let receiver: Receiver;
let shown: object;
let first: string;
let caller: Credentials;
beforeEach(async () => {
  receiver = openReceiver();
  service = await openService();
  const { key, webhook_secret, ...rest } = await service.createKey({ webhook_url: receiver.url });
  [shown, first, caller] = [rest, webhook_secret, withKey(key)];
});
afterEach(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

type Rotated = AnswerOf<'post /api/keys/self/webhook_secret/rotate'>;
const rotate = async () => (await service.post<Rotated>(ROTATE, {}, caller)).data;

/** The next request that the receiver gets. */
async function next(): Promise<Received> {
  const before = receiver.received.length;
  await service.book({}, caller);
  return receiver.arrived(before + 1);
}

/** Which secrets verify a request, by the Standard Webhooks headers and by the body's signature. */
function verifiedWith({ headers, body }: Received, secrets: Readonly<Record<string, string>>) {
  const names = (fits: (secret: string) => boolean) =>
    Object.entries(secrets).flatMap(([name, secret]) => (fits(secret) ? [name] : []));
  return {
    standard: names((secret) => verifyWebhook(headers, body, secret, service.clock.nowMs()) !== null),
    body: names((secret) => verifyBodySignature(headers.get('x-service-signature'), body, secret)),
  };
}

describe('a webhook secret during a rotation', () => {
  test('is returned once, with the key', async () => {
    const { data, headers } = await service.post<Rotated>(ROTATE, {}, caller);
    expect(data.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(data.webhook_secret).not.toBe(first);
    expect(headers.get('cache-control')).toBe('no-store');
    const until = new Date(service.clock.nowMs() + DAY_MS).toISOString();
    expect<object>(data).toEqual({
      ...shown,
      webhook_secret: data.webhook_secret,
      previous_secret_signs_until: until,
    });
    expect(JSON.stringify((await service.get('/api/keys/self', caller)).data)).not.toInclude('whsec_');
  });

  test('signs after the new one, and the official library verifies with either', async () => {
    // The library looks at the machine's own clock.
    await using own = await openService({ startMs: Date.now() });
    const { key, webhook_secret: older } = await own.createKey({ webhook_url: receiver.url });
    const { webhook_secret: newer } = (await own.post<Rotated>(ROTATE, {}, withKey(key))).data;
    await own.post('/api/webhooks/test', { event_type: 'qr_verified' }, withKey(key));
    const { headers, body } = await receiver.arrived(1);
    const sent = Object.fromEntries(headers);
    const signatures = (headers.get('webhook-signature') ?? '').split(' ');
    expect(signatures).toHaveLength(2);
    const only = (at: number) => ({ ...sent, 'webhook-signature': signatures[at] ?? '' });
    const event: unknown = JSON.parse(body);
    for (const secret of [older, newer]) expect(new Webhook(secret).verify(body, sent)).toEqual(event);
    expect(new Webhook(newer).verify(body, only(0))).toEqual(event);
    expect(new Webhook(older).verify(body, only(1))).toEqual(event);
    expect(() => new Webhook(older).verify(body, only(0))).toThrow();
    expect(() => new Webhook(newer).verify(body, only(1))).toThrow();
  });

  test('expires after a day: just before, both sign; from then on, only the new one', async () => {
    const secrets = { first, second: (await rotate()).webhook_secret };
    service.clock.advance(DAY_MS - 1);
    expect(verifiedWith(await next(), secrets)).toEqual({ standard: ['first', 'second'], body: ['first'] });
    service.clock.advance(1);
    expect(verifiedWith(await next(), secrets)).toEqual({ standard: ['second'], body: ['second'] });
  });

  test('expires at once if the rotation is finished; finishing again changes nothing', async () => {
    const secrets = { first, second: (await rotate()).webhook_secret };
    const finished = await service.post(FINISH, {}, caller);
    expect(finished.data).toEqual(shown);
    expect(finished.headers.get('x-position')).toMatch(/^\d+$/);
    expect(verifiedWith(await next(), secrets)).toEqual({ standard: ['second'], body: ['second'] });
    expect((await service.post(FINISH, {}, caller)).headers.get('x-position')).toBeNull();
  });

  test('can be replaced again: two sign, and the first of three has expired', async () => {
    const second = (await rotate()).webhook_secret;
    const secrets = { first, second, third: (await rotate()).webhook_secret };
    expect(verifiedWith(await next(), secrets)).toEqual({ standard: ['second', 'third'], body: ['second'] });
  });

  test('can be replaced by the operator, who sees until when the old one signs, and ends it', async () => {
    const { id } = (await service.get<AnswerOf<'get /api/keys/self'>>('/api/keys/self', caller)).data;
    const path = `/api/keys/${id}/webhook_secret/rotate`;
    const { data } = await service.post<Rotated>(path, {}, service.admin);
    const until = new Date(service.clock.nowMs() + DAY_MS).toISOString();
    expect<object>(data).toEqual({
      ...shown,
      webhook_secret: data.webhook_secret,
      previous_secret_signs_until: until,
    });
    const secrets = { first, second: data.webhook_secret };
    expect(verifiedWith(await next(), secrets)).toEqual({ standard: ['first', 'second'], body: ['first'] });
    const seen = async () => {
      const own = await service.get<AnswerOf<'get /api/keys/self'>>('/api/keys/self', caller);
      const ofOperator = await service.get<AnswerOf<'get /api/keys/:id'>>(`/api/keys/${id}`, service.admin);
      return [own, ofOperator].map((answer) => answer.data.previous_secret_signs_until);
    };
    expect(await seen()).toEqual([until, until]);
    expect((await service.post(`${path}/finish`, {}, service.admin)).data).toEqual(shown);
    expect(await seen()).toEqual([null, null]);
    expect(verifiedWith(await next(), secrets)).toEqual({ standard: ['second'], body: ['second'] });
    const unknown = await service.post('/api/keys/key_none/webhook_secret/rotate', {}, service.admin);
    expect(unknown.refusal.code).toBe('NOT_FOUND');
  });

  test('signs, with the other, retries and test events', async () => {
    receiver.answer(() => new Response('no', { status: 500 }));
    await service.book({}, caller);
    await deliveryEvents(service, 'AttemptFailed', 1);
    const secrets = { first, second: (await rotate()).webhook_secret };
    service.clock.advance(5_000);
    const again = await receiver.arrived(2);
    expect(verifiedWith(again, secrets)).toEqual({ standard: ['first', 'second'], body: ['first'] });
    receiver.answer(() => new Response('ok'));
    const example = { event_type: 'qr_verified' };
    const { data } = await service.post<AnswerOf<'post /api/webhooks/test'>>('/api/webhooks/test', example, caller);
    const sent = await receiver.arrived(3);
    expect(verifiedWith(sent, secrets)).toEqual({ standard: ['first', 'second'], body: ['first'] });
    expect(data.signature).toBe(sent.headers.get('x-service-signature') ?? '');
  });

  test('is unchanged after a restart', async () => {
    const secrets = { first, second: (await rotate()).webhook_secret };
    await service.restart();
    expect(verifiedWith(await next(), secrets)).toEqual({ standard: ['first', 'second'], body: ['first'] });
  });
});

test('a retry goes to the key’s present URL', async () => {
  await using other = openReceiver();
  receiver.answer(() => new Response('no', { status: 500 }));
  await service.book({}, caller);
  await deliveryEvents(service, 'AttemptFailed', 1);
  await service.patch('/api/keys/self', { webhook_url: other.url }, caller);
  service.clock.advance(5_000);
  const { headers, body } = await other.arrived(1);
  expect(verifyWebhook(headers, body, first, service.clock.nowMs())).not.toBeNull();
  expect(receiver.received).toHaveLength(1);
  await deliveryEvents(service, 'DeliverySucceeded', 1);
  await service.documents('deliveries');
  const { data } = await service.get<Deliveries>('/api/webhooks/deliveries', caller);
  expect(data.items.map(({ url, status }) => [url, status])).toEqual([[other.url, 'success']]);
});

test('a key that unsubscribes from all events gets none', async () => {
  await service.patch('/api/keys/self', { webhook_events: [] }, caller);
  await service.book({}, caller);
  await allTold(service);
  await service.patch('/api/keys/self', { webhook_events: null }, caller);
  const { data } = await service.book({}, caller);
  const { body } = await receiver.arrived(1);
  expect(JSON.parse(body)).toMatchObject({ event: 'booking_confirmed', data: { booking_id: data.booking_id } });
});
