import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { WEBHOOK_EVENTS } from '../../../src/domain/delivery/delivery.ts';
import { unaudited } from '../../support/log-of-service.ts';
import { openService, type Service, withKey } from '../../support/service.ts';
import { type AnswerOf, faulty, type Key, refused } from '../../support/service-answers.ts';

const SETTINGS = {
  name: 'Trip planner',
  plan: 'enterprise',
  permissions: ['inventory', 'webhook'],
  webhook_url: 'https://agent.example/hooks',
  webhook_events: ['qr_verified'],
  ip_allowlist: ['203.0.113.0/24'],
  contact_email: 'ops@agent.example',
  expires_at: '2027-01-01T00:00:00.000Z',
};
const OTHER = {
  name: 'Another planner',
  plan: 'enterprise',
  permissions: ['recommend', 'webhook'],
  webhook_url: 'https://agent.example/other',
  webhook_events: ['booking_confirmed', 'booking_cancelled'],
  ip_allowlist: ['2001:db8::/32'],
  contact_email: 'desk@agent.example',
  expires_at: '2028-01-01T00:00:00.000Z',
};

let service: Service;
beforeAll(async () => {
  service = await openService();
  // In the list of the settings below.
  service.peer = '203.0.113.7';
});
afterAll(() => service.stop());

/** A new key as it is shown from then on, and the header that it is sent in. */
async function made(settings: object = {}) {
  const { key, webhook_secret: _secret, ...shown } = await service.createKey(settings);
  return { shown, path: `/api/keys/${shown.id}`, caller: withKey(key) };
}

/** The events of a key, each with who caused it. */
async function happenedTo(id: string) {
  const events = (await service.events()).filter(({ stream }) => stream === `apikey-${id}`);
  return events.map(({ type, data, cause }) => ({ type, data, by: cause.by, at: cause.at }));
}

const HEALTHY = { failing_since: null, suspended_since: null };
const UNUSED = { last_used_at: null, spending: null, usage: null, use: { today: { requests: 0, by_endpoint: {} } } };
const STATE = { webhook: HEALTHY, previous: null, previous_secret_signs_until: null, ...UNUSED };

describe('a key that an operator changes', () => {
  test.each(Object.entries(OTHER))('has another %s, everywhere and from the answer on: %j', async (field, value) => {
    const { shown, path } = await made(SETTINGS);
    const answer = await service.patch(path, { [field]: value }, service.admin);
    const expected = { ...shown, [field]: value };
    expect<object>(answer.data).toEqual(expected);
    expect((await service.get(path, service.admin)).data).toEqual({ ...expected, ...STATE });
    const stored = (await service.documents('keys')).find(({ id }) => id === shown.id)?.doc;
    expect<object | null | undefined>(stored).toMatchObject({
      keyId: shown.id,
      name: field === 'name' ? OTHER.name : SETTINGS.name,
    });
  });

  test('has all of it at once, and its stream says what differs, when and who did it', async () => {
    const { shown, path } = await made(SETTINGS);
    const { data, headers } = await service.patch(path, OTHER, service.admin);
    expect<object>(data).toEqual({ ...shown, ...OTHER });
    expect(headers.get('x-position')).toMatch(/^\d+$/);
    const [, changed] = await happenedTo(shown.id);
    expect<object | undefined>(changed).toEqual({
      type: 'KeyChanged.v1',
      data: {
        changes: {
          name: 'Another planner',
          permissions: ['recommend', 'webhook'],
          webhookUrl: 'https://agent.example/other',
          webhookEvents: ['booking_confirmed', 'booking_cancelled'],
          ipAllowlist: ['2001:db8::/32'],
          contactEmail: 'desk@agent.example',
          expiresAt: '2028-01-01T00:00:00.000Z',
        },
        at: '2026-11-21T03:00:00.000Z',
      },
      by: 'admin',
      at: '2026-11-21T03:00:00.000Z',
    });
  });

  test('null clears a clearable setting, and leaves any other as it is', async () => {
    const { shown, path } = await made(SETTINGS);
    const nothing = Object.fromEntries(Object.keys(SETTINGS).map((field) => [field, null]));
    const { data } = await service.patch(path, nothing, service.admin);
    expect<object>(data).toEqual({
      ...shown,
      webhook_url: null,
      webhook_events: WEBHOOK_EVENTS,
      ip_allowlist: null,
      contact_email: null,
      expires_at: null,
    });
  });

  test('hears of nothing where its list of events is empty', async () => {
    const { path } = await made(SETTINGS);
    const { data } = await service.patch(path, { webhook_events: [] }, service.admin);
    expect<object>(data).toMatchObject({ webhook_events: [] });
  });

  test('stays as it is where nothing differs, and nothing is written', async () => {
    const { shown, path } = await made(SETTINGS);
    const before = await unaudited(service);
    for (const body of [{}, { ...SETTINGS, permissions: ['webhook', 'inventory', 'webhook'] }]) {
      const answer = await service.patch(path, body, service.admin);
      expect<object>(answer.data).toEqual(shown);
      expect(answer.headers.get('x-position')).toBeNull();
    }
    expect(await unaudited(service)).toEqual(before);
  });

  test('has its new permissions at once, and no others', async () => {
    const { path, caller } = await made({ permissions: ['execute_booking'], plan: 'free' });
    expect((await service.inventory('city=Bangkok', caller)).refusal.code).toBe('ENDPOINT_NOT_ALLOWED');
    await service.patch(path, { permissions: ['inventory'], plan: 'basic' }, service.admin);
    const answer = await service.inventory('city=Bangkok', caller);
    expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([
      200,
      '"minute";q=60;w=60, "day";q=1000;w=86400',
    ]);
    expect((await service.book({}, caller)).refusal.code).toBe('ENDPOINT_NOT_ALLOWED');
  });

  test('keeps the used quota of the day when the plan changes', async () => {
    const { path, caller } = await made({ plan: 'free' });
    for (let asked = 0; asked < 3; asked++) await service.inventory('city=Bangkok', caller);
    await service.patch(path, { plan: 'basic' }, service.admin);
    const { data } = await service.get('/api/keys/self', caller);
    expect(data).toMatchObject({
      plan: 'basic',
      usage: { minute: { used: 3, limit: 60 }, day: { used: 3, limit: 1_000 } },
    });
  });

  test('expires at expires_at, checked at each request, and works again when that is cleared', async () => {
    await using own = await openService();
    const { id, key } = await own.createKey();
    await own.patch(`/api/keys/${id}`, { expires_at: '2026-11-21T11:00:00+07:00' }, own.admin);
    own.clock.set(Date.parse('2026-11-21T04:00:00Z') - 1);
    expect((await own.get('/api/health', withKey(key))).status).toBe(200);
    own.clock.advance(1);
    expect((await own.get('/api/health', withKey(key))).refusal.code).toBe('KEY_INACTIVE');
    await own.patch(`/api/keys/${id}`, { expires_at: null }, own.admin);
    expect((await own.get('/api/health', withKey(key))).status).toBe(200);
  });

  const noList = (plan: string) =>
    refused(
      400,
      'INVALID_REQUEST',
      `ip_allowlist needs the plan "enterprise", but the plan is "${plan}"; send ip_allowlist null, or plan "enterprise".`,
    );

  test('has a list of addresses on the plan enterprise only: it neither gets one elsewhere nor takes one along', async () => {
    const { path } = await made(SETTINGS);
    expect((await service.patch(path, { plan: 'basic' }, service.admin)).refusal).toEqual(noList('basic'));
    expect((await service.patch(path, { plan: 'basic', ip_allowlist: null }, service.admin)).status).toBe(200);
    const list = { ip_allowlist: ['10.0.0.0/8'] };
    expect((await service.patch(path, list, service.admin)).refusal).toEqual(noList('basic'));
    const both = await service.patch(path, { plan: 'enterprise', ...list }, service.admin);
    expect<object>(both.data).toMatchObject({ plan: 'enterprise', ...list });
  });

  const PAST = 'expires_at must lie in the future; it was "2026-11-21T03:00:00Z", now it is 2026-11-21T03:00:00.000Z.';
  test.each([
    [{ name: '' }, 'name must be a name of 1 to 120 characters; it was "".'],
    [{ plan: 'gold' }, 'plan must be one of free, basic, premium, enterprise; it was "gold".'],
    [
      { permissions: ['admin'] },
      'permissions must be a list with at least one of recommend, execute_booking, inventory, webhook; it was ["admin"].',
    ],
    [{ contact_email: 'ops' }, 'contact_email must be a valid e-mail address; it was "ops".'],
    [{ expires_at: 'soon' }, 'expires_at must be an ISO 8601 timestamp with a zone; it was "soon".'],
    [{ expires_at: '2026-11-21T03:00:00Z' }, PAST],
  ])('is refused a bad value, and stays as it was: %j', async (body, sentence) => {
    const { path } = await made(SETTINGS);
    const before = await unaudited(service);
    expect((await service.patch(path, { contact_email: null, ...body }, service.admin)).refusal).toEqual(
      faulty('INVALID_REQUEST', sentence),
    );
    expect(await unaudited(service)).toEqual(before);
  });

  test.each(['key_0000000000000000', 'key_', 'self-made'])('must exist: %s', async (id) => {
    const expected = refused(404, 'NOT_FOUND', `There is no API key with the id "${id}"; GET /api/keys lists them.`);
    const path = `/api/keys/${id}`;
    expect((await service.get(path, service.admin)).refusal).toEqual(expected);
    expect((await service.patch(path, { name: 'A' }, service.admin)).refusal).toEqual(expected);
    for (const step of ['deactivate', 'activate', 'rotate'])
      expect((await service.post(`${path}/${step}`, {}, service.admin)).refusal).toEqual(expected);
  });
});

describe('a key that is activated again', () => {
  test('works as before, and its stream has both events', async () => {
    const { shown, path, caller } = await made({ permissions: ['inventory'] });
    await service.post(`${path}/deactivate`, {}, service.admin);
    expect((await service.inventory('city=Bangkok', caller)).refusal.code).toBe('KEY_INACTIVE');
    const answer = await service.post<AnswerOf<'post /api/keys/:id/activate'>>(`${path}/activate`, {}, service.admin);
    expect<object>(answer.data).toEqual(shown);
    expect((await service.inventory('city=Bangkok', caller)).status).toBe(200);
    expect((await service.post(`${path}/activate`, {}, service.admin)).headers.get('x-position')).toBeNull();
    const history = (await happenedTo(shown.id)).map(({ type, by }) => `${type} by ${by}`);
    expect(history).toEqual(['KeyCreated.v1 by admin', 'KeyDeactivated.v1 by admin', 'KeyActivated.v1 by admin']);
  });

  test('stays expired where it is', async () => {
    await using own = await openService();
    const { id, key } = await own.createKey({ expires_at: '2026-11-21T04:00:00Z' });
    await own.post(`/api/keys/${id}/deactivate`, {}, own.admin);
    own.clock.advance(3_600_000);
    const { data } = await own.post<Key>(`/api/keys/${id}/activate`, {}, own.admin);
    expect<object>(data).toMatchObject({ active: true, expires_at: '2026-11-21T04:00:00.000Z' });
    expect((await own.get('/api/health', withKey(key))).refusal.code).toBe('KEY_INACTIVE');
  });
});

describe('a key that changes itself', () => {
  const OWN = {
    name: 'Renamed',
    webhook_url: 'https://agent.example/moved',
    webhook_events: ['booking_modified'],
    contact_email: 'new@agent.example',
  };

  test('has another name, receiver, events and contact, and its stream says that it did it', async () => {
    const { shown, caller } = await made(SETTINGS);
    const { data, headers } = await service.patch('/api/keys/self', OWN, caller);
    expect<object>(data).toEqual({ ...shown, ...OWN });
    expect(headers.get('x-position')).toMatch(/^\d+$/);
    expect((await service.get('/api/keys/self', caller)).data).toMatchObject({ ...shown, ...OWN });
    expect((await happenedTo(shown.id)).map(({ type, by }) => [type, by])).toEqual([
      ['KeyCreated.v1', 'admin'],
      ['KeyChanged.v1', shown.id],
    ]);
  });

  test('empties by null what can be empty', async () => {
    const { shown, caller } = await made(SETTINGS);
    const nothing = { name: null, webhook_url: null, webhook_events: null, contact_email: null };
    const { data } = await service.patch('/api/keys/self', nothing, caller);
    expect<object>(data).toEqual({ ...shown, webhook_url: null, webhook_events: WEBHOOK_EVENTS, contact_email: null });
  });

  test.each([
    [{ plan: 'enterprise' }, 'plan'],
    [{ permissions: null, name: 'A' }, 'permissions'],
    [{ ip_allowlist: [] }, 'ip_allowlist'],
    [{ active: true, expires_at: null }, 'expires_at, active'],
  ])('is refused what is the operator’s, by name: %j', async (body, named) => {
    const { caller } = await made({ plan: 'free', permissions: ['webhook'] });
    const before = await unaudited(service);
    expect((await service.patch('/api/keys/self', body, caller)).refusal).toEqual(
      refused(400, 'INVALID_REQUEST', `${named} must be left out: ask the operator for such a change.`, {
        details: 'What can be changed here: name, webhook_url, webhook_events, contact_email.',
      }),
    );
    expect(await unaudited(service)).toEqual(before);
  });

  test.each([
    [{ active: false }, 'active'],
    [{ name: 'B', key: '0'.repeat(64) }, 'key'],
  ])('is not changed by the operator with what other endpoints do: %j', async (body, named) => {
    const { path } = await made({ plan: 'free' });
    const before = await unaudited(service);
    const { refusal } = await service.patch(path, body, service.admin);
    expect([refusal.status, refusal.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(refusal.error).toBe(
      `${named} must be left out: POST /api/keys/{id}/deactivate, …/activate and …/rotate do that.`,
    );
    expect(await unaudited(service)).toEqual(before);
  });

  test('is refused every bad value, each by name', async () => {
    const { caller } = await made(SETTINGS);
    const body = {
      name: 'x'.repeat(121),
      webhook_url: 'agent.example',
      webhook_events: ['booked'],
      contact_email: '@',
    };
    const { refusal } = await service.patch('/api/keys/self', body, caller);
    expect(refusal.code).toBe('INVALID_REQUEST');
    for (const field of Object.keys(body)) expect(refusal.details).toInclude(`${field} must be `);
  });
});
