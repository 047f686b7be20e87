import { describe, expect, test } from 'bun:test';
import { NOW, openService, type Service, withKey } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { signIn } from '../../support/sessions.ts';

type Use = AnswerOf<'get /api/keys/self'>;
type OneKey = AnswerOf<'get /api/keys/:id'>;

async function useOf(service: Service, key: string): Promise<Use['use']['today']> {
  return (await service.get<Use>('/api/keys/self', withKey(key))).data.use.today;
}

describe('the use of a key', () => {
  test('is all that was answered today, by endpoint and outcome', async () => {
    await using service = await openService();
    const { key } = await service.createKey();
    await service.inventory('city=Bangkok', withKey(key));
    await service.inventory('city=Bangkok', withKey(key));
    await service.inventory('city=Atlantis', withKey(key));
    await service.get('/api/b2a/bookings/bk_none', withKey(key));
    expect(await useOf(service, key)).toEqual({
      requests: 4,
      by_endpoint: {
        get_booking: { ok: 0, refused: 1, failed: 0 },
        inventory: { ok: 2, refused: 1, failed: 0 },
      },
    });
  });

  test("counts a key's refusals, those of its limits too, and nothing of other keys", async () => {
    await using service = await openService();
    const { key } = await service.createKey({ plan: 'free', permissions: ['inventory'] });
    for (let n = 0; n < 12; n++) await service.inventory('city=Bangkok', withKey(key));
    await service.recommend({}, withKey(key));
    await service.inventory('city=Bangkok');
    expect((await useOf(service, key)).by_endpoint).toEqual({
      inventory: { ok: 10, refused: 2, failed: 0 },
      recommend: { ok: 0, refused: 1, failed: 0 },
    });
  });

  test('leaves out what a session of its owner reads', async () => {
    await using service = await openService();
    const { key } = await service.createKey();
    const { cookie } = await signIn(service, withKey(key));
    await service.get('/api/b2a/bookings', cookie);
    await service.get('/api/sessions/current', cookie);
    expect(await useOf(service, key)).toEqual({ requests: 0, by_endpoint: {} });
  });

  test('is there after a restart, and begins anew at midnight UTC', async () => {
    await using service = await openService();
    const { key } = await service.createKey();
    await service.inventory('city=Bangkok', withKey(key));
    await service.restart();
    await service.inventory('city=Bangkok', withKey(key));
    expect((await useOf(service, key)).by_endpoint).toEqual({ inventory: { ok: 2, refused: 0, failed: 0 } });
    service.clock.set(Date.parse('2026-11-22T00:00:00Z'));
    expect(await useOf(service, key)).toEqual({ requests: 0, by_endpoint: {} });
    await service.restart();
    expect((await useOf(service, key)).by_endpoint).toEqual({ own_key: { ok: 1, refused: 0, failed: 0 } });
  });
});

test('the day of a key ends at midnight to the millisecond, also if the clock moves on during the request', async () => {
  await using service = await openService();
  const { key } = await service.createKey({ plan: 'free' });
  let readings = 0;
  Object.assign(service.clock, { nowMs: () => NOW + readings++ });
  const { data } = await service.get<Use>('/api/keys/self', withKey(key));
  expect(data.usage?.day.resets_at).toBe('2026-11-22T00:00:00.000Z');
});

describe('an operator', () => {
  test('sees the last use of each key and the use of its limits today, in the list and of one key', async () => {
    await using service = await openService();
    const { id, key } = await service.createKey({ plan: 'free', name: 'Busy' });
    const unlimited = await service.createKey({ plan: 'enterprise', name: 'Idle' });
    await service.inventory('city=Bangkok', withKey(key));
    service.clock.advance(61_000);
    await service.inventory('city=Atlantis', withKey(key));
    await service.documents('keys');
    const usage = {
      minute: { limit: 10, used: 1, remaining: 9 },
      day: { limit: 100, used: 2, remaining: 98, resets_at: '2026-11-22T00:00:00.000Z' },
    };
    const last = new Date(NOW + 61_000).toISOString();
    const { items } = (await service.get<AnswerOf<'get /api/keys'>>('/api/keys', service.admin)).data;
    const shown = items
      .filter(({ name }) => name === 'Busy' || name === 'Idle')
      .toSorted((a, b) => a.name.localeCompare(b.name));
    expect(shown.map((each) => [each.name, each.last_used_at, each.requests_today, each.usage])).toEqual([
      ['Busy', last, 2, usage],
      ['Idle', null, 0, null],
    ]);
    const one = (await service.get<OneKey>(`/api/keys/${id}`, service.admin)).data;
    expect([one.last_used_at, one.usage, one.spending, one.use.today]).toEqual([
      last,
      usage,
      null,
      { requests: 2, by_endpoint: { inventory: { ok: 1, refused: 1, failed: 0 } } },
    ]);
    const other = (await service.get<OneKey>(`/api/keys/${unlimited.id}`, service.admin)).data;
    expect([other.last_used_at, other.usage]).toEqual([null, null]);
  });

  test('still sees the last use after days without any, and after a restart', async () => {
    await using service = await openService();
    const { id, key } = await service.createKey();
    await service.inventory('city=Bangkok', withKey(key));
    service.clock.advance(10 * 86_400_000);
    await service.restart();
    const one = (await service.get<OneKey>(`/api/keys/${id}`, service.admin)).data;
    expect([one.last_used_at, one.use.today.requests]).toEqual([new Date(NOW).toISOString(), 0]);
  });

  test('sees the use of the day limit on spending', async () => {
    await using service = await openService();
    const limits = { day_total: 100_000, currency: 'THB' };
    const { id, key } = await service.createKey({ limits });
    const { data } = await service.book({}, withKey(key));
    const one = (await service.get<OneKey>(`/api/keys/${id}`, service.admin)).data;
    expect(one.spending?.today).toMatchObject({ used: data.pricing.total, limit: 100_000, currency: 'THB' });
  });
});
