import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { receive, verifyBodySignature, verifyWebhook, type WaymarkEvent } from '../../../examples/verify-webhook.ts';
import { WEBHOOK_EVENTS } from '../../../src/domain/delivery/delivery.ts';
import { exampleEvent } from '../../../src/webhooks/event-contracts.ts';
import { signedHeaders } from '../../../src/webhooks/signature.ts';
import { publicEventId } from '../../support/examples.ts';

const ROOT = join(import.meta.dir, '..', '..', '..');
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, yes').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another one, of as many bytes, too').toString('base64')}`;
/** The package that checks signatures looks at the machine's own clock. */
const NOW_MS = Date.now();

const eventId = publicEventId('evt_1');
const event = 'booking_confirmed';
const body = JSON.stringify({ ...exampleEvent(event, eventId, NOW_MS), name: 'Zoë 🙂' });
const signed = signedHeaders({
  body,
  eventId,
  event,
  deliveryId: 'dlv_1',
  atMs: NOW_MS,
  secrets: { present: SECRET, previous: null },
  version: '1.2.3',
});
const otherVersion = (version: string) =>
  headers({ 'webhook-signature': signed['webhook-signature'].replace('v1,', version) });
const headers = (change: Record<string, string> = {}) => new Headers({ ...signed, ...change });

describe('the headers of an attempt', () => {
  test('are those of the contract', () => {
    const known = signedHeaders({
      body: '{"id":"evt_1"}',
      eventId,
      event,
      deliveryId: 'dlv_1',
      atMs: 1_795_230_000_999,
      secrets: { present: 'whsec_c2VjcmV0', previous: null },
      version: '1.2.3',
    });
    // echo -n '{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_c2VjcmV0
    // echo -n 'evt_1.1795230000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac secret -binary | base64
    expect<object>(known).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Waymark-Webhooks/1.2.3',
      'x-service-event': 'booking_confirmed',
      'x-service-delivery-id': 'dlv_1',
      'x-service-signature': 'sha256=c9d61dd7b695a32ef72a7f64b4eae744a805ab35dad25801d49a123f254832c0',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1795230000',
      'webhook-signature': 'v1,BOwMVbPY1ZdXN6yhfJvG7d+qAILHcuTgZSTV2e8BbIw=',
    });
  });

  test('satisfy the official library, which refuses another body, id, time or secret', () => {
    const webhook = new Webhook(SECRET);
    expect(webhook.verify(body, signed)).toEqual(JSON.parse(body));
    expect(() => webhook.verify(`${body} `, signed)).toThrow();
    expect(() => webhook.verify(body, { ...signed, 'webhook-id': 'evt_2' })).toThrow();
    const later = String(Math.floor(NOW_MS / 1_000) + 1);
    expect(() => webhook.verify(body, { ...signed, 'webhook-timestamp': later })).toThrow();
    expect(() => new Webhook(OTHER).verify(body, signed)).toThrow();
  });
});

describe('the verification example', () => {
  test('accepts a signed request', () => {
    expect(verifyWebhook(headers(), body, SECRET, NOW_MS)).toEqual(JSON.parse(body));
    expect(verifyBodySignature(headers().get('x-service-signature'), body, SECRET)).toBe(true);
  });

  test('accepts either signature during a rotation', () => {
    const two = headers({
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')} ${signed['webhook-signature']}`,
    });
    expect(verifyWebhook(two, body, SECRET, NOW_MS)).not.toBeNull();
  });

  const refused: readonly (readonly [string, Headers, string, string, number])[] = [
    ['another body', headers(), `${body} `, SECRET, NOW_MS],
    ['another id', headers({ 'webhook-id': 'evt_2' }), body, SECRET, NOW_MS],
    ['another secret', headers(), body, OTHER, NOW_MS],
    ['the signature as one of another version', otherVersion('v2,'), body, SECRET, NOW_MS],
    ['the signature without its version', otherVersion(''), body, SECRET, NOW_MS],
    ['no signature', headers({ 'webhook-signature': '' }), body, SECRET, NOW_MS],
    ['no time', headers({ 'webhook-timestamp': '' }), body, SECRET, NOW_MS],
    ['a request that is played again later', headers(), body, SECRET, NOW_MS + 302_000],
    ['a request from the future', headers(), body, SECRET, NOW_MS - 302_000],
    ['nothing at all', new Headers(), '', SECRET, NOW_MS],
  ];
  test.each(refused)('refuses %s', (_, sent, text, secret, nowMs) => {
    expect(verifyWebhook(sent, text, secret, nowMs)).toBeNull();
  });

  test('refuses the body under another secret, and no signature', () => {
    const signature = headers().get('x-service-signature');
    expect(verifyBodySignature(signature, `${body} `, SECRET)).toBe(false);
    expect(verifyBodySignature(signature, body, OTHER)).toBe(false);
    expect(verifyBodySignature(null, body, SECRET)).toBe(false);
  });

  test.each(['', 'whsec_', 'c2VjcmV0', 'whsec_not base64'])('refuses to work with %j for a secret', (secret) => {
    expect(() => verifyWebhook(headers(), body, secret, NOW_MS)).toThrow('a webhook secret is whsec_ and base64');
    expect(() => verifyBodySignature('', body, secret)).toThrow('a webhook secret is whsec_ and base64');
  });

  test('stores an event before it responds, responds 401 to a wrong signature, and passes on a failure to store', async () => {
    const kept: WaymarkEvent[] = [];
    const send = (text: string, keep: (event: WaymarkEvent) => void) =>
      receive(SECRET, keep)(new Request('http://localhost/', { method: 'POST', body: text, headers: headers() }));
    const keep = (one: WaymarkEvent) => void kept.push(one);
    expect([(await send(body, keep)).status, (await send('{}', keep)).status]).toEqual([200, 401]);
    expect(kept).toEqual([JSON.parse(body)]);
    const full = () => {
      throw new Error('no room');
    };
    expect(await send(body, full).catch((fault: unknown) => fault)).toEqual(new Error('no room'));
  });
});

/** Where each language's part of the guide begins and ends. */
const SHOWN = [
  ['ts', 'const TOLERANCE_S', '\n/** Answers when'],
  ['py', 'TOLERANCE_S =', '\n\n\ndef receiver'],
  ['go', 'const (\n\ttolerance', '\n// Receiver answers'],
] as const;

test.each(SHOWN)('the guide shows examples/verify-webhook.%s unchanged', (...part) => {
  const [language, first, next] = part;
  const source = readFileSync(join(ROOT, 'examples', `verify-webhook.${language}`), 'utf8');
  const shown = source.slice(source.indexOf(first), source.indexOf(next));
  expect(shown.length).toBeGreaterThan(1_000);
  expect(readFileSync(join(ROOT, 'docs', 'webhooks.md'), 'utf8')).toContain(`\`\`\`${language}\n${shown}`);
});

test.each(WEBHOOK_EVENTS)('the guide shows %s as a test sends it', (name) => {
  const { data } = exampleEvent(name, eventId, NOW_MS);
  expect(readFileSync(join(ROOT, 'docs', 'webhooks.md'), 'utf8')).toContain(JSON.stringify(data, null, 2));
});
