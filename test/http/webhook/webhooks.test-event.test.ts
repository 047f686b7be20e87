import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { verifyBodySignature, verifyWebhook } from '../../../examples/verify-webhook.ts';
import { WEBHOOK_EVENTS } from '../../../src/domain/delivery/delivery.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { EVENT_CONTRACTS } from '../../../src/webhooks/event-contracts.ts';
import { allTold } from '../../support/deliveries.ts';
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

  test('that fails is reported as failed, and is not retried', async () => {
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
    service.clock.set(NOW);
  });
});

function positionOf({ headers }: { readonly headers: Headers }): Credentials {
  return { 'x-position': headers.get('x-position') ?? '' };
}

describe('a test event in the delivery log', () => {
  type Listed = AnswerOf<'get /api/webhooks/deliveries'>;
  let own: Service;
  let logging: Credentials;
  let keyId: string;
  beforeAll(async () => {
    own = await openService();
    const created = await own.createKey({ webhook_url: `${receiver.url}/own?token=1` });
    [keyId, logging] = [created.id, withKey(created.key)];
  });
  afterAll(() => own.stop());

  const listed = async (query = '') => {
    await own.documents('deliveries');
    return (await own.get<Listed>(`/api/webhooks/deliveries${query}`, logging)).data.items;
  };

  test('has its attempt and payload; of a URL in the request it has only the origin', async () => {
    const before = receiver.received.length;
    const sent = (body: object) => own.post<AnswerOf<'post /api/webhooks/test'>>('/api/webhooks/test', body, logging);
    const first = await sent({ event_type: 'qr_verified' });
    receiver.answer(() => new Response('no', { status: 503 }));
    own.clock.advance(1_000);
    const second = await sent({ event_type: 'booking_confirmed', webhook_url: `${receiver.url}/other?token=2` });
    const bodies = [await receiver.arrived(before + 1), await receiver.arrived(before + 2)].map(({ body }) =>
      JSON.parse(body),
    );
    const shown = (at: string, url: string, answered: typeof first, payload: { readonly id: string }) => ({
      delivery_id: answered.data.delivery_id,
      event_id: payload.id,
      booking_id: EVENT_CONTRACTS.qr_verified.example.booking_id,
      test: true,
      key_id: keyId,
      url,
      status: answered.data.status,
      attempts: [
        {
          at,
          response_code: answered.data.response_code,
          response_time_ms: answered.data.response_time_ms,
          error: answered.data.error,
        },
      ],
      scheduled_at: at,
      next_attempt_at: null,
      failed_because: null,
      payload,
    });
    const expected = [
      {
        event: 'booking_confirmed',
        ...shown('2026-11-21T03:00:01.000Z', receiver.url, second, bodies[1]),
      },
      { event: 'qr_verified', ...shown('2026-11-21T03:00:00.000Z', `${receiver.url}/own?token=1`, first, bodies[0]) },
    ];
    expect<readonly object[]>(await listed()).toEqual(expected);
    const path = `/api/webhooks/deliveries/${second.data.delivery_id}`;
    const one = await own.get<Listed['items'][number]>(path, { ...logging, ...positionOf(second) });
    expect<object | undefined>(one.data).toEqual(expected[0]);
  });

  test('is found by every filter but a booking, and by its own key only', async () => {
    const of = async (query: string) => (await listed(query)).map(({ event }) => event);
    expect(await of('?status=failed')).toEqual(['booking_confirmed']);
    expect(await of('?status=retrying')).toEqual([]);
    expect(await of('?event=qr_verified')).toEqual(['qr_verified']);
    expect(await of('?from=2026-11-21T03:00:01Z')).toEqual(['booking_confirmed']);
    expect(await of('?to=2026-11-21T03:00:01Z')).toEqual(['qr_verified']);
    expect((await own.get<Listed>('/api/webhooks/deliveries', own.key)).data.items).toEqual([]);
  });

  test('is not resent, recovered, replayed, fed or counted as a failure, also after a rebuild and a restart', async () => {
    const before = receiver.received.length;
    const [failed] = await listed('?status=failed');
    const resent = await own.post(`/api/webhooks/deliveries/${failed?.delivery_id}/resend`, {}, logging);
    const sentence = `The delivery ${failed?.delivery_id} is a test, which is sent once; POST /api/webhooks/test sends a new one.`;
    expect(resent.refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
    const recovered = await own.post('/api/webhooks/recover', { since: '2026-11-20' }, logging);
    expect(recovered.data).toEqual({ resent: 0, suspended: 0, next_cursor: null });
    const replayed = await own.post('/api/webhooks/replay', { from: '2026-11-20' }, logging);
    expect(replayed.data).toMatchObject({ scheduled: 0, suspended: 0 });
    expect((await own.get<{ items: object[] }>('/api/b2a/events', logging)).data.items).toEqual([]);
    await own.rebuild('deliveries');
    // Failures are counted once a minute.
    own.clock.advance(2 * MINUTE_MS);
    await allTold(own);
    expect(receiver.received).toHaveLength(before);
    expect((await own.get('/api/keys/self', logging)).data).toMatchObject({
      webhook: { failing_since: null, suspended_since: null },
    });
    expect(await listed('?status=failed')).toHaveLength(1);
  });

  test('disappears with the retention of the log', async () => {
    own.clock.advance(90 * DAY_MS);
    expect(await listed()).toEqual([]);
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
    const sentence = 'webhook_url is missing, and the key has none of its own; send one.';
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
