import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { A_WISH, type Credentials, openService, type Service, TOMORROW, withKey } from '../../support/service.ts';
import { type Answer, refused } from '../../support/service-answers.ts';
import { type SignedIn, signIn } from '../../support/sessions.ts';

const OWN = 'http://localhost';
const OTHER = 'https://elsewhere.example';

let service: Service;
let ofKey: SignedIn;
let ofAdmin: SignedIn;
beforeAll(async () => {
  service = await openService({ settings: { CORS_ORIGINS: OTHER, TRUSTED_PROXIES: '10.0.0.0/8' } });
  ofKey = await signIn(service, service.key);
  ofAdmin = await signIn(service, service.admin);
});
afterAll(() => service.stop());

const codeOf = (answer: Answer): string => (answer.status === 200 ? 'answered' : answer.refusal.code);
const own = async (headers: Credentials): Promise<string> => codeOf(await service.get('/api/keys/self', headers));

describe('a request of', () => {
  test.each([
    ['the dashboard in a present browser', { 'sec-fetch-site': 'same-origin' }, 'answered'],
    ['the dashboard in a browser without Sec-Fetch-Site', { origin: OWN }, 'answered'],
    ['a program', {}, 'answered'],
    ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: OTHER }, 'FORBIDDEN'],
    ['another port or host of the same site', { 'sec-fetch-site': 'same-site' }, 'FORBIDDEN'],
    ['nobody: a typed address', { 'sec-fetch-site': 'none' }, 'FORBIDDEN'],
    ['another page in an old browser', { origin: OTHER }, 'FORBIDDEN'],
    ['another port in an old browser', { origin: `${OWN}:8080` }, 'FORBIDDEN'],
    ['another scheme in an old browser', { origin: 'https://localhost' }, 'FORBIDDEN'],
    ['a page without an origin', { origin: 'null' }, 'FORBIDDEN'],
  ] as const)('%s', async (_name, headers, outcome) => {
    expect(await own({ ...ofKey.cookie, ...headers })).toBe(outcome);
    expect(codeOf(await service.get('/api/keys', { ...ofAdmin.cookie, ...headers }))).toBe(outcome);
    expect(codeOf(await service.get('/api/sessions/current', { ...ofKey.cookie, ...headers }))).toBe(outcome);
  });

  test('another page cannot sign a browser in', async () => {
    const token = { token: service.node.secrets.adminToken };
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: OTHER }] as const) {
      const answer = await service.post('/api/sessions', token, headers);
      expect([codeOf(answer), answer.headers.get('set-cookie')]).toEqual(['FORBIDDEN', null]);
    }
  });
});

describe('a write', () => {
  const rename = (headers: Credentials) => service.patch('/api/keys/self', { name: 'Renamed' }, headers);

  test('needs the token of its session', async () => {
    const another = await signIn(service, service.key);
    const forged: readonly Credentials[] = [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': another.data.csrf_token },
      { 'x-csrf-token': `${ofKey.data.csrf_token}0` },
      { 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of forged) {
      expect((await rename({ ...ofKey.cookie, ...headers })).refusal).toEqual(
        refused(
          403,
          'FORBIDDEN',
          'The header x-csrf-token is not that of the session; send the csrf_token of GET /api/sessions/current in it.',
        ),
      );
    }
    expect((await service.get<{ name: string }>('/api/keys/self', ofKey.cookie)).data.name).not.toBe('Renamed');
    expect(codeOf(await rename(ofKey.writing))).toBe('answered');
  });

  test('of every method needs it', async () => {
    const sent: readonly Promise<Answer>[] = [
      service.post('/api/keys', { name: 'A key' }, ofAdmin.cookie),
      service.patch('/api/keys/key_1', { name: 'A key' }, ofAdmin.cookie),
      service.put('/api/activities/river-walk', {}, ofAdmin.cookie),
      service.delete('/api/venues/old-pier/devices/dev_1', ofAdmin.cookie),
      service.delete('/api/sessions/current', ofAdmin.cookie),
    ];
    expect((await Promise.all(sent)).map(codeOf)).toEqual(sent.map(() => 'FORBIDDEN'));
  });
});

describe('the header decides if it is sent', () => {
  test('and its answer renews no session', async () => {
    const { key } = await service.createKey({ name: 'Another' });
    const both = await service.get<{ name: string }>('/api/keys/self', { ...ofKey.cookie, ...withKey(key) });
    expect([both.data.name, both.headers.get('set-cookie')]).toEqual(['Another', null]);
    expect(await own({ ...ofKey.cookie, ...withKey('0'.repeat(64)) })).toBe('INVALID_API_KEY');
    const wrongToken = { ...ofAdmin.cookie, authorization: 'Bearer wrong' };
    expect(codeOf(await service.get('/api/keys', wrongToken))).toBe('INVALID_TOKEN');
  });

  test('but the password of a proxy in front is no token', async () => {
    const basic = { ...ofAdmin.cookie, authorization: 'Basic bm9rOnNlY3JldA==' };
    expect(codeOf(await service.get('/api/keys', basic))).toBe('answered');
  });
});

describe('a session does not serve', () => {
  test('what books, holds, changes or recommends', async () => {
    const { data } = await service.book();
    const calls: readonly (readonly [string, object])[] = [
      ['/api/b2a/execute_booking', A_WISH],
      ['/api/b2a/holds', { activity_id: 'river-walk', booking_date: TOMORROW, num_adults: 1 }],
      [`/api/b2a/bookings/${data.booking_id}/cancel`, {}],
      [`/api/b2a/bookings/${data.booking_id}/modify`, { num_adults: 1 }],
      ['/api/b2a/recommend', {}],
      ['/api/b2a/inventory/refresh', {}],
    ];
    const before = (await service.events()).length;
    for (const [path, body] of calls)
      expect([path, codeOf(await service.post(path, body, ofKey.writing))]).toEqual([path, 'MISSING_API_KEY']);
    expect((await service.events()).length).toBe(before);
  });

  test('a gate', async () => {
    expect(codeOf(await service.post('/api/venue/verify', { code: 'WM-1' }, ofAdmin.writing))).toBe(
      'MISSING_DEVICE_KEY',
    );
  });

  test('the tool server', async () => {
    const call = { name: 'inventory', arguments: { city: 'Bangkok' } };
    const response = await service.send('/mcp', {
      method: 'POST',
      headers: {
        ...ofKey.writing,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
    });
    expect(await response.text()).toContain('MISSING_API_KEY');
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  test('the other kind of caller', async () => {
    expect(codeOf(await service.get('/api/keys', ofKey.cookie))).toBe('MISSING_TOKEN');
    expect(await own(ofAdmin.cookie)).toBe('MISSING_API_KEY');
  });
});

describe('a cookie', () => {
  const value = (): string => (ofKey.cookie['cookie'] ?? '').replace('waymark_session=', '');

  test.each([
    ['is empty', () => 'waymark_session='],
    ['was changed', () => `waymark_session=A${value().slice(1)}`],
    ['was cut off', () => `waymark_session=${value().slice(0, -4)}`],
    ['is no seal', () => 'waymark_session=%7B%22id%22%3A1%7D'],
    ['is very long', () => `waymark_session=${'A'.repeat(5_000)}`],
    ['came twice with different values', () => `waymark_session=${value()}; waymark_session=${'A'.repeat(200)}`],
  ])('that %s is refused, and counts as no wrong token', async (_name, cookie) => {
    for (let n = 0; n < 61; n++) await service.get('/api/keys', { cookie: cookie() });
    expect((await service.get('/api/keys', { cookie: cookie() })).refusal).toMatchObject({
      code: 'INVALID_TOKEN',
      error: 'The session in the cookie is over: this service does not know it. Sign in again.',
    });
    expect(await own({ cookie: cookie() })).toBe('INVALID_API_KEY');
    expect(codeOf(await service.get('/api/keys', service.admin))).toBe('answered');
  });

  test('is found among others', async () => {
    const { cookie } = ofKey.cookie;
    expect(await own({ cookie: `theme=dark; ${cookie}; waymark_session_2=x` })).toBe('answered');
    expect(await own({ cookie: 'theme=dark; xwaymark_session=1' })).toBe('MISSING_API_KEY');
  });

  test('of another installation is refused', async () => {
    await using another = await openService();
    const { cookie } = await signIn(another, another.admin);
    expect(codeOf(await service.get('/api/keys', cookie))).toBe('INVALID_TOKEN');
  });

  test('is for TLS alone if the request came over TLS', async () => {
    service.peer = '10.0.0.1';
    const { setCookie, cookie } = await signIn(service, service.admin, { 'x-forwarded-proto': 'https' });
    expect(setCookie).toEndWith('; HttpOnly; SameSite=Strict; Secure');
    const renewed = await service.get('/api/keys', { ...cookie, 'x-forwarded-proto': 'https' });
    expect(renewed.headers.get('set-cookie')).toEndWith('; Secure');
    service.peer = '192.0.2.1';
  });
});

test('what a session reads does not count in the limits of its key, and has a limit of its own', async () => {
  const { key } = await service.createKey({ plan: 'free' });
  const { cookie } = await signIn(service, withKey(key));
  const remaining = async (path: string, headers: Credentials): Promise<string> =>
    (await service.get(path, headers)).headers.get('ratelimit') ?? 'none';
  expect(await remaining('/api/b2a/bookings', cookie)).toContain('"minute";r=10');
  expect(await remaining('/api/b2a/bookings', withKey(key))).toContain('"minute";r=9');
  const another = await signIn(service, withKey(key));
  for (let n = 0; n < 239; n++) await service.get('/api/b2a/bookings', another.cookie);
  expect((await service.get('/api/b2a/bookings', cookie)).refusal).toMatchObject({
    code: 'RATE_LIMITED',
    error: 'Too many reads came from the sessions of this API key; send this one again in 1 s.',
  });
  expect(await remaining('/api/b2a/bookings', withKey(key))).toContain('"minute";r=8');
  service.clock.advance(1_000);
  expect(await own(cookie)).toBe('answered');
});

test('what a session writes counts in the limits of its key', async () => {
  const { key } = await service.createKey({ plan: 'free' });
  const { writing } = await signIn(service, withKey(key));
  const send = () => service.post('/api/webhooks/deliveries/whd_none/resend', {}, writing);
  for (let n = 0; n < 10; n++) expect((await send()).headers.get('ratelimit')).toContain(`"minute";r=${9 - n}`);
  expect(codeOf(await send())).toBe('RATE_LIMITED');
});
