import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { attemptDelivery } from '../../../src/processes/deliver-webhooks/attempt-delivery.ts';
import { deliveryEvents, storeDeliveries } from '../../support/deliveries.ts';
import { deliveryId, keyId as ownKey, resendRequestId } from '../../support/examples.ts';
import { never, openReceiver, type Receiver } from '../../support/receiver.ts';
import { type Credentials, NOW, openService, type Service, withKey } from '../../support/service.ts';
import type { Deliveries, Delivery } from '../../support/service-answers.ts';

const SCHEDULE_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000];

let service: Service;
let receiver: Receiver;
let caller: Credentials;
let keyId: string;
beforeEach(() => open());
afterEach(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

async function open(settings: Record<string, string> = {}): Promise<void> {
  receiver = openReceiver();
  service = await openService({ settings });
  const { id, key } = await service.createKey({ webhook_url: `${receiver.url}/hooks` });
  [keyId, caller] = [id, withKey(key)];
}

/** Restarts the test's service with other settings. */
async function reopen(settings: Record<string, string>): Promise<void> {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
  await open(settings);
}

function answering(status: number, headers: Record<string, string> = {}): void {
  receiver.answer(() => new Response('no', { status, headers }));
}

/** The caller's delivery log, once it is up to date. */
async function log(): Promise<readonly Delivery[]> {
  await service.documents('deliveries');
  return (await service.get<Deliveries>('/api/webhooks/deliveries', caller)).data.items;
}

const seconds = (ms: number) => new Date(NOW + ms).toISOString();

describe('a receiver that is down', () => {
  test('gets the event at the fourth attempt: the same ids, the same bytes, signed anew', async () => {
    answering(500);
    await service.book({}, caller);
    for (const [at, pauseMs] of SCHEDULE_MS.slice(0, 3).entries()) {
      await deliveryEvents(service, 'AttemptFailed', at + 1);
      if (at === 2) receiver.answer(() => new Response('ok'));
      service.clock.advance(pauseMs);
    }
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    const { received } = receiver;
    expect(received).toHaveLength(4);
    for (const part of ['webhook-id', 'x-service-delivery-id', 'x-service-signature'])
      expect(new Set(received.map(({ headers }) => headers.get(part))).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(received.map(({ headers }) => Number(headers.get('webhook-timestamp')) * 1_000 - NOW)).toEqual([
      0, 5_000, 35_000, 155_000,
    ]);
  });

  test('gets it even if the service restarts between any two attempts', async () => {
    answering(500);
    await service.book({}, caller);
    for (const [at, pauseMs] of SCHEDULE_MS.slice(0, 3).entries()) {
      await deliveryEvents(service, 'AttemptFailed', at + 1);
      await service.restart();
      if (at === 2) receiver.answer(() => new Response('ok'));
      service.clock.advance(pauseMs);
    }
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    await service.restart();
    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  test('gets no further attempts after five retries, each exactly after its pause', async () => {
    answering(503);
    await service.book({}, caller);
    for (const [at, pauseMs] of SCHEDULE_MS.entries()) {
      await deliveryEvents(service, 'AttemptFailed', at + 1);
      service.clock.advance(pauseMs);
    }
    await deliveryEvents(service, 'DeliveryExhausted', 1);
    service.clock.advance(86_400_000);
    await service.restart();
    expect(receiver.received).toHaveLength(6);
    const [delivery] = await log();
    const times = [0, 5_000, 35_000, 155_000, 755_000, 4_355_000].map(seconds);
    expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect<object | undefined>(delivery?.attempts).toEqual(
      times.map((at) => ({ at, response_code: 503, response_time_ms: expect.any(Number), error: 'answered 503' })),
    );
  });
});

describe('a failure is', () => {
  const failure = async () => {
    await service.book({}, caller);
    await deliveryEvents(service, 'AttemptFailed', 1);
    const [delivery] = await log();
    const { response_code, error } = delivery?.attempts[0] ?? { response_code: 0, error: '' };
    return { status: delivery?.status, next: delivery?.next_attempt_at, response_code, error };
  };
  const soon = { status: 'retrying', next: seconds(5_000) } as const;

  test.each([400, 404, 410, 500, 502])('an answer %d', async (status) => {
    answering(status);
    expect(await failure()).toEqual({ ...soon, response_code: status, error: `answered ${status}` });
  });

  test('a redirect, which is not followed', async () => {
    answering(307, { location: '/elsewhere' });
    const error = 'answered 307; redirects are not followed';
    expect(await failure()).toEqual({ ...soon, response_code: 307, error });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hooks']);
  });

  test('nobody there', async () => {
    await receiver[Symbol.asyncDispose]();
    expect(await failure()).toEqual({ ...soon, response_code: null, error: 'the connection was refused' });
  });

  test('no answer in time', async () => {
    await reopen({ WEBHOOK_TIMEOUT_MS: '100' });
    receiver.answer(never);
    expect(await failure()).toEqual({ ...soon, response_code: null, error: 'no answer within 0.1 s' });
  });

  test.each([
    [429, '60', 60_000],
    [503, new Date(NOW + 90_000).toUTCString(), 90_000],
    [503, '1', 5_000],
    [500, '60', 5_000],
  ])('an answer %d with Retry-After: %s', async (status, retryAfter, pauseMs) => {
    answering(status, { 'retry-after': retryAfter });
    expect(await failure()).toMatchObject({ next: seconds(pauseMs) });
  });
});

test.each([200, 201, 202, 204, 299])('an answer %d acknowledges', async (status) => {
  receiver.answer(() => new Response(null, { status }));
  await service.book({}, caller);
  const [{ data } = { data: null }] = await deliveryEvents(service, 'DeliverySucceeded', 1);
  expect<object | null>(data).toMatchObject({ attempt: 1, responseCode: status });
});

test('a receiver that never responds delays no other', async () => {
  receiver.answer(never);
  for (let at = 0; at < 5; at++) await service.book({}, caller);
  await receiver.arrived(1);
  await using other = openReceiver();
  const { key } = await service.createKey({ webhook_url: other.url });
  for (let at = 0; at < 3; at++) await service.book({ activity_id: 'sea-tunnel' }, withKey(key));
  await other.arrived(3);
  await deliveryEvents(service, 'DeliverySucceeded', 3);
});

test('an attempt in flight at a stop is repeated after the start, with the same ids', async () => {
  receiver.answer(never);
  await service.book({}, caller);
  await receiver.arrived(1);
  await service.restart();
  const again = receiver.arrived(2);
  receiver.answer(() => new Response('ok'));
  await again;
  const [first, second] = receiver.received;
  expect(second?.body).toBe(first?.body ?? '');
  expect(second?.headers.get('webhook-id')).toBe(first?.headers.get('webhook-id') ?? '');
  expect(second?.headers.get('x-service-delivery-id')).toBe(first?.headers.get('x-service-delivery-id') ?? '');
});

test('a recorded attempt is not repeated, even if the command comes again', async () => {
  answering(500);
  await service.book({}, caller);
  const [failed] = await deliveryEvents(service, 'AttemptFailed', 1);
  const delivery = deliveryId(failed?.stream.slice('delivery-'.length) ?? '');
  const command = { delivery, queueKey: keyId, correlationId: 'req_1', causationId: 'none' };
  for (const attempt of [1, 3]) {
    expect(await attemptDelivery({ ...command, attempt }, service.node.context.webhooks)).toBeNull();
  }
  expect(receiver.received).toHaveLength(1);
});

test('a delivery that has expired from the store is not attempted, and does not hold back the checkpoint', async () => {
  const request = resendRequestId('again');
  await storeDeliveries(service, 1, () => [
    {
      type: 'ResendRequested',
      data: { attempt: 7, keyId: ownKey(keyId), endpoint: { kind: 'key' }, request, at: new Date(NOW).toISOString() },
    },
  ]);
  const [resent] = await deliveryEvents(service, 'ResendRequested', 1);
  if (resent === undefined) throw new Error('it was stored');
  const delivery = deliveryId(resent.stream.slice('delivery-'.length));
  const command = { delivery, attempt: 7, queueKey: keyId, correlationId: 'req_1', causationId: resent.id };
  expect(await attemptDelivery(command, service.node.context.webhooks)).toBe('gone');
  const resentAt = service.node.context.positions.format(resent.position);
  const passed = async () =>
    (await service.events()).some(
      ({ stream, data }) =>
        stream === 'checkpoint-webhook-deliverer' && 'position' in data && String(data.position) >= resentAt,
    );
  for (let turns = 0; turns < 500 && !(await passed()); turns++) {
    service.clock.advance(1_000);
    await new Promise(setImmediate);
  }
  expect(await passed()).toBeTrue();
  expect(receiver.received).toHaveLength(0);
});

test('a deactivated key gets no further webhooks, and its log lists those not sent', async () => {
  answering(500);
  await service.book({}, caller);
  await deliveryEvents(service, 'AttemptFailed', 1);
  await service.post(`/api/keys/${keyId}/deactivate`, {}, service.admin);
  service.clock.advance(5_000);
  const [{ data } = { data: null }] = await deliveryEvents(service, 'DeliveryExhausted', 1);
  expect(data).toEqual({ reason: 'key_inactive', at: seconds(5_000) });
  expect(receiver.received).toHaveLength(1);
  const [shown] = await service.documents('deliveries');
  expect<object | null | undefined>(shown?.doc).toMatchObject({ status: 'failed', nextAttemptAtMs: null });
});

test('a delivery whose payload cannot be computed is logged, retried after a pause, and delays no other', async () => {
  answering(500);
  const { data: broken } = await service.book({}, caller);
  await deliveryEvents(service, 'AttemptFailed', 1);
  await service.node.stores.store.erase(`booking-${broken.booking_id}`);
  service.clock.advance(5_000);
  receiver.answer(() => new Response('ok'));
  await service.book({}, caller);
  await deliveryEvents(service, 'DeliverySucceeded', 1);
  for (let at = 0; at < 10; at++) service.clock.advance(400);
  await service.restart();
  const lines = service.logged.filter(({ happening }) => happening === 'webhook delivery failed unexpectedly');
  expect(lines.length).toBeLessThanOrEqual(2);
  expect<object | undefined>(lines[0]?.facts).toEqual({
    retryMs: 5_000,
    fault: new Error(`booking-${broken.booking_id} does not hold the event at revision 0`),
  });
});

test('an erased guest is not named, not even by a retry', async () => {
  answering(500);
  await service.book({}, caller);
  await deliveryEvents(service, 'AttemptFailed', 1);
  const [guest] = (await service.events()).filter(({ stream }) => stream.startsWith('guest-'));
  await service.node.stores.store.erase(guest?.stream ?? '');
  service.clock.advance(5_000);
  const { body } = await receiver.arrived(2);
  expect(receiver.received[0]?.body).toContain('ada@example.com');
  expect(JSON.parse(body)).toMatchObject({ data: { user_name: '[erased]', user_email: '[erased]' } });
  const [delivery] = await log();
  expect(delivery?.payload).toEqual(JSON.parse(body));
});
