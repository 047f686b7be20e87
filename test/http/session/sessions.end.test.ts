import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createOperator } from '../../support/operators.ts';
import { type Credentials, openService, type Service, withKey, withToken } from '../../support/service.ts';
import { type Answer, refused } from '../../support/service-answers.ts';
import { cookieOf, type SessionData, signIn, signOut } from '../../support/sessions.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const current = (headers: Credentials): Promise<Answer<SessionData>> => service.get('/api/sessions/current', headers);
const codeOf = (answer: Answer): string => (answer.status === 200 ? 'answered' : answer.refusal.code);
const after = (ms: number): string => new Date(service.clock.nowMs() + ms).toISOString();

describe('a session', () => {
  test('ends 30 minutes after its last request', async () => {
    let { cookie } = await signIn(service, service.admin);
    for (let request = 0; request < 3; request++) {
      service.clock.advance(30 * MINUTE_MS - 1);
      const answer = await current(cookie);
      expect(answer.data.idle_until).toBe(after(30 * MINUTE_MS));
      cookie = cookieOf(answer.headers);
    }
    service.clock.advance(30 * MINUTE_MS);
    const { refusal, headers } = await current(cookie);
    expect(refusal).toEqual(
      refused(
        401,
        'INVALID_TOKEN',
        'The session in the cookie is over: 30 minutes have passed without a request. Sign in again.',
      ),
    );
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('ends 12 hours after it began, however often it was used', async () => {
    const { data, ...signedIn } = await signIn(service, service.admin);
    let { cookie } = signedIn;
    const endsMs = service.clock.nowMs() + 12 * HOUR_MS;
    while (service.clock.nowMs() + 29 * MINUTE_MS < endsMs) {
      service.clock.advance(29 * MINUTE_MS);
      cookie = cookieOf((await current(cookie)).headers);
    }
    service.clock.advance(endsMs - service.clock.nowMs() - 1);
    const answer = await current(cookie);
    expect(answer.data).toMatchObject({ expires_at: data.expires_at, idle_until: data.expires_at });
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=1;');
    service.clock.advance(1);
    expect((await current(cookieOf(answer.headers))).refusal.error).toContain('12 hours have passed');
  });

  test('is not renewed by a refused request', async () => {
    const { cookie } = await signIn(service, service.analyst);
    const refusedWrite = await service.post('/api/keys', { name: 'A key' }, cookie);
    expect([codeOf(refusedWrite), refusedWrite.headers.get('set-cookie')]).toEqual(['FORBIDDEN', null]);
    const forbidden = await service.get('/api/keys', cookie);
    expect([codeOf(forbidden), forbidden.headers.get('set-cookie')]).toEqual(['FORBIDDEN', null]);
  });

  test('ends for good when its caller signs out: a copy of the cookie opens nothing', async () => {
    const session = await signIn(service, service.admin);
    const renewed = cookieOf((await current(session.cookie)).headers);
    const answer = await signOut(service, session);
    expect([answer.status, answer.data]).toEqual([200, { ended_at: after(0) }]);
    expect(answer.headers.get('set-cookie')).toBe('waymark_session=; Path=/api; Max-Age=0; HttpOnly; SameSite=Strict');
    for (const cookie of [session.cookie, renewed]) {
      expect((await current(cookie)).refusal.error).toContain('you signed out');
      expect(codeOf(await service.get('/api/keys', cookie))).toBe('INVALID_TOKEN');
    }
    expect(codeOf(await signOut(service, session))).toBe('INVALID_TOKEN');
  });

  test('sets no cookie in the late answer of a request that a sign-out overtook', async () => {
    const session = await signIn(service, service.admin);
    const { store } = service.node.stores;
    const head = store.head.bind(store);
    const { promise: waiting, resolve: goOn } = Promise.withResolvers<void>();
    Object.assign(store, { head: () => waiting.then(head) });
    const late = service.get('/api/ops/projections', session.cookie);
    await signOut(service, session);
    Object.assign(store, { head });
    goOn();
    const { status, headers } = await late;
    expect([status, headers.get('set-cookie')]).toEqual([200, null]);
  });

  test('stays, and stays ended, over a restart', async () => {
    const [kept, ended] = [await signIn(service, service.key), await signIn(service, service.admin)];
    await signOut(service, ended);
    await service.restart();
    expect((await current(kept.cookie)).data.csrf_token).toBe(kept.data.csrf_token);
    expect((await current(ended.cookie)).refusal.error).toContain('you signed out');
  });

  test('stays ended if the clock is set forward for a while', async () => {
    const ended = await signIn(service, service.admin);
    await signOut(service, ended);
    service.clock.advance(5 * DAY_MS);
    await signOut(service, await signIn(service, service.admin));
    service.clock.advance(-5 * DAY_MS);
    expect((await current(ended.cookie)).refusal.error).toContain('you signed out');
    await signIn(service, service.admin);
  });

  test('stays ended even if the clock was so far ahead that the node forgot the session', async () => {
    await using forgetful = await openService();
    const ended = await signIn(forgetful, forgetful.admin);
    await signOut(forgetful, ended);
    forgetful.clock.advance(30 * DAY_MS);
    await signOut(forgetful, await signIn(forgetful, forgetful.admin));
    forgetful.clock.advance(-30 * DAY_MS);
    expect((await forgetful.get('/api/sessions/current', ended.cookie)).status).toBe(401);
  });

  test('stays ended after a rebuild', async () => {
    const ended = await signIn(service, service.admin);
    await signOut(service, ended);
    const before = await service.documents('endedsessions');
    expect(await service.rebuild('endedsessions')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await service.documents('endedsessions')).toEqual(before);
    await service.restart();
    expect(codeOf(await current(ended.cookie))).toBe('INVALID_TOKEN');
  });
});

describe('a session ends with its credential', () => {
  test('the key is deactivated', async () => {
    const { id, key } = await service.createKey();
    const { cookie } = await signIn(service, withKey(key));
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    expect(codeOf(await service.get('/api/keys/self', cookie))).toBe('KEY_INACTIVE');
    expect(codeOf(await current(cookie))).toBe('KEY_INACTIVE');
  });

  test('the key expires', async () => {
    const { key } = await service.createKey({ expires_at: after(10 * MINUTE_MS) });
    const { cookie } = await signIn(service, withKey(key));
    service.clock.advance(10 * MINUTE_MS - 1);
    expect(codeOf(await current(cookie))).toBe('answered');
    service.clock.advance(1);
    expect(codeOf(await current(cookie))).toBe('KEY_INACTIVE');
  });

  test('the key is replaced: at the end of the overlap', async () => {
    const { id, key } = await service.createKey();
    let { cookie } = await signIn(service, withKey(key));
    await service.post(`/api/keys/${id}/rotate`, { overlap_hours: 1 }, service.admin);
    for (let half = 0; half < 2; half++) {
      service.clock.advance(30 * MINUTE_MS - 1);
      cookie = cookieOf((await current(cookie)).headers);
    }
    service.clock.advance(2);
    expect((await service.get('/api/keys/self', cookie)).refusal).toMatchObject({
      code: 'INVALID_API_KEY',
      error: 'The session in the cookie is over: its API key was replaced. Sign in again.',
    });
    expect(codeOf(await current(cookie))).toBe('INVALID_TOKEN');
  });

  test('the key may no longer be used from the address', async () => {
    const { id, key } = await service.createKey();
    const { cookie } = await signIn(service, withKey(key));
    await service.patch(`/api/keys/${id}`, { ip_allowlist: ['203.0.113.0/24'] }, service.admin);
    expect(codeOf(await service.get('/api/keys/self', cookie))).toBe('IP_NOT_ALLOWED');
    expect(codeOf(await current(cookie))).toBe('IP_NOT_ALLOWED');
  });

  test('the operator is revoked, or gets another token, and no sooner', async () => {
    const create = () => createOperator(service, 'support', 'Nok');
    const [revoked, rotated, other] = [await create(), await create(), await create()];
    const [first, second, third] = [
      await signIn(service, revoked.headers),
      await signIn(service, rotated.headers),
      await signIn(service, other.headers),
    ];
    expect(first.data).toMatchObject({ kind: 'operator', id: revoked.id, name: 'Nok', role: 'support' });
    expect(codeOf(await service.get('/api/bookings', first.cookie))).toBe('answered');
    await service.post(`/api/operators/${revoked.id}/revoke`, {}, service.admin);
    await service.post(`/api/operators/${rotated.id}/rotate`, {}, service.admin);
    for (const { cookie } of [first, second]) {
      expect((await service.get('/api/bookings', cookie)).refusal).toMatchObject({
        code: 'INVALID_TOKEN',
        error: 'The session in the cookie is over: its token was revoked or replaced. Sign in again.',
      });
      expect(codeOf(await current(cookie))).toBe('INVALID_TOKEN');
    }
    expect(codeOf(await service.get('/api/bookings', third.cookie))).toBe('answered');
  });

  test('the role of the operator changes: the session has the new one', async () => {
    const { id, headers } = await createOperator(service, 'admin');
    const { cookie } = await signIn(service, headers);
    expect(codeOf(await service.get('/api/keys', cookie))).toBe('answered');
    await service.patch(`/api/operators/${id}`, { role: 'viewer' }, service.admin);
    expect(codeOf(await service.get('/api/keys', cookie))).toBe('FORBIDDEN');
    expect((await current(cookie)).data.role).toBe('viewer');
  });
});

test('a session of a token of the settings ends when the setting changes', async () => {
  const token = 'the-first-admin-token-0001';
  const settings: Record<string, string> = { WAYMARK_ADMIN_TOKEN: token };
  await using changing = await openService({ settings });
  const { cookie } = await signIn(changing, withToken(token));
  await changing.restart();
  expect((await changing.get('/api/sessions/current', cookie)).status).toBe(200);
  await changing.restart(() => {
    settings['WAYMARK_ADMIN_TOKEN'] = 'the-second-admin-token-0002';
  });
  expect((await changing.get('/api/sessions/current', cookie)).refusal.error).toContain('revoked or replaced');
});
