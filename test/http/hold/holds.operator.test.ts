import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { codesOf, keyOf } from '../../support/exposure.ts';
import { hold, readHold, shownFree } from '../../support/holds.ts';
import { headOf } from '../../support/log-of-service.ts';
import { openService, type Service, TOMORROW } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { LATER } from '../../support/spending.ts';
import { testKey } from '../../support/test-mode.ts';

type Listed = AnswerOf<'get /api/holds'>;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

async function list(query = '', at: Service = service): Promise<Listed> {
  const headers = { ...at.admin, 'x-position': await headOf(at) };
  return (await at.get<Listed>(`/api/holds${query}`, headers)).data;
}

describe('the operator', () => {
  test('lists open holds by activity, date and key, the next to end first', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'basic');
    const held = async (change: object, headers: Readonly<Record<string, string>>) =>
      (await hold(own, change, headers)).data.hold_id;
    const first = await held({ booking_date: LATER }, key);
    own.clock.advance(1_000);
    const second = await held({ activity_id: 'light-show', num_adults: 3 }, key);
    own.clock.advance(1_000);
    const third = await held({ booking_date: LATER }, await testKey(own));
    const ids = async (query: string) => (await list(query, own)).items.map(({ hold_id }) => hold_id);
    expect(await ids('')).toEqual([first, second, third]);
    expect(await ids(`?activity_id=river-walk&date=${LATER}`)).toEqual([first, third]);
    expect(await ids(`?key=${key.id}`)).toEqual([first, second]);
    const page = await list('?limit=1', own);
    expect(page.items).toEqual([
      {
        hold_id: first,
        key_id: key.id,
        mode: 'live',
        activity_id: 'river-walk',
        booking_date: LATER,
        guests: 2,
        expires_at: '2026-11-21T03:10:00.000Z',
      },
    ]);
    expect(await ids(`?limit=5&cursor=${page.next_cursor}`)).toEqual([second, third]);
    await own.book({ booking_date: LATER, hold_id: first }, key);
    own.clock.advance(10 * 60_000 - 1_000);
    expect(await ids('')).toEqual([third]);
  });

  test('releases a hold of any key, and again', async () => {
    const key = await keyOf(service, 'free');
    const { data } = await hold(service, {}, key);
    await hold(service, { booking_date: LATER }, key);
    const free = await shownFree(service);
    const release = () => service.post(`/api/holds/${data.hold_id}/release`, {}, service.admin);
    for (const answer of [await release(), await release()])
      expect(answer.data).toEqual({ hold_id: data.hold_id, status: 'released' });
    expect(await shownFree(service)).toBe(free + 2);
    expect((await readHold(service, data.hold_id, key)).data.status).toBe('released');
    expect((await list(`?key=${key.id}`)).items).toHaveLength(1);
    expect(codesOf([await hold(service, {}, key)])).toEqual(['ok']);
  });

  test('gets 404 for an unknown hold', async () => {
    const answer = await service.post('/api/holds/hd_06gzznzez9qfdm3bzqmg/release', {}, service.admin);
    expect(answer.refusal.code).toBe('HOLD_NOT_FOUND');
  });
});

describe('a deactivated key', () => {
  test('loses its holds and its bookings on request at the next intervals of the reaper; confirmed bookings stay', async () => {
    await using own = await openService();
    const [key, other] = [await keyOf(own, 'basic'), await keyOf(own, 'basic')];
    const confirmed = (await own.book({}, key)).data.booking_id;
    const pending = (await own.book({ activity_id: 'village-kitchen' }, key)).data.booking_id;
    await hold(own, { num_adults: 3 }, key);
    const kept = (await hold(own, { num_adults: 1 }, other)).data.hold_id;
    expect(await shownFree(own)).toBe(4);
    await own.post(`/api/keys/${key.id}/deactivate`, {}, own.admin);
    const status = async (id: string) =>
      (await own.get<AnswerOf<'get /api/bookings/:booking_id'>>(`/api/bookings/${id}`, own.admin)).data.status;
    const kitchen = async () => {
      const head = { 'x-position': await headOf(own) };
      const query = `activity_id=village-kitchen&date=${TOMORROW}`;
      return (await own.inventory(query, head)).data.inventory[0]?.available_slots ?? 0;
    };
    while ((await shownFree(own)) < 7 || (await kitchen()) < 12) {
      own.clock.advance(1_000);
      // Lets pending callbacks run.
      await new Promise(setImmediate);
    }
    expect([await status(pending), await status(confirmed)]).toEqual(['rejected', 'confirmed']);
    expect((await list('', own)).items.map(({ hold_id }) => hold_id)).toEqual([kept]);
  });
});
