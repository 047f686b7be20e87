import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { WEBHOOK_EVENTS } from '../../../src/domain/delivery/delivery.ts';
import {
  bookInTwoDays,
  type Captured,
  type Captures,
  captured,
  changed,
  openCaptures,
  sendTest,
  without,
} from '../../support/captures.ts';
import { deliveryEvents } from '../../support/deliveries.ts';
import { BUILD_MS } from '../../support/peers/go-program.ts';
import {
  commandOf,
  EXAMPLES,
  type RunningReceiver,
  startReceiver,
  WRITTEN_FROM_THE_GUIDE,
} from '../../support/peers/receivers.ts';
import { openReceiver } from '../../support/receiver.ts';
import { withKey } from '../../support/service.ts';
import type { Deliveries, Key } from '../../support/service-answers.ts';

// Real receivers, to which the real service delivers; and what somebody on the way could make of its requests.

/** Where each receiver checks `webhook-signature`, and where it checks `X-Service-Signature`. */
const STANDARD = [
  ...EXAMPLES.map((file) => [file, ''] as const),
  ...WRITTEN_FROM_THE_GUIDE.map((file) => [file, 'standard'] as const),
];
const SERVICE = WRITTEN_FROM_THE_GUIDE.map((file) => [file, 'service'] as const);

const ROTATE = '/api/keys/self/webhook_secret/rotate';

let captures: Captures;
beforeAll(async () => {
  // Built before the clock is read, since the requests are good for five minutes only.
  for (const file of [...EXAMPLES, ...WRITTEN_FROM_THE_GUIDE]) await commandOf(file);
  captures = await openCaptures();
}, BUILD_MS);
afterAll(() => captures?.[Symbol.asyncDispose]());

const start = (file: string) => startReceiver(file, captures.key.webhook_secret);

async function replay(url: string, { headers, body }: Captured): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

/** Has the service send one more, and resolves when it was worked on: all that was taken before was worked on by then. */
async function settle(receiver: RunningReceiver, url: string): Promise<readonly { readonly id: string }[]> {
  const { status } = await sendTest(captures.service, captures.key, 'qr_verified', url);
  expect(status).toBe('success');
  await receiver.worked('"qr_verified"');
  return receiver.taken().slice(0, -1);
}

const idOf = ({ headers }: Captured) => headers['webhook-id'] ?? '';
const signatureOf = ({ headers }: Captured) => headers['webhook-signature'] ?? '';

describe.each([...STANDARD, ...SERVICE])('%s /%s', (file, path) => {
  test("accepts a booking's event, and the service records its delivery", async () => {
    await using receiver = await start(file);
    const { service, key } = captures;
    const delivered = (await deliveryEvents(service, 'DeliverySucceeded', 0)).length;
    const url = receiver.url + path;
    const wish = { activity_id: 'night-market', num_adults: 1, user_name: 'ชื่อ "Ü" </b> \\ 🙂', webhook_url: url };
    const { data: booking } = await bookInTwoDays(service, key, wish);
    await deliveryEvents(service, 'DeliverySucceeded', delivered + 1);
    await service.documents('deliveries');
    const log = `/api/webhooks/deliveries?booking_id=${booking.booking_id}`;
    const { items } = (await service.get<Deliveries>(log, withKey(key.key))).data;
    expect(items.map(({ status, attempts }) => [status, attempts.map((one) => one.response_code)])).toEqual([
      ['success', [200]],
    ]);
    await receiver.worked(items[0]?.event_id ?? 'no event');
    expect<object>(receiver.taken()).toEqual(items.map(({ payload }) => payload));
  });

  test('accepts every type of event', async () => {
    await using receiver = await start(file);
    for (const event of WEBHOOK_EVENTS) {
      const tried = await sendTest(captures.service, captures.key, event, receiver.url + path);
      expect([event, tried.status, tried.response_code]).toEqual([event, 'success', 200]);
      await receiver.worked(`"${event}"`);
    }
    const sent = WEBHOOK_EVENTS.map((event) => ({ event, test: true }));
    expect<object[]>([...receiver.taken()]).toMatchObject(sent);
  });

  test('handles an event once, however often it arrives, and acknowledges it each time', async () => {
    await using receiver = await start(file);
    const url = receiver.url + path;
    const answers = [
      await replay(url, captures.confirmed),
      await replay(url, captures.confirmed),
      await replay(url, captures.modified),
      await replay(url, captures.confirmed),
    ];
    expect(answers).toEqual([200, 200, 200, 200]);
    const { confirmed, modified } = captures;
    expect(await settle(receiver, url)).toMatchObject([JSON.parse(confirmed.body), JSON.parse(modified.body)]);
  });

  test('refuses a signature of another secret, and the service records the refusal', async () => {
    await using receiver = await start(file);
    const url = receiver.url + path;
    const tried = await sendTest(captures.service, captures.stranger, 'booking_confirmed', url);
    expect([tried.status, tried.response_code]).toEqual(['failed', 401]);
    expect(await replay(url, captures.foreign)).toBe(401);
    expect(await settle(receiver, url)).toEqual([]);
  });

  test('refuses a changed body and an empty one', async () => {
    await using receiver = await start(file);
    const url = receiver.url + path;
    const { confirmed } = captures;
    const bodies = [
      confirmed.body.replace('"num_adults":2', '"num_adults":1'),
      `${confirmed.body} `,
      `\u{FEFF}${confirmed.body}`,
      confirmed.body.slice(0, -1),
      '',
    ];
    for (const body of bodies) expect([body, await replay(url, { ...confirmed, body })]).toEqual([body, 401]);
    expect(await settle(receiver, url)).toEqual([]);
  });
});

test.each([...EXAMPLES, ...WRITTEN_FROM_THE_GUIDE])('%s does not start with a malformed secret', async (file) => {
  for (const secret of ['', 'whsec_', 'secret']) {
    const fault = await startReceiver(file, secret).catch((thrown: unknown) => thrown);
    expect(String(fault)).toMatch(/did not start:\n[^]*webhook secret/);
  }
});

describe.each(STANDARD)('%s /%s, by webhook-signature,', (file, path) => {
  test('refuses requests that are old or early, have another id, or have no valid signature', async () => {
    await using receiver = await start(file);
    const url = receiver.url + path;
    const { confirmed, modified, foreign, old, early } = captures;
    const nowS = String(Math.floor(captures.service.clock.nowMs() / 1_000) - 1);
    const refused: Readonly<Record<string, Captured>> = {
      old,
      early,
      'old, with a new time': changed(old, { 'webhook-timestamp': nowS }),
      'without time': without(confirmed, 'webhook-timestamp'),
      'with no time': changed(confirmed, { 'webhook-timestamp': '' }),
      'with a time that is none': changed(confirmed, { 'webhook-timestamp': 'now' }),
      'with another id': changed(confirmed, { 'webhook-id': idOf(modified) }),
      'without id': without(confirmed, 'webhook-id'),
      'without signature': without(confirmed, 'webhook-signature'),
      'with an empty signature': changed(confirmed, { 'webhook-signature': '' }),
      'with nothing but a version': changed(confirmed, { 'webhook-signature': 'v1,' }),
      'with the signature of another': changed(confirmed, { 'webhook-signature': signatureOf(modified) }),
      'with two of others': changed(confirmed, {
        'webhook-signature': `${signatureOf(modified)} ${signatureOf(foreign)}`,
      }),
      'with another version': changed(confirmed, { 'webhook-signature': signatureOf(confirmed).replace('v1,', 'v2,') }),
      'without version': changed(confirmed, { 'webhook-signature': signatureOf(confirmed).replace('v1,', '') }),
      'with no header at all': { headers: {}, body: confirmed.body },
    };
    const answers: Record<string, number> = {};
    for (const [name, request] of Object.entries(refused)) answers[name] = await replay(url, request);
    expect(answers).toEqual(Object.fromEntries(Object.keys(refused).map((name) => [name, 401])));
    expect(await settle(receiver, url)).toEqual([]);
  });

  test('accepts two signatures, as during a rotation', async () => {
    await using receiver = await start(file);
    const url = receiver.url + path;
    const { confirmed, modified, foreign } = captures;
    const first = changed(confirmed, { 'webhook-signature': `${signatureOf(confirmed)} ${signatureOf(foreign)}` });
    const second = changed(modified, { 'webhook-signature': `${signatureOf(foreign)} ${signatureOf(modified)}` });
    expect([await replay(url, first), await replay(url, second)]).toEqual([200, 200]);
    expect((await settle(receiver, url)).map(({ id }) => id)).toEqual([idOf(confirmed), idOf(modified)]);
  });
});

test.each(SERVICE)(
  '%s /%s, by X-Service-Signature, refuses a wrong signature and a missing one',
  async (file, path) => {
    await using receiver = await start(file);
    const url = receiver.url + path;
    const { confirmed, modified } = captures;
    const signature = confirmed.headers['x-service-signature'] ?? '';
    const refused = [
      without(confirmed, 'x-service-signature'),
      changed(confirmed, { 'x-service-signature': '' }),
      changed(confirmed, { 'x-service-signature': 'sha256=' }),
      changed(confirmed, { 'x-service-signature': signature.slice('sha256='.length) }),
      changed(confirmed, { 'x-service-signature': signature.replace('sha256=', 'sha512=') }),
      changed(confirmed, { 'x-service-signature': modified.headers['x-service-signature'] ?? '' }),
    ];
    for (const request of refused) expect(await replay(url, request)).toBe(401);
    expect(await settle(receiver, url)).toEqual([]);
  },
);

describe.each([...STANDARD, ...SERVICE])('%s /%s, during a rotation,', (file, path) => {
  // The old secret's signature stands beside the new one's in webhook-signature, and alone in X-Service-Signature.
  const during = path === 'service' ? [200, 401] : [200, 200];

  test('accepts deliveries with either secret, and after the rotation with the new one only', async () => {
    const { service } = captures;
    await using onTheWay = openReceiver();
    const key = await service.createKey({ webhook_url: onTheWay.url });
    const { webhook_secret: newer } = (await service.post<Key>(ROTATE, {}, withKey(key.key))).data;
    await using before = await startReceiver(file, key.webhook_secret);
    await using after = await startReceiver(file, newer);
    /** Books, and tells what the receiver of either secret answers to the delivery. */
    const answers = async (deliveries: number): Promise<readonly number[]> => {
      await bookInTwoDays(service, key, { activity_id: 'light-show', num_adults: 1 });
      const delivery = captured(await onTheWay.arrived(deliveries));
      return [await replay(before.url + path, delivery), await replay(after.url + path, delivery)];
    };
    expect(await answers(1)).toEqual(during);
    await service.post(`${ROTATE}/finish`, {}, withKey(key.key));
    expect(await answers(2)).toEqual([401, 200]);
  });
});

test.each(WRITTEN_FROM_THE_GUIDE)('%s orders events by sequence if a later one arrives first', async (file) => {
  await using receiver = await start(file);
  const url = `${receiver.url}standard`;
  const { confirmed, modified } = captures;
  expect([await replay(url, modified), await replay(url, confirmed)]).toEqual([200, 200]);
  const { sequence, data } = JSON.parse(modified.body) as { sequence: number; data: { booking_id: string } };
  expect(sequence).toBeGreaterThan((JSON.parse(confirmed.body) as { sequence: number }).sequence);
  const known: unknown = await (await fetch(`${receiver.url}bookings`)).json();
  expect(known).toEqual({ [data.booking_id]: { event: 'booking_modified', sequence } });
});
