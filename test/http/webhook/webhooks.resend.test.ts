import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { deliveryEvents, storeDeliveries } from '../../support/deliveries.ts';
import { deliveryFacts } from '../../support/examples.ts';
import { projected } from '../../support/log-of-service.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { type Credentials, NOW, openService, type Service, withKey } from '../../support/service.ts';
import { type AnswerOf, type Deliveries, type Delivery, faulty, refused } from '../../support/service-answers.ts';

const SCHEDULE_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000];
/** Time of the last failed attempt, if the first was made at NOW. */
const ROUND_MS = SCHEDULE_MS.reduce((sum, ms) => sum + ms, 0);

let service: Service;
let receiver: Receiver;
let caller: Credentials;
beforeEach(async () => {
  receiver = openReceiver();
  service = await openService();
  caller = withKey((await service.createKey({ webhook_url: `${receiver.url}/hooks` })).key);
});
afterEach(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

function answering(status: number): void {
  receiver.answer(() => new Response('', { status }));
}

/** The caller's delivery log, once it is up to date; newest first. */
async function log(): Promise<readonly Delivery[]> {
  await service.documents('deliveries');
  return (await service.get<Deliveries>('/api/webhooks/deliveries', caller)).data.items;
}

/** Books so many times, and lets every delivery use up its attempts. */
async function failedDeliveries(count: number): Promise<readonly Delivery[]> {
  answering(500);
  for (let booked = 0; booked < count; booked++) await service.book({}, caller);
  for (const [at, pauseMs] of SCHEDULE_MS.entries()) {
    await deliveryEvents(service, 'AttemptFailed', (at + 1) * count);
    service.clock.advance(pauseMs);
  }
  await deliveryEvents(service, 'DeliveryExhausted', count);
  return log();
}

const resend = (delivery: Delivery | undefined, headers = caller) =>
  service.post<AnswerOf<'post /api/webhooks/deliveries/:id/resend'>>(
    `/api/webhooks/deliveries/${delivery?.delivery_id}/resend`,
    {},
    headers,
  );
const recover = (body: object, headers = caller) =>
  service.post<AnswerOf<'post /api/webhooks/recover'>>('/api/webhooks/recover', body, headers);
const keyed = (key: string) => ({ ...caller, 'idempotency-key': key });
const at = (ms: number) => new Date(NOW + ms).toISOString();

describe('a resend', () => {
  test('of a failed delivery adds attempts to it: the same ids, the same bytes', async () => {
    const [failed] = await failedDeliveries(1);
    answering(200);
    const answer = await resend(failed);
    expect(answer.data).toEqual({ ...failed, status: 'retrying', next_attempt_at: at(ROUND_MS) } as Delivery);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    const { received } = receiver;
    expect(received).toHaveLength(7);
    for (const part of ['webhook-id', 'x-service-delivery-id'])
      expect(new Set(received.map(({ headers }) => headers.get(part))).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    const [shown] = await log();
    expect(shown).toMatchObject({ status: 'success', next_attempt_at: null });
    expect(shown?.attempts.map(({ response_code }) => response_code)).toEqual([500, 500, 500, 500, 500, 500, 200]);
  });

  test('uses the present URL and secret', async () => {
    const [failed] = await failedDeliveries(1);
    await using moved = openReceiver();
    await service.patch('/api/keys/self', { webhook_url: moved.url }, caller);
    await resend(failed);
    await moved.arrived(1);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    expect((await log())[0]?.url).toBe(moved.url);
  });

  test('of a delivered event sends it once more, and only once per Idempotency-Key, also after a restart', async () => {
    await service.book({}, caller);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    const [arrived] = await log();
    await resend(arrived, keyed('once'));
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    await service.restart();
    await projected(service);
    const again = await resend(arrived, keyed('once'));
    expect(again.data.status).toBe('success');
    await resend(arrived, keyed('twice'));
    await deliveryEvents(service, 'DeliverySucceeded', 3);
    await service.restart();
    expect(receiver.received).toHaveLength(3);
  });

  test('of a retrying delivery makes the next attempt now, and restarts the retry schedule', async () => {
    answering(500);
    await service.book({}, caller);
    await deliveryEvents(service, 'AttemptFailed', 1);
    service.clock.advance(5_000);
    await deliveryEvents(service, 'AttemptFailed', 2);
    const [retrying] = await log();
    expect((await resend(retrying)).data.next_attempt_at).toBe(at(5_000));
    await deliveryEvents(service, 'AttemptFailed', 3);
    expect((await log())[0]?.next_attempt_at).toBe(at(10_000));
  });

  test('requested before a crash is made after the start', async () => {
    const [failed] = await failedDeliveries(1);
    receiver.answer(() => new Promise<Response>(() => undefined));
    await resend(failed);
    await receiver.arrived(7);
    await service.restart();
    answering(200);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
  });

  test("of another key's, an unknown or an expired delivery is refused", async () => {
    const [failed] = await failedDeliveries(1);
    const other = withKey((await service.createKey()).key);
    const notFound = refused(
      404,
      'NOT_FOUND',
      `There is no delivery "${failed?.delivery_id}" in this key's log; GET /api/webhooks/deliveries lists them.`,
    );
    expect((await resend(failed, other)).refusal).toEqual(notFound);
    expect((await resend({ ...(failed as Delivery), delivery_id: 'nothing' })).refusal.code).toBe('NOT_FOUND');
    service.clock.advance(90 * DAY_MS);
    expect((await resend(failed)).refusal).toEqual(notFound);
  });
});

describe('a recovery', () => {
  test('sends all deliveries again that failed since a time, and nothing else', async () => {
    await failedDeliveries(2);
    service.clock.advance(60_000);
    await service.book({}, caller);
    await deliveryEvents(service, 'AttemptFailed', 13);
    answering(200);
    expect((await recover({ since: at(1) })).data).toEqual({ resent: 0, suspended: 0, next_cursor: null });
    expect((await recover({ since: at(0) })).data).toEqual({ resent: 2, suspended: 0, next_cursor: null });
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    expect((await log()).map(({ status }) => status)).toEqual(['retrying', 'success', 'success']);
    expect((await recover({ since: at(0) })).data).toEqual({ resent: 0, suspended: 0, next_cursor: null });
  });

  test('of the status retrying sends those at once that wait for their next attempt, once each', async () => {
    await failedDeliveries(1);
    await service.book({}, caller);
    await deliveryEvents(service, 'AttemptFailed', 7);
    await log();
    answering(200);
    const retrying = { since: at(0), status: 'retrying' };
    const sent = await recover(retrying, keyed('now'));
    expect(sent.data).toEqual({ resent: 1, suspended: 0, next_cursor: null });
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    expect((await log()).map(({ status }) => status)).toEqual(['success', 'failed']);
    const { length } = receiver.received;
    service.clock.advance(60_000);
    expect((await recover(retrying, keyed('now'))).data.resent).toBe(0);
    expect(receiver.received).toHaveLength(length);
  });

  test('with the same Idempotency-Key sends nothing twice, even after new failures', async () => {
    await failedDeliveries(1);
    expect((await recover({ since: at(0) }, keyed('once'))).data.resent).toBe(1);
    for (const [round, pauseMs] of SCHEDULE_MS.entries()) {
      await deliveryEvents(service, 'AttemptFailed', 7 + round);
      service.clock.advance(pauseMs);
    }
    await deliveryEvents(service, 'DeliveryExhausted', 2);
    await log();
    expect((await recover({ since: at(0) }, keyed('once'))).data.resent).toBe(0);
    expect((await recover({ since: at(0) }, keyed('twice'))).data.resent).toBe(1);
  });

  test('is limited to 500 at a time, oldest first, and continues where it ended', async () => {
    const [failed] = await failedDeliveries(1);
    const [scheduled] = await deliveryEvents(service, 'DeliveryScheduled', 1);
    const facts = { ...deliveryFacts(), ...scheduled?.data, at: at(1) };
    await storeDeliveries(service, 500, () => [
      { type: 'DeliveryScheduled', data: facts },
      { type: 'DeliveryExhausted', data: { reason: 'retries_used', at: at(1) } },
    ]);
    expect(await log()).toHaveLength(20);
    const first = (await recover({ since: at(0) })).data;
    expect(first).toEqual({ resent: 500, suspended: 0, next_cursor: expect.any(String) });
    expect((await recover({ since: at(0), cursor: first.next_cursor })).data).toEqual({
      resent: 1,
      suspended: 0,
      next_cursor: null,
    });
    const resent = await deliveryEvents(service, 'ResendRequested', 501);
    expect(resent.map(({ stream }) => stream).slice(0, 500)).toContain(`delivery-${failed?.delivery_id}`);
  });

  test("skips another key's deliveries, and those older than the log", async () => {
    await failedDeliveries(1);
    const other = withKey((await service.createKey()).key);
    expect((await recover({ since: at(0) }, other)).data.resent).toBe(0);
    service.clock.advance(90 * DAY_MS);
    expect((await recover({ since: at(0) })).data.resent).toBe(0);
  });

  test.each([
    [{}, 'since is missing; it must be a date as YYYY-MM-DD (UTC) or an ISO 8601 timestamp with a zone.'],
    [
      { since: 'monday' },
      'since must be a date as YYYY-MM-DD (UTC) or an ISO 8601 timestamp with a zone; it was "monday".',
    ],
  ])('with %p is refused', async (body, sentence) => {
    expect((await recover(body)).refusal).toEqual(faulty('INVALID_DATE', sentence));
  });
});
