import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { deliveryEvents } from '../../support/deliveries.ts';
import { never, openReceiver, type Receiver } from '../../support/receiver.ts';
import { type Credentials, NOW, openService, type Service, withKey } from '../../support/service.ts';
import type { Deliveries } from '../../support/service-answers.ts';

// The specification's table of a delivery's states, row by row.

const SCHEDULE_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000];

let service: Service;
let receiver: Receiver;
let caller: Credentials;
beforeEach(() => open());
afterEach(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

async function open(settings: Record<string, string> = {}): Promise<void> {
  receiver = openReceiver();
  service = await openService({ settings });
  caller = withKey((await service.createKey({ webhook_url: receiver.url })).key);
}

function answering(status: number): void {
  receiver.answer(() => new Response(null, { status }));
}

/** Given a delivery with so many failed attempts, whose next one is due but not made yet. */
async function givenFailed(attempts: number): Promise<void> {
  answering(500);
  if (attempts === 0) return;
  await service.book({}, caller);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await deliveryEvents(service, 'AttemptFailed', attempt);
    if (attempt < attempts) service.clock.advance(SCHEDULE_MS[attempt - 1] ?? 0);
  }
}

/** When the next attempt gets this response. */
async function whenAnswered(status: number, failed: number): Promise<void> {
  answering(status);
  if (failed === 0) await service.book({}, caller);
  else service.clock.advance(SCHEDULE_MS[failed - 1] ?? 0);
  if (status >= 200 && status < 300) await deliveryEvents(service, 'DeliverySucceeded', 1);
  else await deliveryEvents(service, 'AttemptFailed', failed + 1);
}

/** Then the log shows this delivery. */
async function thenShown(status: string, nextAttemptAtMs: number | null, codes: (number | null)[]) {
  await service.documents('deliveries');
  const { items } = (await service.get<Deliveries>('/api/webhooks/deliveries', caller)).data;
  const shown = items.map((item) => [
    item.status,
    item.next_attempt_at,
    item.attempts.map(({ response_code }) => response_code),
  ]);
  expect(shown).toEqual([[status, nextAttemptAtMs === null ? null : new Date(nextAttemptAtMs).toISOString(), codes]]);
}

/** And no request follows, in a day and over a restart. */
async function thenNothingMore(): Promise<void> {
  const { length } = receiver.received;
  service.clock.advance(DAY_MS);
  await service.restart();
  service.clock.advance(DAY_MS);
  await service.restart();
  expect(receiver.received).toHaveLength(length);
}

/** Maximum delay of an attempt. */
const LATE_MS = 200;

/** And the next request comes at that time (ms since the epoch), not a millisecond earlier. */
async function thenNextAt(atMs: number): Promise<void> {
  const { length } = receiver.received;
  service.clock.set(atMs - 1);
  await service.restart();
  expect(receiver.received).toHaveLength(length);
  service.clock.set(atMs + LATE_MS);
  await receiver.arrived(length + 1);
}

describe('first attempt', () => {
  test.each([200, 201, 204, 299])('answered %d: success, and nothing more is sent', async (status) => {
    await givenFailed(0);
    await whenAnswered(status, 0);
    await thenShown('success', null, [status]);
    await thenNothingMore();
  });

  test.each([301, 404, 500])('answered %d: retrying, and retry 1 comes after 5 seconds', async (status) => {
    await givenFailed(0);
    await whenAnswered(status, 0);
    await thenShown('retrying', NOW + 5_000, [status]);
    await thenNextAt(NOW + 5_000);
  });

  test('not answered in time: retrying, and retry 1 comes after 5 seconds', async () => {
    await service.stop();
    await receiver[Symbol.asyncDispose]();
    await open({ WEBHOOK_TIMEOUT_MS: '100' });
    receiver.answer(never);
    await service.book({}, caller);
    await deliveryEvents(service, 'AttemptFailed', 1);
    await thenShown('retrying', NOW + 5_000, [null]);
    await thenNextAt(NOW + 5_000);
  });
});

describe('retrying', () => {
  test.each([1, 2, 3, 4, 5])('answered 2xx on retry %d: success, and nothing more is sent', async (retry) => {
    await givenFailed(retry);
    await whenAnswered(204, retry);
    await thenShown('success', null, [...Array<number>(retry).fill(500), 204]);
    await thenNothingMore();
  });

  test.each([
    [1, '30 seconds', 30_000],
    [2, '2 minutes', 120_000],
    [3, '10 minutes', 600_000],
    [4, '1 hour', 3_600_000],
  ])('retry %d fails: retrying, and the next comes after %s', async (retry, _words, delayMs) => {
    await givenFailed(retry);
    await whenAnswered(502, retry);
    const nextMs = service.clock.nowMs() + delayMs;
    await thenShown('retrying', nextMs, [...Array<number>(retry).fill(500), 502]);
    await thenNextAt(nextMs);
  });

  test('retry 5 fails: failed, and no further attempts', async () => {
    await givenFailed(5);
    await whenAnswered(502, 5);
    await deliveryEvents(service, 'DeliveryExhausted', 1);
    await thenShown('failed', null, [500, 500, 500, 500, 500, 502]);
    await thenNothingMore();
  });
});
