import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ErrorCode } from '../../src/application/refusal.ts';
import { createApp } from '../../src/http/app.ts';
import { StoreRefused } from '../../src/ports/store-refused.ts';
import { StoreUnavailable } from '../../src/ports/store-unavailable.ts';
import { checkedByReference } from '../support/reference.ts';
import { A_WISH, openService, type Service, withKey } from '../support/service.ts';
import { readAnswer, refused } from '../support/service-answers.ts';

const BOOK = '/api/b2a/execute_booking';
const LIMIT = 65_536;
const JSON_TYPE = { 'content-type': 'application/json' };

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** A wish of exactly so many bytes. */
function wishOf(bytes: number): string {
  const text = JSON.stringify({ ...A_WISH, dry_run: true });
  return `${text}${' '.repeat(bytes - text.length)}`;
}

function chunked(text: string): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 10_000) controller.enqueue(bytes.subarray(at, at + 10_000));
      controller.close();
    },
  });
}

async function postRaw(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | null,
  headers: Record<string, string> = {},
  path = BOOK,
) {
  return readAnswer(await service.send(path, { method: 'POST', body, headers: { ...service.key, ...headers } }));
}

describe('a body', () => {
  const tooLarge = refused(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${LIMIT} bytes; send less.`);

  test('of 64 KiB is read, with and without Content-Length', async () => {
    const text = wishOf(LIMIT);
    const declared = { ...JSON_TYPE, 'content-length': String(LIMIT) };
    expect((await postRaw(text, declared)).status).toBe(200);
    expect((await postRaw(chunked(text), JSON_TYPE)).status).toBe(200);
  });

  test('of one byte more is PAYLOAD_TOO_LARGE, with and without Content-Length', async () => {
    const text = wishOf(LIMIT + 1);
    const declared = { ...JSON_TYPE, 'content-length': String(LIMIT + 1) };
    expect((await postRaw(text, declared)).refusal).toEqual(tooLarge);
    expect((await postRaw(chunked(text), JSON_TYPE)).refusal).toEqual(tooLarge);
    expect((await postRaw(text, { ...JSON_TYPE, 'content-length': 'many' })).refusal).toEqual(tooLarge);
  });

  test('is measured in bytes, not in characters', async () => {
    const text = JSON.stringify({ ...A_WISH, padding: 'ก'.repeat(LIMIT / 3) });
    expect(text.length).toBeLessThan(LIMIT);
    expect((await postRaw(chunked(text), JSON_TYPE)).refusal).toEqual(tooLarge);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json-patch+json', ''])(
    'is JSON, not "%s"',
    async (type) => {
      const answer = await postRaw(Buffer.from(JSON.stringify(A_WISH)), { 'content-type': type });
      const sentence = `The body's Content-Type is "${type}"; send JSON with Content-Type: application/json.`;
      expect(answer.refusal).toEqual(refused(415, 'UNSUPPORTED_MEDIA_TYPE', sentence));
    },
  );

  test('may name its charset', async () => {
    const text = JSON.stringify({ ...A_WISH, dry_run: true });
    expect((await postRaw(text, { 'content-type': 'Application/JSON ; charset=utf-8' })).status).toBe(200);
  });

  test('that is no JSON is INVALID_REQUEST', async () => {
    for (const text of ['{"activity_id":', '{nope}', "{'a':1}", '{} {}', 'undefined', '\u0000']) {
      const { refusal } = await postRaw(text, JSON_TYPE);
      const { details } = refusal;
      const sentence = 'The body is not well-formed JSON; send one JSON object.';
      expect(refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence, { details }));
    }
  });

  test('that is JSON, but no object, is INVALID_REQUEST', async () => {
    for (const text of ['[]', 'null', '"a wish"', '7', 'true']) {
      const { refusal } = await postRaw(text, JSON_TYPE);
      expect(refusal).toEqual(refused(400, 'INVALID_REQUEST', 'The body must be a JSON object.'));
    }
  });

  test('of more than 64 levels is INVALID_REQUEST, whatever the levels are in', async () => {
    const lists = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const objects = (levels: number): string => `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`;
    const wish = JSON.stringify({ ...A_WISH, dry_run: true }).slice(0, -1);
    const tooDeep = refused(
      400,
      'INVALID_REQUEST',
      'The body has more than 64 levels of lists and objects; send fewer.',
    );
    for (const nested of [lists, objects]) {
      const { refusal } = await postRaw(`${wish},"extra":${nested(63)}}`, JSON_TYPE);
      expect(refusal.error).toStartWith('unknown field "extra"; ');
      expect((await postRaw(`${wish},"extra":${nested(64)}}`, JSON_TYPE)).refusal).toEqual(tooDeep);
    }
    expect((await postRaw(lists(30_000), JSON_TYPE)).refusal).toEqual(tooDeep);
  });

  test('may have as many brackets as it likes that are no levels', async () => {
    const texts = ['['.repeat(100), '\\"['.repeat(100), '\\'.repeat(99)];
    const extra = { texts, side_by_side: Array.from({ length: 100 }, () => [{}]) };
    const text = JSON.stringify({ ...extra, ...A_WISH, dry_run: true });
    expect((await postRaw(text, JSON_TYPE)).refusal.error).toStartWith('unknown field "texts"; ');
  });

  test('whose sender goes away is no fault of the service', async () => {
    const gone = new ReadableStream({
      pull: (controller) => controller.error(new DOMException('The connection was closed.', 'AbortError')),
    });
    const before = service.logged.length;
    const sentence = 'The connection ended before the body did; send the request again.';
    expect((await postRaw(gone, JSON_TYPE)).refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
    expect(service.logged.slice(before)).toEqual([]);
  });

  test('that is missing counts as {}', async () => {
    const empty = (await postRaw('{}', JSON_TYPE)).refusal;
    expect(empty.error).toStartWith('activity_id is missing; ');
    expect((await postRaw(null)).refusal).toEqual(empty);
    expect((await postRaw('', { 'content-type': 'text/plain' })).refusal).toEqual(empty);
    expect((await postRaw(chunked(''), JSON_TYPE)).refusal).toEqual(empty);
  });
});

describe('who calls comes before what is wrong with the request', () => {
  const malformed: readonly (readonly [
    what: string,
    body: string,
    headers: Record<string, string>,
    code: ErrorCode,
  ])[] = [
    ['malformed JSON', '{', JSON_TYPE, 'INVALID_REQUEST'],
    ['a body that is too large', wishOf(LIMIT + 1), JSON_TYPE, 'PAYLOAD_TOO_LARGE'],
    ['a body that is no JSON', 'book it', { 'content-type': 'text/plain' }, 'UNSUPPORTED_MEDIA_TYPE'],
    ['fields that are missing', '{}', JSON_TYPE, 'INVALID_REQUEST'],
  ];

  test.each(malformed)('with %s', async (_what, body, headers, code) => {
    expect((await postRaw(body, headers)).refusal.code).toBe(code);
    expect((await postRaw(body, { ...headers, 'x-api-key': '' })).refusal.code).toBe('MISSING_API_KEY');
    const { key } = await service.createKey({ permissions: ['inventory'] });
    expect((await postRaw(body, { ...headers, ...withKey(key) })).refusal.code).toBe('ENDPOINT_NOT_ALLOWED');
    expect((await postRaw(body, headers, '/api/keys')).refusal.code).toBe('MISSING_TOKEN');
    expect((await postRaw(body, headers, '/api/venue/verify')).refusal.code).toBe('MISSING_DEVICE_KEY');
  });

  test('and what is wrong with the request before the state of things', async () => {
    const { refusal } = await service.book({ activity_id: 'no-such-place', num_adults: 0 });
    expect(refusal.code).toBe('INVALID_REQUEST');
    expect((await service.book({ activity_id: 'no-such-place' })).refusal.code).toBe('ACTIVITY_NOT_FOUND');
  });
});

describe('the request id', () => {
  const idOf = async (sent: string | null): Promise<string | null> => {
    const headers = sent === null ? {} : { 'x-request-id': sent };
    return (await service.get('/livez', headers)).headers.get('x-request-id');
  };

  test.each(['7', 'req_1-2.3:4', 'a'.repeat(128)])('of the caller comes back: %s', async (sent) => {
    expect(await idOf(sent)).toBe(sent);
  });

  test.each(['', 'a b', '<script>', '"', 'a'.repeat(129), 'é', 'a;b'])(
    'that is not sane is replaced: %s',
    async (sent) => {
      expect(await idOf(sent)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    },
  );

  test('is made where none was sent, another one each time', async () => {
    expect(await idOf(null)).not.toBe(await idOf(null));
  });

  test('comes back with refusals, images and bare documents too, and stands in the events', async () => {
    const headers = { ...service.key, 'x-request-id': 'req_7' };
    const { data } = await service.book({}, headers);
    for (const path of [
      '/nowhere',
      BOOK,
      `/api/vouchers/${data.voucher.code}/qr.png`,
      '/.well-known/waymark-voucher-keys.json',
    ]) {
      expect((await service.send(path, { headers })).headers.get('x-request-id')).toBe('req_7');
    }
    const events = await service.events();
    const ours = events.filter(({ stream }) => stream === `booking-${data.booking_id}`);
    expect(ours.map(({ cause }) => cause.correlationId)).toEqual(['req_7', 'req_7', 'req_7']);
  });
});

describe('an answer', () => {
  const path = '/api/keys?limit=100';
  const raw = async (encoding: string): Promise<Response> =>
    service.send(path, { headers: { ...service.admin, 'accept-encoding': encoding } });

  beforeAll(async () => {
    for (const name of ['one', 'two', 'three', 'four']) await service.createKey({ name });
    await service.documents('keys');
  });

  test('is compressed where gzip is asked for, and says the same', async () => {
    const plain = await raw('identity');
    const zipped = await raw('br, gzip;q=0.8');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(zipped.headers.get('vary')).toBe('accept-encoding');
    const [text, bytes] = [await plain.text(), new Uint8Array(await zipped.arrayBuffer())];
    expect(bytes.length).toBeLessThan(text.length / 2);
    expect(Buffer.from(Bun.gunzipSync(bytes)).toString()).toBe(text);
  });

  test('is not compressed for who refuses gzip', async () => {
    expect((await raw('br, gzip;q=0')).headers.get('content-encoding')).toBeNull();
  });

  test('so short that it is not worth it is not compressed', async () => {
    const answer = await service.send('/livez', { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(await answer.json()).toEqual({ success: true, data: { status: 'ok' } });
  });
});

describe('a fault', () => {
  test('is INTERNAL_ERROR: the answer has only the request id, the log has the fault', async () => {
    const fault = new Error('the disk of /secret/place is broken');
    const operations = { ...service.node.context.operations, status: () => Promise.reject(fault) };
    const app = checkedByReference(createApp({ ...service.node.context, operations }));
    const headers = { ...service.admin, 'x-request-id': 'req_8' };
    const answer = await readAnswer(await app.handle(new Request('http://localhost/api/ops/projections', { headers })));
    expect(answer.refusal).toEqual(
      refused(
        500,
        'INTERNAL_ERROR',
        'The service failed on this request; send it again, and tell the operator the request id if it fails again.',
        { details: 'request id: req_8', retryable: true, resolution: 'retry_later' },
      ),
    );
    const facts = { requestId: 'req_8', endpoint: 'list_projections', fault };
    expect(service.logged).toContainEqual({ level: 'error', happening: 'request failed', facts });
  });

  test('of an engine that is away is SERVICE_UNAVAILABLE: it names the engine, and when to come again', async () => {
    const fault = new StoreUnavailable('read models', '10.0.0.7 refused the connection');
    const operations = { ...service.node.context.operations, status: () => Promise.reject(fault) };
    const app = checkedByReference(createApp({ ...service.node.context, operations }));
    const asked = new Request('http://localhost/api/ops/projections', { headers: service.admin });
    const answer = await readAnswer(await app.handle(asked));
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.refusal).toEqual(
      refused(
        503,
        'SERVICE_UNAVAILABLE',
        'The service cannot answer this now; send the same request again after a moment.',
        {
          details:
            'reason: the read models cannot be reached. With the same Idempotency-Key a repeated request never books or charges twice.',
          retryable: true,
          resolution: 'retry_later',
        },
      ),
    );
  });

  test('of an engine that keeps the service out is SERVICE_UNAVAILABLE too, and says nothing of why', async () => {
    const fault = new StoreRefused('event store', 'the user of EVENTSTORE_URL may not append');
    const operations = { ...service.node.context.operations, status: () => Promise.reject(fault) };
    const app = checkedByReference(createApp({ ...service.node.context, operations }));
    const asked = new Request('http://localhost/api/ops/projections', { headers: service.admin });
    const answer = await readAnswer(await app.handle(asked));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(answer.refusal).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: expect.stringMatching(/^reason: the event store cannot be used\. /),
    });
  });
});
