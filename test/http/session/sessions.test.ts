import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createOperator } from '../../support/operators.ts';
import { type Credentials, openService, type Service, withKey } from '../../support/service.ts';
import { type Answer, refused } from '../../support/service-answers.ts';
import { type SessionData, signIn, signOut } from '../../support/sessions.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const current = (headers: Credentials): Promise<Answer<SessionData>> => service.get('/api/sessions/current', headers);
const codeOf = (answer: Answer): string => (answer.status === 200 ? 'answered' : answer.refusal.code);
const after = (ms: number): string => new Date(service.clock.nowMs() + ms).toISOString();

describe('signing in', () => {
  test('with an API key answers who it is and sets the cookie', async () => {
    const key = await service.createKey({ name: 'A concierge' });
    const { data, setCookie } = await signIn(service, withKey(key.key));
    expect(data).toEqual({
      kind: 'key',
      id: key.id,
      prefix: key.prefix,
      name: 'A concierge',
      role: null,
      permissions: ['recommend', 'execute_booking', 'inventory', 'webhook'],
      expires_at: after(12 * HOUR_MS),
      idle_until: after(30 * MINUTE_MS),
      csrf_token: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(setCookie).toMatch(/^waymark_session=[\w-]+; Path=\/api; Max-Age=1800; HttpOnly; SameSite=Strict$/);
  });

  test('with a token of the settings names its operator', async () => {
    const admin = { kind: 'operator', id: 'admin', prefix: null, name: 'WAYMARK_ADMIN_TOKEN', role: 'admin' };
    expect((await signIn(service, service.admin)).data).toMatchObject(admin);
    expect((await signIn(service, service.analyst)).data).toMatchObject({ id: 'analyst', role: 'analyst' });
  });

  test('stores who signed in, from where and when, and no credential', async () => {
    service.peer = '198.51.100.20';
    const { data, cookie } = await signIn(service, service.admin, { 'x-request-id': 'sign-in-1' });
    service.peer = '192.0.2.1';
    const stored = (await service.events()).at(-1);
    expect(stored?.stream).toMatch(/^session-ses_[0-9a-z]{20}$/);
    expect(stored).toMatchObject({
      type: 'SessionStarted.v1',
      data: {
        caller: { kind: 'operator', id: 'admin', role: 'admin' },
        address: '198.51.100.20',
        at: after(0),
      },
      cause: { by: 'admin', correlationId: 'sign-in-1' },
    });
    const text = JSON.stringify(await service.events());
    for (const secret of [service.node.secrets.adminToken, data.csrf_token, cookie['cookie'] ?? ''])
      expect(text).not.toContain(secret);
  });

  test('is in a stream that only admins read', async () => {
    await signIn(service, service.admin);
    const path = `/api/ops/streams/${(await service.events()).at(-1)?.stream}`;
    const support = await createOperator(service, 'support');
    expect(codeOf(await service.get(path, service.admin))).toBe('answered');
    expect(codeOf(await service.get(path, support.headers))).toBe('FORBIDDEN');
  });

  test('twice makes two sessions', async () => {
    const [first, second] = [await signIn(service, service.admin), await signIn(service, service.admin)];
    expect(second.data.csrf_token).not.toBe(first.data.csrf_token);
    await signOut(service, first);
    expect(codeOf(await current(second.cookie))).toBe('answered');
  });

  test('with a cookie that somebody else planted makes another session', async () => {
    const planted = await signIn(service, service.key);
    const { data, cookie } = await signIn(service, service.admin, planted.cookie);
    expect(data.id).toBe('admin');
    expect(cookie).not.toEqual(planted.cookie);
    expect((await current(planted.cookie)).data.kind).toBe('key');
  });

  test.each([
    ['no token', {}, 'INVALID_REQUEST'],
    ['a token with spaces', { token: 'a token' }, 'INVALID_REQUEST'],
    ['another field', { token: 'not-a-token', remember: true }, 'INVALID_REQUEST'],
    ['an unknown token', { token: 'not-a-token' }, 'INVALID_TOKEN'],
    ['an unknown named token', { token: `wmo_${'0'.repeat(64)}` }, 'INVALID_TOKEN'],
    ['an unknown key', { token: '0'.repeat(64) }, 'INVALID_API_KEY'],
  ])('with %s is refused and sets no cookie', async (_name, body, code) => {
    const answer = await service.post('/api/sessions', body);
    expect([answer.refusal.code, answer.headers.get('set-cookie')]).toEqual([code, null]);
  });

  test('with a deactivated key, or from an address that is not on its list, is refused as with the key', async () => {
    const [inactive, elsewhere] = [
      await service.createKey(),
      await service.createKey({ ip_allowlist: ['203.0.113.0/24'] }),
    ];
    await service.post(`/api/keys/${inactive.id}/deactivate`, {}, service.admin);
    for (const [{ key }, code] of [
      [inactive, 'KEY_INACTIVE'],
      [elsewhere, 'IP_NOT_ALLOWED'],
    ] as const) {
      expect((await service.post('/api/sessions', { token: key })).refusal.code).toBe(code);
      expect((await service.get('/api/health', withKey(key))).refusal.code).toBe(code);
    }
  });
});

describe('the throttle of an address', () => {
  test('looks at 60 wrong tokens a minute, whatever their form, and then at no token of the settings', async () => {
    service.peer = '198.51.100.30';
    const wrong = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? '0'.repeat(64) : 'not-the-token-of-anybody'));
    for (const token of wrong) await service.post('/api/sessions', { token });
    service.clock.advance(999);
    const token = service.node.secrets.adminToken;
    expect(codeOf(await service.post('/api/sessions', { token }))).toBe('RATE_LIMITED');
    service.clock.advance(1);
    expect(codeOf(await service.post('/api/sessions', { token }))).toBe('answered');
    service.peer = '192.0.2.1';
  });

  test('takes 60 requests to sign in a minute, right ones too', async () => {
    service.peer = '198.51.100.31';
    for (let n = 0; n < 60; n++) await signIn(service, service.key);
    const { refusal } = await service.post('/api/sessions', { token: 'any-token' });
    expect(refusal).toEqual(
      refused(
        429,
        'RATE_LIMITED',
        'Too many requests to sign in came from 198.51.100.31; send this one again in 1 s.',
        {
          retryable: true,
          resolution: 'retry_later',
        },
      ),
    );
    service.peer = '192.0.2.1';
  });
});
