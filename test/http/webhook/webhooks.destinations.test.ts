import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { deliveryEvents } from '../../support/deliveries.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { openService, type Service, withKey } from '../../support/service.ts';

const PRODUCTION = { NODE_ENV: 'production', TRUSTED_PROXIES: '10.0.0.0/8' };

let service: Service;
let receiver: Receiver;
beforeEach(() => {
  receiver = openReceiver();
});
afterEach(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

/** Errors of the failed attempts so far. */
async function failures(count: number) {
  const failed = await deliveryEvents(service, 'AttemptFailed', count);
  return failed.map(({ data: { responseCode, error } }) => ({ responseCode, error }));
}

describe('in production', () => {
  test('URLs that are internal or not https are refused in every field', async () => {
    service = await openService({ settings: PRODUCTION });
    const unfit = [
      'http://agent.example/',
      'https://user:secret@agent.example/',
      'https://127.0.0.1/',
      'https://169.254.169.254/',
      'https://[::ffff:10.0.0.8]/',
      'https://0x7f000001/',
      'https://2130706433/',
      'https://0177.0.0.1/',
    ];
    for (const url of unfit) {
      const sentence = `webhook_url must be an https:// URL of a public host, without user name and password, at most 2000 characters; it was "${url}".`;
      const answers = [
        await service.post('/api/keys', { name: 'An agent', webhook_url: url }, service.admin),
        await service.book({ webhook_url: url }),
        await service.post('/api/webhooks/test', { event_type: 'qr_verified', webhook_url: url }, service.key),
      ];
      expect(answers.map(({ refusal: { code, error } }) => [code, error])).toEqual([
        ['INVALID_REQUEST', sentence],
        ['INVALID_REQUEST', sentence],
        ['INVALID_REQUEST', sentence],
      ]);
    }
  });

  test('nothing is sent to an internal URL that was stored before production', async () => {
    const settings: Record<string, string> = {};
    service = await openService({ settings });
    receiver.answer(() => new Response('no', { status: 503 }));
    const { key } = await service.createKey({ webhook_url: receiver.url });
    await service.book({}, withKey(key));
    expect(await failures(1)).toEqual([{ responseCode: 503, error: 'answered 503' }]);
    Object.assign(settings, PRODUCTION);
    await service.restart();
    service.clock.advance(5_000);
    const [, second] = await failures(2);
    expect(second).toEqual({ responseCode: null, error: 'the URL does not begin with https://' });
    expect(receiver.received).toHaveLength(1);
  });
});

// Regression: such a URL was accepted, and the first attempt crashed the process.
test('a URL in capitals works like any other', async () => {
  service = await openService();
  const capitals = receiver.url.replace('http', 'HTTP');
  const { key } = await service.createKey({ webhook_url: capitals.replace('HTTP', 'HTTPS') });
  await service.book({ webhook_url: capitals }, withKey(key));
  await deliveryEvents(service, 'DeliverySucceeded', 1);
  await service.book({}, withKey(key));
  expect(await failures(1)).toEqual([
    { responseCode: null, error: expect.stringMatching(/^the certificate was not accepted \(/) },
  ]);
  expect(receiver.received.map(({ headers }) => headers.get('x-service-event'))).toEqual(['booking_confirmed']);
});

test('a redirect to an internal address is a failure, and is not followed', async () => {
  await using inside = openReceiver();
  service = await openService();
  receiver.answer(() => Response.redirect(`${inside.url}/admin`, 307));
  const { key } = await service.createKey({ webhook_url: receiver.url });
  await service.book({}, withKey(key));
  expect(await failures(1)).toEqual([{ responseCode: 307, error: 'answered 307; redirects are not followed' }]);
  expect([receiver.received.length, inside.received.length]).toEqual([1, 0]);
});
