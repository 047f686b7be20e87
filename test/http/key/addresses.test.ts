import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openService, type Service, withKey } from '../../support/service.ts';
import { type Answer, refused } from '../../support/service-answers.ts';

const PROXY = '10.1.2.3';
let service: Service;

beforeAll(async () => {
  service = await openService({ settings: { TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' } });
});
afterAll(() => service.stop());

async function keyFor(...ranges: readonly string[]): Promise<string> {
  return (await service.createKey({ ip_allowlist: ranges })).key;
}

/** The answer to a key at an address, direct or behind proxies. */
async function askFrom(
  peer: string | null,
  key: string,
  forwarded: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  service.peer = peer;
  try {
    return await service.get('/api/health', { ...withKey(key), ...forwarded });
  } finally {
    service.peer = '192.0.2.1';
  }
}

const statusFrom = async (...args: Parameters<typeof askFrom>): Promise<number> => (await askFrom(...args)).status;

describe('a key with a list of addresses', () => {
  test('keeps the list as it was given', async () => {
    const list = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'];
    expect(await service.createKey({ ip_allowlist: list })).toMatchObject({ ip_allowlist: list });
  });

  test.each([
    ['203.0.113.9', 200],
    ['203.0.113.255', 200],
    ['::ffff:203.0.113.9', 200],
    ['::ffff:cb00:7109', 200],
    ['203.0.114.0', 403],
    ['2001:db8:ffff::1', 200],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', 200],
    ['2001:db9::1', 403],
    ['198.51.100.7', 200],
    ['198.51.100.8', 403],
  ])('at %s is answered %d', async (address, status) => {
    const key = await keyFor('203.0.113.0/24', '2001:db8::/32', '198.51.100.7/32');
    expect(await statusFrom(address, key)).toBe(status);
  });

  test('reports the address of each use', async () => {
    const { id: _id, prefix, key } = await service.createKey({ ip_allowlist: ['203.0.113.0/24'] });
    const { refusal } = await askFrom('::ffff:198.51.100.7', key);
    expect(refusal).toEqual(
      refused(
        403,
        'IP_NOT_ALLOWED',
        `The API key ${prefix} may not be used from 198.51.100.7; call from an address on its allowlist, or ask the operator to extend the list.`,
        { resolution: 'contact_operator' },
      ),
    );
  });

  test('is refused where the address is not known', async () => {
    expect(await statusFrom(null, await keyFor('0.0.0.0/0', '::/0'))).toBe(403);
  });

  test('is checked after the key and before its permission', async () => {
    const settings = { ip_allowlist: ['203.0.113.0/24'], permissions: ['recommend'] };
    const { id, key } = await service.createKey(settings);
    const codeFrom = async (address: string): Promise<string> => {
      service.peer = address;
      const { refusal } = await service.inventory('city=Bangkok', withKey(key));
      service.peer = '192.0.2.1';
      return refusal.code;
    };
    expect([await codeFrom('192.0.2.1'), await codeFrom('203.0.113.1')]).toEqual([
      'IP_NOT_ALLOWED',
      'ENDPOINT_NOT_ALLOWED',
    ]);
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    expect([await codeFrom('192.0.2.1'), await codeFrom('203.0.113.1')]).toEqual(['KEY_INACTIVE', 'KEY_INACTIVE']);
  });

  test('is held to it by the tools as well', async () => {
    const { key } = await service.createKey({ ip_allowlist: ['203.0.113.0/24'] });
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'inventory', arguments: { city: 'Bangkok' } },
    };
    const headers = { ...withKey(key), accept: 'application/json, text/event-stream' };
    const textFrom = async (address: string): Promise<string> => {
      service.peer = address;
      const body = JSON.stringify(call);
      const sent = { 'content-type': 'application/json', 'content-length': String(body.length), ...headers };
      const response = await service.send('/mcp', { method: 'POST', body, headers: sent });
      service.peer = '192.0.2.1';
      return response.text();
    };
    expect(await textFrom('192.0.2.1')).toContain('may not be used from 192.0.2.1');
    expect(await textFrom('203.0.113.1')).not.toContain('may not be used');
  });

  test.each([
    [['203.0.113.0/33'], 'enterprise'],
    [['2001:db8::/129'], 'enterprise'],
    [['example.com'], 'enterprise'],
    [['203.0.113'], 'enterprise'],
    [[], 'enterprise'],
  ])('is refused where it is no list of ranges: %j', async (list, plan) => {
    const { refusal } = await service.post('/api/keys', { name: 'An agent', plan, ip_allowlist: list }, service.admin);
    expect([refusal.code, refusal.error]).toEqual(['INVALID_REQUEST', expect.stringContaining('ip_allowlist must be')]);
  });
});

describe('an address behind proxies', () => {
  test.each([
    ['the right-most that is no proxy', PROXY, '203.0.113.1', 200],
    ['not one that the caller wrote to its left', PROXY, '203.0.113.1, 198.51.100.1', 403],
    [
      'the one that the first of several proxies saw',
      PROXY,
      '198.51.100.9, 203.0.113.1, 10.9.9.9, ::ffff:10.4.4.4',
      200,
    ],
    ['written with its port', PROXY, '203.0.113.1:55012', 200],
    ['written in brackets', PROXY, '[2001:db8::5]:443', 200],
    ['not known, where the proxy wrote none', PROXY, '203.0.113.1, unknown', 403],
    ['not known, where the proxy wrote nothing', PROXY, '203.0.113.1,', 403],
    ['the caller’s own, whatever it writes, where it is no proxy', '198.51.100.1', '203.0.113.1', 403],
    ['the caller’s own, whatever it writes, at its address', '203.0.113.1', '198.51.100.1', 200],
    ['that of a proxy on IPv6', 'fd12::1', '203.0.113.1', 200],
  ])('is %s', async (_what, peer, forwarded, status) => {
    const key = await keyFor('203.0.113.0/24', '2001:db8::/32');
    expect(await statusFrom(peer, key, { 'x-forwarded-for': forwarded })).toBe(status);
  });

  test('is that of the proxy itself, where it asks for itself', async () => {
    expect(await statusFrom(PROXY, await keyFor(PROXY))).toBe(200);
    expect(await statusFrom(PROXY, await keyFor('10.7.7.7'), { 'x-forwarded-for': '10.7.7.7' })).toBe(200);
  });

  test('is never read from Forwarded, which a proxy may pass on as the caller wrote it', async () => {
    const key = await keyFor('203.0.113.0/24');
    expect(await statusFrom(PROXY, key, { forwarded: 'for=203.0.113.1' })).toBe(403);
  });
});
