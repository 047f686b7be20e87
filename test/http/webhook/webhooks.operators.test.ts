import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { deliveryEvents } from '../../support/deliveries.ts';
import { createOperator } from '../../support/operators.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { type Credentials, openService, type Service, withKey } from '../../support/service.ts';
import { type AnswerOf, type Deliveries, type Delivery, faulty, refused } from '../../support/service-answers.ts';

const GUEST = { user_name: 'Zora Quill', user_email: 'zora@quill.example', reference: 'trip-42' };
const LIST = '/api/webhooks/deliveries';

let service: Service;
let receiver: Receiver;
let [support, viewer]: Credentials[] = [];
/** Two keys with one delivery each: that of the first failed once, that of the second, a minute later, arrived. */
let [first, second] = [
  { id: '', key: {} as Credentials },
  { id: '', key: {} as Credentials },
];

beforeAll(async () => {
  service = await openService();
  receiver = openReceiver();
  const create = async () => {
    const { id, key } = await service.createKey({ webhook_url: `${receiver.url}/t0ken` });
    return { id, key: withKey(key) };
  };
  [first, second] = [await create(), await create()];
  support = (await createOperator(service, 'support')).headers;
  viewer = (await createOperator(service, 'viewer')).headers;
  receiver.answer(() => new Response('', { status: 401 }));
  await service.book(GUEST, first.key);
  await deliveryEvents(service, 'AttemptFailed', 1);
  receiver.answer(() => new Response('ok'));
  service.clock.advance(1_000);
  await service.book(GUEST, second.key);
  await deliveryEvents(service, 'DeliverySucceeded', 1);
});
afterAll(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

async function listed(query = '', headers = support): Promise<readonly Delivery[]> {
  await service.documents('deliveries');
  return (await service.get<Deliveries>(`${LIST}${query}`, headers)).data.items;
}

/** The only delivery of a key, as somebody reads it. */
async function readAs(headers: Credentials | undefined, keyId: string): Promise<Delivery> {
  const [delivery] = await listed(`?key=${keyId}`);
  return (await service.get<Delivery>(`${LIST}/${delivery?.delivery_id}`, headers)).data;
}

describe('the delivery log of all keys', () => {
  test('shows an operator the deliveries of every key, newest first, by each filter', async () => {
    const keys = async (query: string) => (await listed(query)).map(({ key_id }) => key_id);
    const booking = (await listed(`?key=${first.id}`))[0]?.booking_id ?? '';
    expect(await keys('')).toEqual([second.id, first.id]);
    expect(await keys(`?key=${first.id}`)).toEqual([first.id]);
    expect(await keys('?key=key_none')).toEqual([]);
    expect(await keys('?status=success')).toEqual([second.id]);
    expect(await keys('?status=retrying&event=booking_confirmed')).toEqual([first.id]);
    expect(await keys('?event=qr_verified')).toEqual([]);
    expect(await keys(`?booking_id=${booking}`)).toEqual([first.id]);
    expect(await keys(`?booking_id=${booking}&key=${second.id}`)).toEqual([]);
    expect(await keys('?from=2026-11-21T03:00:01Z')).toEqual([second.id]);
    expect(await keys('?to=2026-11-21T03:00:01Z')).toEqual([first.id]);
  });

  test('is paged across keys', async () => {
    await service.documents('deliveries');
    const page = (await service.get<Deliveries>(`${LIST}?limit=1`, support)).data;
    const next = (await service.get<Deliveries>(`${LIST}?limit=1&cursor=${page.next_cursor}`, support)).data;
    expect([...page.items, ...next.items].map(({ key_id }) => key_id)).toEqual([second.id, first.id]);
    expect(next.next_cursor).toBeNull();
  });

  test('has no data of guests and no path of a URL, whatever the role', async () => {
    for (const headers of [service.admin, support, viewer]) {
      const text = JSON.stringify(await listed('', headers));
      expect(text).toContain('"user_name":"[hidden]"');
      expect([...Object.values(GUEST), 't0ken', 'WM-'].filter((shown) => text.includes(shown))).toEqual([]);
    }
  });

  test('shows one delivery with the guest to support, and without the guest to a viewer', async () => {
    const whole = await readAs(support, first.id);
    expect(whole.payload.data).toMatchObject(GUEST);
    expect(whole.url).toBe(`${receiver.url}/t0ken`);
    expect(whole.attempts.map(({ response_code, error }) => [response_code, error])).toEqual([[401, 'answered 401']]);
    const hidden = await readAs(viewer, first.id);
    expect(hidden).toEqual({
      ...whole,
      url: receiver.url,
      payload: {
        ...whole.payload,
        data: {
          ...whole.payload.data,
          user_name: '[hidden]',
          user_email: '[hidden]',
          voucher_code: '[hidden]',
          reference: '[hidden]',
          metadata: {},
        },
      },
    } as Delivery);
  });
});

test('an API key names no key, not even its own', async () => {
  const sentence = 'key is a field of operators: an API key sees its own receivers only; leave it out.';
  for (const key of [first.id, second.id]) {
    expect((await service.get(`${LIST}?key=${key}`, first.key)).refusal).toEqual(
      refused(400, 'INVALID_REQUEST', sentence),
    );
    const body = { key, since: '2026-11-20' };
    expect((await service.post('/api/webhooks/recover', body, first.key)).refusal).toEqual(
      refused(400, 'INVALID_REQUEST', sentence),
    );
  }
});

test.each([
  ['test', { event_type: 'qr_verified' }],
  ['recover', { since: '2026-11-20' }],
  ['replay', { from: '2026-11-20' }],
  ['enable', {}],
])('an operator names the key of POST /api/webhooks/%s', async (path, body) => {
  const post = (more: object) => service.post(`/api/webhooks/${path}`, { ...body, ...more }, support);
  const sentence = 'key is missing; send the id of the API key whose receiver this is about.';
  expect((await post({})).refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
  expect((await post({ key: 'key_none' })).refusal).toEqual(
    refused(404, 'NOT_FOUND', 'There is no API key with the id "key_none".'),
  );
  expect((await post({ key: '' })).refusal).toEqual(
    faulty('INVALID_REQUEST', 'key must be the id of an API key; for operators only; it was "".'),
  );
});

test('a header decides who calls: with a key beside an operator token the key does', async () => {
  const own = await listed('', { ...first.key, ...support });
  expect(own.map(({ key_id }) => key_id)).toEqual([first.id]);
});

describe('an operator', () => {
  test('resends a delivery of any key, once for each Idempotency-Key, which is not that of the owner', async () => {
    receiver.answer(() => new Response('ok'));
    const { delivery_id: id } = await readAs(support, second.id);
    const resend = (headers: Credentials | undefined) =>
      service.post<Delivery>(`${LIST}/${id}/resend`, {}, { ...headers, 'idempotency-key': 'outage-17' });
    const before = receiver.received.length;
    expect((await resend(second.key)).status).toBe(200);
    await receiver.arrived(before + 1);
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    const resent = await resend(support);
    expect([resent.status, resent.data.status, resent.data.key_id]).toEqual([200, 'retrying', second.id]);
    await receiver.arrived(before + 2);
    await deliveryEvents(service, 'DeliverySucceeded', 3);
    await service.documents('deliveries');
    expect((await resend(support)).data.status).toBe('success');
    expect((await deliveryEvents(service, 'ResendRequested', 2)).map(({ cause }) => cause.by)).toEqual([
      second.id,
      expect.stringMatching(/^op_/),
    ]);
  });

  test("tests a key's receiver with the key's signature, and the log of the key shows it", async () => {
    receiver.answer(() => new Response('', { status: 500 }));
    const tested = await service.post<AnswerOf<'post /api/webhooks/test'>>(
      '/api/webhooks/test',
      { event_type: 'qr_verified', key: first.id },
      support,
    );
    expect(tested.data).toMatchObject({ status: 'failed', response_code: 500, error: 'answered 500' });
    expect(receiver.received.at(-1)?.path).toBe('/t0ken');
    expect(receiver.received.at(-1)?.headers.get('x-service-signature')).toBe(tested.data.signature);
    const [newest] = await listed('', first.key);
    expect([newest?.delivery_id, newest?.test, newest?.failed_because]).toEqual([tested.data.delivery_id, true, null]);
  });

  test('replays the events of one key', async () => {
    service.clock.advance(MINUTE_MS);
    receiver.answer(() => new Response('ok'));
    await service.documents('feed');
    const replayed = await service.post<AnswerOf<'post /api/webhooks/replay'>>(
      '/api/webhooks/replay',
      { from: '2026-11-20', key: first.id },
      support,
    );
    expect(replayed.data).toMatchObject({ scheduled: 1, suspended: 0, next_cursor: null });
    const scheduled = await deliveryEvents(service, 'ReplayScheduled', 1);
    expect(scheduled.map(({ data }) => data.keyId)).toEqual([first.id as never]);
  });
});
