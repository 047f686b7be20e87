import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openService, type Service, withDevice, withKey, withToken } from '../../support/service.ts';
import { readAnswer, refused } from '../../support/service-answers.ts';

type Endpoint = readonly [method: string, path: string];

const KEY_ENDPOINTS: readonly Endpoint[] = [
  ['POST', '/api/b2a/recommend'],
  ['POST', '/api/b2a/execute_booking'],
  ['GET', '/api/b2a/bookings/bk_00000000000000000000'],
  ['POST', '/api/b2a/bookings/bk_00000000000000000000/modify'],
  ['POST', '/api/b2a/bookings/bk_00000000000000000000/cancel'],
  ['GET', '/api/b2a/bookings'],
  ['POST', '/api/b2a/holds'],
  ['GET', '/api/b2a/holds/hd_0'],
  ['DELETE', '/api/b2a/holds/hd_0'],
  ...['inventory', 'activities', 'activities/river-walk', 'cities', 'hotels'].map(
    (of) => ['GET', `/api/b2a/${of}`] as const,
  ),
  ['POST', '/api/b2a/inventory/refresh'],
  ['POST', '/api/webhooks/test'],
  ['GET', '/api/webhooks/deliveries'],
  ['GET', '/api/webhooks/deliveries/dlv_0'],
  ['POST', '/api/webhooks/deliveries/dlv_0/resend'],
  ['POST', '/api/webhooks/recover'],
  ['POST', '/api/webhooks/replay'],
  ['POST', '/api/webhooks/enable'],
  ['GET', '/api/b2a/events'],
  ['GET', '/api/keys/self'],
  ['GET', '/api/keys/self/statement'],
  ['PATCH', '/api/keys/self'],
  ['POST', '/api/keys/self/webhook_secret/rotate'],
  ['POST', '/api/keys/self/webhook_secret/rotate/finish'],
  ['GET', '/api/health'],
];
const ANALYST_READS: readonly Endpoint[] = [
  ['GET', '/api/activities/river-walk/allotments/2026-11-21'],
  ['GET', '/api/analytics/conversions'],
  ['GET', '/api/analytics/visits'],
  ['GET', '/api/ops/projections'],
  ['GET', '/api/ops/readers/parked'],
  ['GET', '/api/ops/streams/voucherkey-ring'],
  ['GET', '/api/ops/supply'],
  ['GET', '/api/activities/river-walk'],
];
const ADMIN_ONLY: readonly Endpoint[] = [
  ['GET', '/api/keys'],
  ['GET', '/api/keys/key_0'],
  ['PUT', '/api/activities/river-walk'],
  ['DELETE', '/api/activities/river-walk'],
  ['GET', '/api/bookings'],
  ['GET', '/api/bookings/bk_0'],
  ['POST', '/api/keys'],
  ['PATCH', '/api/keys/key_0'],
  ['POST', '/api/keys/key_0/deactivate'],
  ['POST', '/api/keys/key_0/activate'],
  ['POST', '/api/keys/key_0/rotate'],
  ...['confirm', 'reject', 'cancel', 'erase'].map((end): Endpoint => ['POST', `/api/bookings/bk_0/${end}`]),
  ['PUT', '/api/activities/river-walk/allotments/2026-11-21'],
  ['GET', '/api/venues/old-pier/devices'],
  ['POST', '/api/venues/old-pier/devices'],
  ['DELETE', '/api/venues/old-pier/devices/dev_0'],
  ...['pause', 'resume'].map((change): Endpoint => ['POST', `/api/venues/old-pier/devices/dev_0/${change}`]),
  ['POST', '/api/ops/projections/bookings/rebuild'],
  ['POST', '/api/ops/readers/claim-reaper/retry'],
  ['POST', '/api/ops/readers/claim-reaper/skip'],
];
/** What stands for a parameter in the paths above. */
const IDS =
  /(?<=\/)(bk_0+|hd_0|dlv_0|key_0|dev_0|old-pier|river-walk|2026-11-21|voucherkey-ring|claim-reaper|bookings(?=\/rebuild))(?=\/|$)/g;
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

type Operation = { readonly security: readonly Readonly<Record<string, readonly string[]>>[] };

/** The endpoints of the API reference that a scheme opens, with what it needs there, as `POST /api/keys/{}`. */
async function openedBy(scheme: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const document = await service.send('/openapi.json', {});
  // Whether the document is a sound one is test/http/reference/reference.test.ts's to say.
  const { paths } = (await document.json()) as { readonly paths: Readonly<Record<string, Record<string, Operation>>> };
  const opened = new Map<string, readonly string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { security }] of Object.entries(operations)) {
      const needs = security?.find((each) => scheme in each)?.[scheme];
      if (needs !== undefined) opened.set(`${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`, needs);
    }
  }
  return opened;
}

const named = (endpoints: readonly Endpoint[]): readonly string[] =>
  endpoints.map(([method, path]) => `${method} ${path.replaceAll(IDS, '{}')}`).toSorted();

test('no endpoint of the API reference is left out here', async () => {
  const [byKey, byAdmin, byAnalyst] = await Promise.all(['ApiKey', 'AdminToken', 'AnalystToken'].map(openedBy));
  expect([...(byKey?.keys() ?? [])].toSorted()).toEqual([...named(KEY_ENDPOINTS)]);
  expect([...(byAnalyst?.keys() ?? [])].toSorted()).toEqual([...named(ANALYST_READS)]);
  expect([...(byAdmin?.keys() ?? [])].toSorted()).toEqual([...named([...ANALYST_READS, ...ADMIN_ONLY])]);
});

describe.each(KEY_ENDPOINTS)('%s %s', (...endpoint) => {
  test('without a key is MISSING_API_KEY, an empty one is no key', async () => {
    const expected = refused(
      401,
      'MISSING_API_KEY',
      'The header x-api-key is missing; send your API key (64 hexadecimal characters) in it.',
    );
    expect(await refusalOf(endpoint)).toEqual(expected);
    expect(await refusalOf(endpoint, withKey(''))).toEqual(expected);
  });

  test('with a key that is unknown or malformed is INVALID_API_KEY', async () => {
    const sentence = 'The API key in x-api-key is not known; check that all 64 characters were copied.';
    const expected = refused(401, 'INVALID_API_KEY', sentence);
    const known = service.key['x-api-key'] ?? '';
    for (const value of [UNKNOWN, 'pk_012345', known.slice(1), known.toUpperCase(), `${known}0`]) {
      expect(await refusalOf(endpoint, withKey(value))).toEqual(expected);
    }
  });

  test('with an operator token or a device key in place of the key is MISSING_API_KEY', async () => {
    for (const other of [service.admin, service.gates.pier]) {
      expect((await refusalOf(endpoint, other)).code).toBe('MISSING_API_KEY');
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

  test('is needed wherever the API reference says so', async () => {
    const { key } = await service.createKey({ plan: 'enterprise', permissions: [] });
    const opened = await openedBy('ApiKey');
    for (const endpoint of KEY_ENDPOINTS) {
      const [needed] = opened.get(named([endpoint])[0] ?? '') ?? [];
      if (needed === undefined) continue;
      const { code, error } = await refusalOf(endpoint, withKey(key));
      expect([code, error]).toEqual(['ENDPOINT_NOT_ALLOWED', expect.stringContaining(`no permission "${needed}"`)]);
    }
  });

  test('is needed to change what a key says of itself, and its webhook secret', async () => {
    const { key, prefix } = await service.createKey({ permissions: ['recommend', 'execute_booking', 'inventory'] });
    const expected = needs('webhook', prefix, 'recommend, execute_booking, inventory');
    for (const [method, path] of KEY_ENDPOINTS.filter(([, own]) => own.startsWith('/api/keys/self'))) {
      if (method !== 'GET') expect(await refusalOf([method, path], withKey(key))).toEqual(expected);
    }
  });

  test('is missing from a key with the other ones', async () => {
    const { key, prefix } = await service.createKey({ permissions: ['recommend', 'execute_booking', 'webhook'] });
    const expected = needs('inventory', prefix, 'recommend, execute_booking, webhook');
    expect((await service.inventory('city=Bangkok', withKey(key))).refusal).toEqual(expected);
    expect((await service.book({}, withKey(key))).status).toBe(200);
  });

  test('is not needed to ask after the key itself, and a key may have none', async () => {
    const { key, prefix } = await service.createKey({ permissions: [] });
    expect((await service.get('/api/health', withKey(key))).status).toBe(200);
    expect((await service.get('/api/keys/self', withKey(key))).status).toBe(200);
    expect((await service.inventory('', withKey(key))).refusal).toEqual(needs('inventory', prefix, 'none'));
  });
});

describe.each([...ANALYST_READS, ...ADMIN_ONLY])('%s %s', (...endpoint) => {
  test('without a bearer token is MISSING_TOKEN', async () => {
    const expected = refused(
      401,
      'MISSING_TOKEN',
      'The header Authorization holds no bearer token; send "Bearer" and the admin token in it.',
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

test.each(ADMIN_ONLY)('the analyst token is FORBIDDEN at %s %s', async (method, path) => {
  expect(await refusalOf([method, path], service.analyst)).toEqual(
    refused(403, 'FORBIDDEN', 'The analyst token reads reports and projections only; use the admin token.'),
  );
});

test.each(ANALYST_READS)(
  'the analyst token, and the word bearer in lower case, will do for %s %s',
  async (_method, path) => {
    const token = (service.analyst['authorization'] ?? '').replace('Bearer', 'bearer');
    expect((await service.get(path, { authorization: token })).status).toBe(200);
  },
);

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
      expect(await refusalOf(['POST', '/api/venue/verify'], headers)).toEqual(expected);
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
      expect(await refusalOf(['POST', '/api/venue/verify'], withDevice(value))).toEqual(expected);
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
