import { describe, expect, test } from 'bun:test';
import { type Credentials, openService, type Service, withDevice, withKey, withToken } from '../../support/service.ts';
import { type Answer, refused } from '../../support/service-answers.ts';

const WRONG = withToken('not-the-token-of-anybody');
const UNKNOWN = '0'.repeat(64);
const A_MINUTE = 60;

async function codeFrom(service: Service, peer: string, headers: Credentials): Promise<string> {
  service.peer = peer;
  return codeOf(await service.get('/api/ops/projections', headers));
}

function codeOf(answer: Answer): string {
  return answer.status === 200 ? 'answered' : answer.refusal.code;
}

/** The codes of many answers, with their numbers. */
async function counted(times: number, ask: () => Promise<string>): Promise<Record<string, number>> {
  const codes: Record<string, number> = {};
  for (let n = 0; n < times; n++) {
    const code = await ask();
    codes[code] = (codes[code] ?? 0) + 1;
  }
  return codes;
}

function guess(service: Service, peer: string, times: number): Promise<Record<string, number>> {
  return counted(times, () => codeFrom(service, peer, WRONG));
}

describe('wrong bearer tokens', () => {
  test('are looked at 60 times a minute from one address, and then the right one is not either', async () => {
    await using service = await openService();
    expect(await guess(service, '198.51.100.1', 62)).toEqual({ INVALID_TOKEN: A_MINUTE, RATE_LIMITED: 2 });
    const blocked = await service.get('/api/keys', service.admin);
    expect(blocked.refusal).toEqual(
      refused(429, 'RATE_LIMITED', 'Too many wrong bearer tokens came from 198.51.100.1; send this one again in 1 s.', {
        details: 'The token was not checked.',
        retryable: true,
        resolution: 'retry_later',
      }),
    );
    expect(blocked.headers.get('retry-after')).toBe('1');
    service.clock.advance(999);
    expect(await codeFrom(service, '198.51.100.1', service.admin)).toBe('RATE_LIMITED');
    service.clock.advance(1);
    expect(await codeFrom(service, '198.51.100.1', service.admin)).toBe('answered');
  });

  test('slow an address from which the right token came, too', async () => {
    await using service = await openService();
    expect(await codeFrom(service, '198.51.100.1', service.admin)).toBe('answered');
    expect(await guess(service, '198.51.100.1', 90)).toEqual({ INVALID_TOKEN: A_MINUTE, RATE_LIMITED: 30 });
  });

  test('slow no other address', async () => {
    await using service = await openService();
    await guess(service, '198.51.100.2', 61);
    expect(await codeFrom(service, '198.51.100.2', service.admin)).toBe('RATE_LIMITED');
    expect(await codeFrom(service, '198.51.100.3', service.admin)).toBe('answered');
  });

  test('count for a whole IPv6 network, since its owner has all its addresses', async () => {
    await using service = await openService();
    await guess(service, '2001:db8:1:2::1', A_MINUTE);
    expect(await codeFrom(service, '2001:db8:1:2:ffff::9', service.admin)).toBe('RATE_LIMITED');
    expect(await codeFrom(service, '2001:db8:1:3::1', service.admin)).toBe('answered');
  });

  test('count for the address behind a trusted proxy, not for the proxy', async () => {
    await using service = await openService({ settings: { TRUSTED_PROXIES: '10.0.0.0/8' } });
    const behind = (address: string): Credentials => ({ 'x-forwarded-for': address });
    await counted(A_MINUTE, () => codeFrom(service, '10.0.0.1', { ...WRONG, ...behind('198.51.100.1') }));
    expect(await codeFrom(service, '10.0.0.1', { ...service.admin, ...behind('198.51.100.1') })).toBe('RATE_LIMITED');
    expect(await codeFrom(service, '10.0.0.1', { ...service.admin, ...behind('198.51.100.2') })).toBe('answered');
  });

  test('slow no API key at their address', async () => {
    await using service = await openService({ settings: { WRONG_TOKENS_PER_MINUTE: '1' } });
    expect(await guess(service, '198.51.100.1', 2)).toEqual({ INVALID_TOKEN: 1, RATE_LIMITED: 1 });
    expect((await service.get('/api/health', service.key)).status).toBe(200);
  });
});

describe('unknown keys', () => {
  test.each([
    ['API keys', withKey(UNKNOWN), 'INVALID_API_KEY', (service: Service) => service.key],
    ['device keys', withDevice(UNKNOWN), 'INVALID_DEVICE_KEY', (service: Service) => service.gates.pier],
  ] as const)(
    'are slowed after 60 %s a minute, and slow no known one at their address',
    async (_name, wrong, code, right) => {
      await using service = await openService();
      const path = code === 'INVALID_API_KEY' ? '/api/health' : '/api/venue/revocations';
      const ask = async (headers: Credentials) => codeOf(await service.get(path, headers));
      expect(await ask(right(service))).toBe('answered');
      expect(await counted(62, () => ask(wrong))).toEqual({ [code]: A_MINUTE, RATE_LIMITED: 2 });
      const blocked = await service.get(path, wrong);
      expect([blocked.refusal.error, blocked.headers.get('retry-after')]).toEqual([
        'Too many unknown keys came from 192.0.2.1; send this one again in 1 s.',
        '1',
      ]);
      expect(await ask(right(service))).toBe('answered');
      expect(await codeFrom(service, '192.0.2.1', service.admin)).toBe('answered');
      service.peer = '198.51.100.3';
      expect(await ask(wrong)).toBe(code);
    },
  );
});
