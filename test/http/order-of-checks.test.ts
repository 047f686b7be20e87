import { describe, expect, test } from 'bun:test';
import { type Credentials, openService, type Service, withKey } from '../support/service.ts';

type Told = readonly [status: number, code: string, retryAfter: string | null, limited: boolean];

/** The cheapest request that needs a permission. */
async function ask(service: Service, headers: Credentials, peer = '192.0.2.1'): Promise<Told> {
  service.peer = peer;
  const { status, refusal, headers: sent } = await service.get('/api/b2a/bookings/bk_none', headers);
  service.peer = '192.0.2.1';
  return [status, refusal.code, sent.get('retry-after'), sent.has('ratelimit') && sent.has('ratelimit-policy')];
}

/** Uses a key's limits up: the minute's, and the day's as far as the minutes given go. */
async function use(service: Service, headers: Credentials, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    if (minute > 0) service.clock.advance(60_000);
    for (let n = 0; n < 10; n++) expect(await ask(service, headers)).toEqual(PASSED);
  }
}

const PASSED: Told = [404, 'BOOKING_NOT_FOUND', null, true];
const ENTERPRISE_PASSED: Told = [404, 'BOOKING_NOT_FOUND', null, false];
const RATE_LIMITED: Told = [429, 'RATE_LIMITED', '60', true];

describe('the first fault of a request is answered', () => {
  test('no key, an unknown one, an inactive one, a strange address, a missing permission', async () => {
    await using service = await openService();
    const settings = { plan: 'enterprise', ip_allowlist: ['203.0.113.0/24'], permissions: ['inventory'] };
    const { id, key } = await service.createKey(settings);
    const soon = new Date(service.clock.nowMs() + 60_000).toISOString();
    const expiring = await service.createKey({ ...settings, expires_at: soon });
    expect(await ask(service, {})).toEqual([401, 'MISSING_API_KEY', null, false]);
    expect(await ask(service, withKey('f'.repeat(64)))).toEqual([401, 'INVALID_API_KEY', null, false]);
    expect(await ask(service, withKey('pk_012345'))).toEqual([401, 'INVALID_API_KEY', null, false]);
    expect(await ask(service, withKey(key))).toEqual([403, 'IP_NOT_ALLOWED', null, false]);
    expect(await ask(service, withKey(key), '203.0.113.1')).toEqual([403, 'ENDPOINT_NOT_ALLOWED', null, false]);
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    service.clock.advance(60_000);
    for (const value of [key, expiring.key]) {
      expect(await ask(service, withKey(value))).toEqual([403, 'KEY_INACTIVE', null, false]);
    }
    expect(await ask(service, service.key)).toEqual(ENTERPRISE_PASSED);
  });

  test('a missing permission, the rate, the quota', async () => {
    await using service = await openService();
    const headers = withKey((await service.createKey({ plan: 'free' })).key);
    const barred = withKey((await service.createKey({ plan: 'free', permissions: ['inventory'] })).key);
    for (let n = 0; n < 10; n++) await service.inventory('city=Bangkok', barred);
    expect(await ask(service, barred)).toEqual([403, 'ENDPOINT_NOT_ALLOWED', null, true]);
    await use(service, headers, 1);
    expect(await ask(service, headers)).toEqual(RATE_LIMITED);
    service.clock.advance(60_000);
    await use(service, headers, 9);
    // Both are used up: the minute comes first, and is over first.
    expect(await ask(service, headers)).toEqual(RATE_LIMITED);
    service.clock.advance(60_000);
    const secondsLeft = (Date.parse('2026-11-22T00:00:00Z') - service.clock.nowMs()) / 1_000;
    expect(await ask(service, headers)).toEqual([429, 'QUOTA_EXCEEDED', String(secondsLeft), true]);
  });
});
