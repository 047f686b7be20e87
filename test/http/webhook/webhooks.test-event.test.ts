import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { verifyBodySignature, verifyWebhook } from '../../../examples/verify-webhook.ts';
import { WEBHOOK_EVENTS } from '../../../src/domain/delivery/delivery.ts';
import { EVENT_CONTRACTS } from '../../../src/webhooks/event-contracts.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { type Credentials, NOW, openService, type Service, withKey } from '../../support/service.ts';
import { type AnswerOf, faulty, type Key, refused } from '../../support/service-answers.ts';

let service: Service;
let receiver: Receiver;
let key: Key;
let caller: Credentials;
beforeAll(async () => {
  service = await openService();
  receiver = openReceiver();
  key = await service.createKey({ webhook_url: `${receiver.url}/own` });
  caller = withKey(key.key);
});
afterAll(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});
beforeEach(() => receiver.answer(() => new Response('ok')));

function send(body: object, headers = caller) {
  return service.post<AnswerOf<'post /api/webhooks/test'>>('/api/webhooks/test', body, headers);
}

describe('a test event', () => {
  test.each(WEBHOOK_EVENTS)('of %s arrives signed, in the envelope, with test: true', async (event) => {
    const before = receiver.received.length;
    const { data } = await send({ event_type: event, webhook_url: `${receiver.url}/test` });
    const { headers, body, path } = await receiver.arrived(before + 1);
    expect<object>(data).toEqual({
      delivery_id: headers.get('x-service-delivery-id'),
      status: 'success',
      response_code: 200,
      response_time_ms: expect.any(Number),
      error: null,
      signature: headers.get('x-service-signature'),
    });
    expect([path, headers.get('x-service-event')]).toEqual(['/test', event]);
    expect(verifyBodySignature(data.signature, body, key.webhook_secret)).toBe(true);
    expect<object | null>(verifyWebhook(headers, body, key.webhook_secret, NOW)).toEqual({
      id: headers.get('webhook-id'),
      event,
      api_version: '2026-11',
      created_at: '2026-11-21T03:00:00.000Z',
      sequence: 1,
      test: true,
      data: EVENT_CONTRACTS[event].example,
    });
  });

  test("without a URL goes to the key's own", async () => {
    const before = receiver.received.length;
    await send({ event_type: 'qr_verified' });
    expect((await receiver.arrived(before + 1)).path).toBe('/own');
  });

  test('that fails is reported as failed, is not retried, and is not logged', async () => {
    const before = receiver.received.length;
    receiver.answer(() => new Response('no', { status: 500 }));
    const answered = await send({ event_type: 'qr_verified' });
    expect(answered.data).toMatchObject({ status: 'failed', response_code: 500, error: 'answered 500' });
    const closed = openReceiver();
    await closed[Symbol.asyncDispose]();
    const silent = await send({ event_type: 'qr_verified', webhook_url: closed.url });
    expect(silent.data).toMatchObject({
      status: 'failed',
      response_code: null,
      error: expect.stringMatching(/./),
      signature: expect.any(String),
    });
    service.clock.advance(5_000);
    await service.restart();
    expect(receiver.received).toHaveLength(before + 1);
    expect((await service.events()).filter(({ stream }) => stream.startsWith('delivery-'))).toEqual([]);
    service.clock.set(NOW);
  });
});

describe('a test event is refused', () => {
  const EVENTS = `event_type must be one of ${WEBHOOK_EVENTS.join(', ')}`;

  test.each([
    [{}, `event_type is missing; it must be one of ${WEBHOOK_EVENTS.join(', ')}.`],
    [{ event_type: 'booked' }, `${EVENTS}; it was "booked".`],
    ...['ftp://agent.example/', 'http://169.254.169.254/', 'https://a:b@agent.example/'].map(
      (url) =>
        [
          { event_type: 'qr_verified', webhook_url: url },
          `webhook_url must be an http:// or https:// URL of a public host or this machine, without user name and password, at most 2000 characters; it was "${url}".`,
        ] as const,
    ),
  ] as const)('with %j', async (body, sentence) => {
    expect((await send(body)).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });

  test('without a URL, if the key has none either', async () => {
    const { refusal } = await send({ event_type: 'qr_verified' }, service.key);
    const sentence = 'webhook_url is missing, and this key has none of its own; send one.';
    expect(refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
  });

  test('in production, to localhost', async () => {
    await using strict = await openService({ settings: { NODE_ENV: 'production', TRUSTED_PROXIES: '10.0.0.0/8' } });
    for (const url of [receiver.url, 'https://127.0.0.1/', 'https://localhost/']) {
      const { refusal } = await strict.post(
        '/api/webhooks/test',
        { event_type: 'qr_verified', webhook_url: url },
        strict.key,
      );
      expect(refusal.error).toBe(
        `webhook_url must be an https:// URL of a public host, without user name and password, at most 2000 characters; it was "${url}".`,
      );
    }
  });
});
