import { describe, expect, test } from 'bun:test';
import { NOW, openService, type Service, withKey } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Use = AnswerOf<'get /api/keys/self'>;

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
