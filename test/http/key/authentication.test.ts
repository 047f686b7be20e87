import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openService, type Service, withDevice, withKey, withToken } from '../../support/service.ts';
import { readAnswer, refused } from '../../support/service-answers.ts';

type Endpoint = readonly [method: string, path: string];

/** One operation for each kind of caller; test/http/callers has all of them. */
const BY_KEY: Endpoint = ['GET', '/api/b2a/bookings'];
const BY_ADMIN: Endpoint = ['GET', '/api/bookings'];
const BY_ANALYST: Endpoint = ['GET', '/api/ops/projections'];
const BY_DEVICE: Endpoint = ['POST', '/api/venue/verify'];
const UNKNOWN = '0123456789abcdef'.repeat(4);

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** Sent with nothing else: who calls is looked at before anything. */
async function refusalOf([method, path]: Endpoint, headers: Record<string, string> = {}) {
  return (await readAnswer(await service.send(path, { method, headers }))).refusal;
}

describe('an operation for API keys', () => {
  test('without a key is MISSING_API_KEY, an empty one is no key', async () => {
    const expected = refused(
      401,
      'MISSING_API_KEY',
      'The header x-api-key is missing; send your API key (64 hexadecimal characters) in it.',
    );
    expect(await refusalOf(BY_KEY)).toEqual(expected);
    expect(await refusalOf(BY_KEY, withKey(''))).toEqual(expected);
  });

  test('with a key that is unknown or malformed is INVALID_API_KEY', async () => {
    const sentence = 'The API key in x-api-key is not known; check that all 64 characters were copied.';
    const expected = refused(401, 'INVALID_API_KEY', sentence);
    const known = service.key['x-api-key'] ?? '';
    for (const value of [UNKNOWN, 'pk_012345', known.slice(1), known.toUpperCase(), `${known}0`]) {
      expect(await refusalOf(BY_KEY, withKey(value))).toEqual(expected);
    }
  });

  test('with an operator token or a device key in place of the key is MISSING_API_KEY', async () => {
    for (const other of [service.admin, service.gates.pier]) {
      expect((await refusalOf(BY_KEY, other)).code).toBe('MISSING_API_KEY');
    }
  });
});

describe('a permission', () => {
  const needs = (permission: string, prefix: string, has: string) =>
    refused(403, 'ENDPOINT_NOT_ALLOWED', `The API key ${prefix} has no permission "${permission}"; it has: ${has}.`, {
      resolution: 'contact_operator',
    });

  test('opens its endpoints and no others', async () => {
    const { key, prefix } = await service.createKey({ permissions: ['inventory'] });
    const caller = withKey(key);
    expect((await service.inventory('city=Bangkok', caller)).status).toBe(200);
    expect((await service.book({}, caller)).refusal).toEqual(needs('execute_booking', prefix, 'inventory'));
    expect((await service.booking('bk_0', caller)).refusal).toEqual(needs('execute_booking', prefix, 'inventory'));
    for (const path of ['/api/webhooks/deliveries', '/api/webhooks/deliveries/dlv_0'])
      expect((await service.get(path, caller)).refusal).toEqual(needs('webhook', prefix, 'inventory'));
    expect((await service.post('/api/webhooks/test', {}, caller)).refusal).toEqual(
      needs('webhook', prefix, 'inventory'),
    );
  });

  test('is missing from a key with the other ones', async () => {
    const { key, prefix } = await service.createKey({ permissions: ['recommend', 'execute_booking', 'webhook'] });
    const expected = needs('inventory', prefix, 'recommend, execute_booking, webhook');
    expect((await service.inventory('city=Bangkok', withKey(key))).refusal).toEqual(expected);
    expect((await service.book({}, withKey(key))).status).toBe(200);
  });

  test('is not needed to ask after the key itself', async () => {
    const { key, prefix } = await service.createKey({ permissions: ['webhook'] });
    expect((await service.get('/api/health', withKey(key))).status).toBe(200);
    expect((await service.get('/api/keys/self', withKey(key))).status).toBe(200);
    expect((await service.inventory('', withKey(key))).refusal).toEqual(needs('inventory', prefix, 'webhook'));
  });
});

describe.each([BY_ANALYST, BY_ADMIN])('%s %s', (...endpoint) => {
  test('without a bearer token is MISSING_TOKEN', async () => {
    const expected = refused(
      401,
      'MISSING_TOKEN',
      'The header Authorization holds no bearer token; send "Bearer" and your operator token in it.',
    );
    for (const headers of [{}, { authorization: 'Basic YWRtaW46YWRtaW4=' }, { authorization: 'Bearer' }, service.key]) {
      expect(await refusalOf(endpoint, headers)).toEqual(expected);
    }
  });

  test('with another token is INVALID_TOKEN', async () => {
    const expected = refused(401, 'INVALID_TOKEN', 'The bearer token is not known.');
    const admin = (service.admin['authorization'] ?? '').slice('Bearer '.length);
    for (const token of [UNKNOWN, admin.slice(1), admin.toUpperCase(), `${admin}0`]) {
      expect(await refusalOf(endpoint, withToken(token))).toEqual(expected);
    }
  });
});

test('the analyst token is FORBIDDEN where its role may not call', async () => {
  expect(await refusalOf(BY_ADMIN, service.analyst)).toEqual(
    refused(
      403,
      'FORBIDDEN',
      'The role "analyst" may not call list_all_bookings; the token must have the role "admin" or "support" or "viewer".',
    ),
  );
});

test('the analyst token, and the word bearer in lower case, will do for a report', async () => {
  const token = (service.analyst['authorization'] ?? '').replace('Bearer', 'bearer');
  expect((await service.get(BY_ANALYST[1], { authorization: token })).status).toBe(200);
});

describe('WWW-Authenticate', () => {
  const CHALLENGES: readonly (readonly [path: string, wrong: Record<string, string>, sent: readonly string[]])[] = [
    [
      '/api/health',
      withKey(UNKNOWN),
      ['ApiKey realm="waymark", header="x-api-key"', 'ApiKey realm="waymark", header="x-api-key"'],
    ],
    [
      '/api/venue/verify',
      withDevice(UNKNOWN),
      ['DeviceKey realm="waymark", header="x-device-key"', 'DeviceKey realm="waymark", header="x-device-key"'],
    ],
    ['/api/bookings', withToken(UNKNOWN), ['Bearer realm="waymark"', 'Bearer realm="waymark", error="invalid_token"']],
  ];
  test.each(CHALLENGES)(
    'of %s says what to send, with nothing sent and with a wrong secret',
    async (path, wrong, sent) => {
      const method = path === '/api/venue/verify' ? 'POST' : 'GET';
      const answers = await Promise.all([{}, wrong].map((headers) => service.send(path, { method, headers })));
      expect(answers.map(({ status }) => status)).toEqual([401, 401]);
      expect(answers.map(({ headers }) => headers.get('www-authenticate'))).toEqual([...sent]);
    },
  );

  test('comes to nobody who is known', async () => {
    const answers = await Promise.all([
      service.send('/api/health', { headers: service.key }),
      service.send('/api/bookings', { headers: service.admin }),
      service.send('/api/bookings', { headers: service.analyst }),
    ]);
    expect(answers.map(({ status, headers }) => [status, headers.has('www-authenticate')])).toEqual([
      [200, false],
      [200, false],
      [403, false],
    ]);
  });
});

describe('POST /api/venue/verify', () => {
  test('without a device key is MISSING_DEVICE_KEY', async () => {
    const expected = refused(
      401,
      'MISSING_DEVICE_KEY',
      "The header x-device-key is missing; send the gate device's key in it.",
    );
    for (const headers of [{}, withDevice(''), service.key, service.admin]) {
      expect(await refusalOf(BY_DEVICE, headers)).toEqual(expected);
    }
  });

  test('with an unknown or malformed device key is INVALID_DEVICE_KEY', async () => {
    const expected = refused(
      401,
      'INVALID_DEVICE_KEY',
      'The device key in x-device-key is not known; register the device again.',
      { resolution: 'contact_operator' },
    );
    for (const value of [UNKNOWN, 'gate', service.key['x-api-key'] ?? '']) {
      expect(await refusalOf(BY_DEVICE, withDevice(value))).toEqual(expected);
    }
  });
});

test('a key and its permission are looked up in memory: neither store is asked, nor has to be there', async () => {
  await using own = await openService();
  const { key } = await own.createKey({ plan: 'enterprise', permissions: ['execute_booking', 'webhook'] });
  const { store, readModels } = own.node.stores;
  const away = (): never => {
    throw new Error('the store is away');
  };
  Object.assign(store, { read: away });
  Object.assign(readModels, { find: away, load: away });
  expect((await own.get('/api/health', withKey(key))).status).toBe(200);
  expect((await own.inventory('city=Bangkok', withKey(key))).refusal.code).toBe('ENDPOINT_NOT_ALLOWED');
  expect((await own.get('/api/health', withKey(UNKNOWN))).refusal.code).toBe('INVALID_API_KEY');
  // Both stores fail when called.
  expect((await own.booking('bk_00000000000000000000', withKey(key))).refusal.code).toBe('SERVICE_UNAVAILABLE');
  expect((await own.get('/api/webhooks/deliveries', withKey(key))).status).toBe(500);
});
