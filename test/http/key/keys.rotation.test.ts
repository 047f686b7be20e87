import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { NOW, openService, type Service, TODAY, withKey } from '../../support/service.ts';
import { type AnswerOf, faulty, refused } from '../../support/service-answers.ts';

type Rotated = AnswerOf<'post /api/keys/:id/rotate'>;

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

function rotate(id: string, body: object = {}) {
  return service.post<Rotated>(`/api/keys/${id}/rotate`, body, service.admin);
}

const health = (value: string) => service.get('/api/health', withKey(value));

/** The refusal of a value that a rotation replaced. */
function replaced(prefix: string, sinceMs: number, by: string) {
  const since = new Date(sinceMs).toISOString();
  return refused(
    401,
    'INVALID_API_KEY',
    `The API key ${prefix} was replaced and expired at ${since}; send the new key ${by}.`,
  );
}

describe('a key that is rotated', () => {
  test('has another value, shown this once; the one before it works for a day more', async () => {
    const { key: old, webhook_secret: _secret, ...shown } = await service.createKey();
    const { data, headers } = await rotate(shown.id);
    expect(data.key).toMatch(/^[0-9a-f]{64}$/);
    expect(data.key).not.toBe(old);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-position')).toMatch(/^\d+$/);
    const previous = { prefix: shown.prefix, works_until: '2026-11-22T03:00:00.000Z' };
    const after = { ...shown, prefix: `pk_${data.key.slice(0, 6)}` };
    expect<object>(data).toEqual({ ...after, key: data.key, previous });
    for (const value of [old, data.key]) {
      const own = { ...after, previous, usage: null };
      expect((await service.get('/api/keys/self', withKey(value))).data).toMatchObject(own);
    }
    expect((await service.get(`/api/keys/${shown.id}`, service.admin)).data).toEqual({
      ...after,
      webhook: { failing_since: null, suspended_since: null },
      previous,
      previous_secret_signs_until: null,
      last_used_at: '2026-11-21T03:00:00.000Z',
      usage: null,
      spending: null,
      use: { today: { requests: 2, by_endpoint: { own_key: { ok: 2, refused: 0, failed: 0 } } } },
    });

    service.clock.set(NOW + DAY_MS - 1);
    expect((await health(old)).status).toBe(200);
    service.clock.advance(1);
    expect((await health(old)).refusal).toEqual(replaced(shown.prefix, NOW + DAY_MS, data.prefix));
    expect((await service.get('/api/keys/self', withKey(data.key))).data).toMatchObject({ previous: null });
  });

  test.each([
    [1, HOUR_MS],
    [168, 7 * DAY_MS],
  ])('has the overlap that is asked for: %i hours', async (overlap_hours, overlapMs) => {
    const { id, key: old } = await service.createKey();
    const { key } = (await rotate(id, { overlap_hours })).data;
    service.clock.set(NOW + overlapMs - 1);
    expect([(await health(old)).status, (await health(key)).status]).toEqual([200, 200]);
    service.clock.advance(1);
    expect((await health(old)).refusal.code).toBe('INVALID_API_KEY');
    expect((await health(key)).status).toBe(200);
  });

  test('without an overlap has ended its old value before the answer', async () => {
    const { id, key: old, prefix } = await service.createKey();
    const { data } = await rotate(id, { overlap_hours: 0 });
    expect<object>(data).toMatchObject({ previous: null });
    expect((await health(old)).refusal).toEqual(replaced(prefix, NOW, data.prefix));
    expect((await health(data.key)).status).toBe(200);
  });

  test('again during the overlap has two values that work: the first of three has ended', async () => {
    const { id, key: first } = await service.createKey();
    const second = (await rotate(id)).data;
    service.clock.advance(HOUR_MS);
    const third = (await rotate(id)).data;
    expect<object>(third).toMatchObject({
      previous: { prefix: second.prefix, works_until: '2026-11-22T04:00:00.000Z' },
    });
    expect((await health(first)).refusal.code).toBe('INVALID_API_KEY');
    expect([(await health(second.key)).status, (await health(third.key)).status]).toEqual([200, 200]);
  });

  test('is as it was after a restart, and after a rebuild', async () => {
    const { id, key: first, prefix } = await service.createKey();
    const second = (await rotate(id, { overlap_hours: 1 })).data;
    await service.restart();
    expect([(await health(first)).status, (await health(second.key)).status]).toEqual([200, 200]);
    expect(await service.rebuild('keys')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    service.clock.advance(HOUR_MS);
    await service.restart();
    expect((await health(first)).refusal).toEqual(replaced(prefix, NOW + HOUR_MS, second.prefix));
    expect((await health(second.key)).status).toBe(200);
  });

  test('is the same key: its bookings, its Idempotency-Keys and its use of the day', async () => {
    const { id, key: old } = await service.createKey({ plan: 'basic' });
    const once = { 'idempotency-key': 'once' };
    const booked = await service.book({ booking_date: TODAY }, { ...withKey(old), ...once });
    const { key } = (await rotate(id)).data;
    const { booking_id } = booked.data;
    expect((await service.booking(booking_id, withKey(key))).data.booking_id).toBe(booking_id);
    const again = await service.book({ booking_date: TODAY }, { ...withKey(key), ...once });
    expect([again.data.booking_id, again.headers.get('idempotent-replayed')]).toEqual([booking_id, 'true']);
    for (const value of [old, key])
      expect((await service.get('/api/keys/self', withKey(value))).data).toMatchObject({ usage: { day: { used: 3 } } });
  });

  test('stays inactive where it is, and either value works when it is activated', async () => {
    const { id, key: old } = await service.createKey();
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    const { data } = await rotate(id);
    expect<object>(data).toMatchObject({ active: false });
    for (const value of [old, data.key]) expect((await health(value)).refusal.code).toBe('KEY_INACTIVE');
    await service.post(`/api/keys/${id}/activate`, {}, service.admin);
    for (const value of [old, data.key]) expect((await health(value)).status).toBe(200);
  });

  test('a deactivation ends both values, and an ended value is refused as ended first', async () => {
    const { id, key: old } = await service.createKey();
    const { key } = (await rotate(id, { overlap_hours: 1 })).data;
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    for (const value of [old, key]) expect((await health(value)).refusal.code).toBe('KEY_INACTIVE');
    service.clock.advance(HOUR_MS);
    expect((await health(old)).refusal.code).toBe('INVALID_API_KEY');
    expect((await health(key)).refusal.code).toBe('KEY_INACTIVE');
  });

  test('expires in both its values', async () => {
    const { id, key: old } = await service.createKey({ expires_at: '2026-11-21T04:00:00Z' });
    const { key } = (await rotate(id)).data;
    service.clock.advance(HOUR_MS);
    for (const value of [old, key]) expect((await health(value)).refusal.code).toBe('KEY_INACTIVE');
  });

  test('leaves in its stream who did it, and of the value nothing but hash and prefix', async () => {
    const { id } = await service.createKey();
    const { key, prefix } = (await rotate(id)).data;
    const [rotated] = (await service.events()).filter(({ type }) => type === 'KeyRotated.v1');
    expect(rotated?.cause.by).toBe('admin');
    expect<object | undefined>(rotated?.data).toEqual({
      hash: new Bun.CryptoHasher('sha256').update(key).digest('hex'),
      prefix,
      oldUntil: '2026-11-22T03:00:00.000Z',
      at: '2026-11-21T03:00:00.000Z',
    });
  });

  test.each([-1, 169, 1.5, '24 h', true])('has overlaps of 0 to 168 hours: %j', async (overlap_hours) => {
    const { id, key } = await service.createKey();
    const sentence = `overlap_hours must be a whole number from 0 to 168; it was ${JSON.stringify(overlap_hours)}.`;
    expect((await rotate(id, { overlap_hours })).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
    expect((await health(key)).status).toBe(200);
  });
});
