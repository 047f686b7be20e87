import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { deliveryEvents } from '../../support/deliveries.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { fullReference } from '../../support/reference.ts';
import { openService, type Service, withKey } from '../../support/service.ts';
import { readAnswer } from '../../support/service-answers.ts';

const PRODUCTION = { NODE_ENV: 'production', TRUSTED_PROXIES: '10.0.0.0/8' };

const TAKING_URLS = [
  'PATCH /api/keys/self',
  'PATCH /api/keys/{id}',
  'POST /api/b2a/execute_booking',
  'POST /api/keys',
  'POST /api/webhooks/enable',
  'POST /api/webhooks/test',
];
/** The service itself, its network and its cloud, as decimal, octal, hexadecimal, shortened, mapped and tunnelled addresses. */
const INTERNAL: readonly string[] = [
  '',
  'https://local\thost/',
  ...`
    http://agent.example/ ftp://agent.example/ file:///etc/passwd gopher://agent.example/ //agent.example/
    javascript:alert(1) data:text/plain,a agent.example https:// https:/// https://user:secret@agent.example/
    https://user@agent.example/ https://:@127.0.0.1/ https://agent.example@127.0.0.1/
    https://agent.example%40127.0.0.1/ https://127.0.0.1\\@agent.example/ https://127.0.0.1/ https://127.1/
    https://127.0.1/ https://2130706433/ https://0x7f000001/ https://0x7f.0.0.1/ https://0x7F.0x0.0x0.0x1/
    https://0177.0.0.1/ https://017700000001/ https://127.0.0.1./ https://127。0。0。1/ https://１２７.0.0.1/
    https://%31%32%37.0.0.1/ https://0/ https://10.0.0.8/ https://167772168/ https://012.0.0.8/ https://172.16.0.1/
    https://192.168.0.1/ https://169.254.169.254/latest/meta-data https://2852039166/ https://0xa9fea9fe/
    https://100.64.0.1/ https://168.63.129.16/ https://192.0.0.192/ https://224.0.0.1/ https://255.255.255.255/
    https://[::1]/ https://[::]/ https://[0:0:0:0:0:0:0:1]/ https://[::127.0.0.1]/ https://[::ffff:127.0.0.1]/
    https://[::ffff:7f00:1]/ https://[::ffff:a9fe:a9fe]/ https://[::ffff:0:127.0.0.1]/ https://[64:ff9b::127.0.0.1]/
    https://[64:ff9b::a9fe:a9fe]/ https://[64:ff9b:1::1]/ https://[2002:7f00:1::]/ https://[2002:a9fe:a9fe::]/
    https://[2001:0:7f00:1::]/ https://[fd00:ec2::254]/ https://[fe80::1]/ https://[ff02::1]/ https://[fec0::1]/
    https://[fe80::1%25eth0]/ https://[2001:db8::1]/ https://localhost/ https://LOCALHOST./ https://api.localhost/
    https://ⓛocalhost/
  `
    .trim()
    .split(/\s+/),
];

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
  test('no form of an internal URL is accepted by any operation that takes one', async () => {
    service = await openService({ settings: PRODUCTION });
    const reference = await fullReference((path) => service.send(path));
    const key = await service.createKey();
    const taking = reference.operations.flatMap(({ method, path, pointer }) => {
      const media = reference.at(`${pointer}/requestBody/content/application~1json`);
      const fields = reference.at(`${media?.pointer}/schema`)?.value['properties'];
      const takes = typeof fields === 'object' && fields !== null && 'webhook_url' in fields;
      return takes ? [{ method, path: path.replace('{id}', key.id), example: media?.value['example'] as object }] : [];
    });
    expect(taking.map(({ method, path }) => `${method} ${path.replace(key.id, '{id}')}`).toSorted()).toEqual(
      TAKING_URLS,
    );
    const before = (await service.events()).length;
    for (const { method, path, example } of taking) {
      const by = path.startsWith('/api/keys') && !path.startsWith('/api/keys/self') ? service.admin : withKey(key.key);
      for (const url of INTERNAL) {
        const body = JSON.stringify({ ...example, webhook_url: url });
        const headers = { ...by, 'content-type': 'application/json' };
        const { refusal } = await readAnswer(await service.send(path, { method, headers, body }));
        expect([method, path, refusal.code, refusal.details]).toEqual([
          method,
          path,
          'INVALID_REQUEST',
          expect.stringContaining(
            url.includes('\t')
              ? 'webhook_url contains a tab (U+0009)'
              : `webhook_url must be an https:// URL of a public host, without user name and password, at most 2000 characters; it was ${JSON.stringify(url)}.`,
          ),
        ]);
      }
    }
    expect((await service.events()).length).toBe(before);
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
