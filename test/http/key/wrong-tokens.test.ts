import { describe, expect, test } from 'bun:test';
import { type Credentials, openService, type Service, withKey, withToken } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';

const WRONG = withToken('not-the-token-of-anybody');
const TEN_A_MINUTE = 10;

async function codeFrom(service: Service, peer: string, headers: Credentials): Promise<string> {
  service.peer = peer;
  const answer = await service.get('/api/ops/projections', headers);
  return answer.status === 200 ? 'answered' : answer.refusal.code;
}

async function guess(service: Service, peer: string, times: number): Promise<Record<string, number>> {
  const codes: Record<string, number> = {};
  for (let n = 0; n < times; n++) {
    const code = await codeFrom(service, peer, WRONG);
    codes[code] = (codes[code] ?? 0) + 1;
  }
  return codes;
}

describe('wrong bearer tokens', () => {
  test('are looked at ten times a minute from one address, and then the right one is not either', async () => {
    await using service = await openService();
    expect(await guess(service, '198.51.100.1', 12)).toEqual({ INVALID_TOKEN: TEN_A_MINUTE, RATE_LIMITED: 2 });
    const blocked = await service.get('/api/keys', service.admin);
    expect(blocked.refusal).toEqual(
      refused(429, 'RATE_LIMITED', 'Too many wrong bearer tokens came from 198.51.100.1; send this one again in 6 s.', {
        details: 'The token was not checked.',
        retryable: true,
        resolution: 'retry_later',
      }),
    );
    expect(blocked.headers.get('retry-after')).toBe('6');
    service.clock.advance(5_999);
    expect(await codeFrom(service, '198.51.100.1', service.admin)).toBe('RATE_LIMITED');
    service.clock.advance(1);
    expect(await codeFrom(service, '198.51.100.1', service.admin)).toBe('answered');
  });

  test('do not block other addresses, nor a valid token at the same address', async () => {
    await using service = await openService();
    expect(await codeFrom(service, '198.51.100.1', service.analyst)).toBe('answered');
    expect(await guess(service, '198.51.100.1', 30)).toEqual({ INVALID_TOKEN: 30 });
    expect(await codeFrom(service, '198.51.100.1', service.admin)).toBe('answered');
    await guess(service, '198.51.100.2', 11);
    expect(await codeFrom(service, '198.51.100.2', service.admin)).toBe('RATE_LIMITED');
    expect(await codeFrom(service, '198.51.100.3', service.admin)).toBe('answered');
  });

  test('count for a whole IPv6 network, since its owner has all its addresses', async () => {
    await using service = await openService();
    await guess(service, '2001:db8:1:2::1', TEN_A_MINUTE);
    expect(await codeFrom(service, '2001:db8:1:2:ffff::9', service.admin)).toBe('RATE_LIMITED');
    expect(await codeFrom(service, '2001:db8:1:3::1', service.admin)).toBe('answered');
  });

  test('slow no API key at their address, and wrong API keys slow nobody', async () => {
    await using service = await openService({ settings: { WRONG_TOKENS_PER_MINUTE: '1' } });
    expect(await guess(service, '198.51.100.1', 2)).toEqual({ INVALID_TOKEN: 1, RATE_LIMITED: 1 });
    expect((await service.get('/api/health', service.key)).status).toBe(200);
    for (let n = 0; n < 30; n++) {
      expect((await service.get('/api/health', withKey('0'.repeat(64)))).refusal.code).toBe('INVALID_API_KEY');
    }
    expect((await service.get('/api/health', service.key)).status).toBe(200);
  });
});
