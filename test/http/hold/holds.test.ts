import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fingerprintOf, holdIdOfKey } from '../../../src/application/identifiers.ts';
import { readConfig } from '../../../src/config.ts';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import { activityId, date as dateOf, holdFacts, keyId } from '../../support/examples.ts';
import { A_HOLD, hold, readHold, releaseHold, shownFree } from '../../support/holds.ts';
import { NOW, openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';
import { USUAL_POLICY } from '../../support/service-catalogue.ts';

const TEN_MINUTES = new Date(NOW + 600_000).toISOString();
const ID = /^hd_[0-9a-hjkmnp-tv-z]{20}$/;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** A date of the river walk that no other test has touched. */
let ahead = 0;
const untouched = () => new Date(Date.parse('2027-01-01') + 86_400_000 * ahead++).toISOString().slice(0, 10);

function unknown(id: string) {
  const sentence = `hold_id "${id}" is not a hold of this key; check the id, or book without one.`;
  return refused(404, 'HOLD_NOT_FOUND', sentence);
}

describe('a hold', () => {
  test('is returned with its price and its end, and reads the same later', async () => {
    const wish = { booking_date: untouched(), num_children: 1 };
    const { data, headers } = await hold(service, wish);
    expect<object>(data).toEqual({
      hold_id: expect.stringMatching(ID),
      mode: 'live',
      ...A_HOLD,
      ...wish,
      expires_at: TEN_MINUTES,
      pricing: { unit_price: 120.5, total_guests: 3, subtotal: 361.5, discount: 0, total: 361.5, currency: 'THB' },
      status: 'open',
      cancellation_policy: USUAL_POLICY,
    });
    expect([typeof headers.get('x-position'), headers.get('idempotent-replayed')]).toEqual(['string', null]);
    expect((await readHold(service, data.hold_id)).data).toEqual(data);
  });

  test('takes slots from the inventory, from bookings and from later holds', async () => {
    const date = untouched();
    const { headers } = await hold(service, { booking_date: date, num_adults: 7 });
    const position = { 'x-position': headers.get('x-position') ?? '' };
    const answer = await service.inventory(`activity_id=river-walk&date=${date}`, position);
    expect(answer.data.inventory.map((item) => item.available_slots)).toEqual([3]);
    const { refusal } = await service.book({ booking_date: date, num_adults: 4 });
    expect([refusal.code, refusal.details]).toEqual(['INVENTORY_EXHAUSTED', 'available_slots: 3']);
    const full = await hold(service, { booking_date: date, num_adults: 4 });
    expect([full.refusal.code, full.refusal.details]).toEqual(['INVENTORY_EXHAUSTED', 'available_slots: 3']);
    expect(full.refusal.alternatives?.length).toBeGreaterThan(0);
  });

  test('of all slots left today makes recommend offer tomorrow, until it is released', async () => {
    await using own = await openService();
    const recommendedFor = async ({ headers }: { readonly headers: Headers }) => {
      const position = headers.get('x-position') ?? '';
      const { recommendations } = (await own.recommend({}, { 'x-position': position })).data;
      return recommendations.find(({ id }) => id === 'river-walk')?.available_date;
    };
    const all = await hold(own, { booking_date: TODAY, num_adults: 10 });
    expect(await recommendedFor(all)).toBe(TOMORROW);
    expect(await recommendedFor(await releaseHold(own, all.data.hold_id))).toBe(TODAY);
  });

  test('lasts HOLD_MINUTES', async () => {
    await using own = await openService({ settings: { HOLD_MINUTES: '3' } });
    expect((await hold(own)).data.expires_at).toBe(new Date(NOW + 180_000).toISOString());
  });

  test.each(['0', '1441', '1.5', 'ten'])(
    'is never given where the setting is %s: the service does not start',
    (minutes) => {
      const fault = `HOLD_MINUTES must be a whole number from 1 to 1440; it is "${minutes}"`;
      expect(() => readConfig({ HOLD_MINUTES: minutes })).toThrow(fault);
    },
  );

  test('ends at the last entry of its date at the latest', async () => {
    const lastEntry = '2026-11-21T10:00:00.000Z';
    await using own = await openService({ startMs: Date.parse('2026-11-21T09:55:00Z') });
    const { data } = await hold(own, { booking_date: TODAY });
    expect(data.expires_at).toBe(lastEntry);
    own.clock.set(Date.parse(lastEntry));
    expect((await own.book({ booking_date: TODAY, hold_id: data.hold_id })).refusal.code).toBe('ACTIVITY_UNAVAILABLE');
    expect((await readHold(own, data.hold_id)).data.status).toBe('expired');
  });

  test('needs the permission to book', async () => {
    const { key } = await service.createKey({ permissions: ['inventory', 'recommend'] });
    const { data } = await hold(service, { booking_date: untouched() });
    for (const answer of [
      await hold(service, {}, withKey(key)),
      await readHold(service, data.hold_id, withKey(key)),
      await releaseHold(service, data.hold_id, withKey(key)),
    ])
      expect(answer.refusal.code).toBe('ENDPOINT_NOT_ALLOWED');
  });
});

describe('a hold is refused like a booking of the same', () => {
  test.each([
    { booking_date: '2026-02-30' },
    { num_adults: 0 },
    { num_adults: 21 },
    { num_adults: 20, num_children: 11 },
    { num_children: 1.5 },
    { activity_id: 'atlantis' },
    { booking_date: '2026-11-20' },
    { booking_date: '2028-01-01' },
    { activity_id: 'paper-museum', booking_date: '2026-11-23' },
    { activity_id: 'roof-terrace' },
    { context_log_id: 'rec_00000000000000000000' },
  ])('%j', async (change) => {
    const before = await service.events();
    const { refusal } = await hold(service, change);
    expect(refusal).toEqual((await service.book(change)).refusal);
    expect(await service.events()).toEqual(before);
  });

  test('without any field', async () => {
    const { refusal } = await service.post('/api/b2a/holds', {}, service.key);
    expect([refusal.code, refusal.error]).toEqual([
      'INVALID_REQUEST',
      'activity_id is missing; it must be an activity_id from inventory.',
    ]);
    expect(refusal.details).toContain('booking_date is missing; it must be a real calendar date as YYYY-MM-DD;');
    expect(refusal.details).toContain('num_adults is missing; it must be a whole number from 1 to 20.');
  });

  test('on a date without free slots, and writes nothing', async () => {
    const date = untouched();
    await hold(service, { booking_date: date, num_adults: 10 });
    const before = await service.events();
    const { refusal } = await hold(service, { booking_date: date }, { 'idempotency-key': 'no room' });
    expect(refusal).toEqual((await service.book({ booking_date: date })).refusal);
    expect(await service.events()).toEqual(before);
    expect((await hold(service, { booking_date: untouched() }, { 'idempotency-key': 'no room' })).data.status).toBe(
      'open',
    );
  });
});

describe('releasing a hold', () => {
  test('frees its slots at once; repeated, the answer is the same', async () => {
    const date = untouched();
    const { hold_id } = (await hold(service, { booking_date: date, num_adults: 10 })).data;
    expect(await shownFree(service, date)).toBe(0);
    const first = await releaseHold(service, hold_id);
    expect<object>(first.data).toEqual({ hold_id, status: 'released' });
    const position = { 'x-position': first.headers.get('x-position') ?? '' };
    const { inventory } = (await service.inventory(`activity_id=river-walk&date=${date}`, position)).data;
    expect(inventory.map((item) => item.available_slots)).toEqual([10]);
    const before = await service.events();
    const again = await releaseHold(service, hold_id);
    expect<readonly unknown[]>([again.data, again.headers.get('x-position')]).toEqual([first.data, null]);
    expect(await service.events()).toEqual(before);
    expect((await readHold(service, hold_id)).data.status).toBe('released');
  });

  test('that was booked is refused, and the booking does not change', async () => {
    const date = untouched();
    const { hold_id } = (await hold(service, { booking_date: date })).data;
    const { booking_id } = (await service.book({ booking_date: date, hold_id })).data;
    const sentence = `hold_id "${hold_id}" was used already; see booking_id in details, or make a new hold.`;
    expect((await releaseHold(service, hold_id)).refusal).toEqual(
      refused(409, 'HOLD_USED', sentence, { details: `booking_id: ${booking_id}` }),
    );
    expect(await shownFree(service, date)).toBe(8);
    expect((await service.booking(booking_id)).data.status).toBe('confirmed');
  });
});

test.each(['hd_00000000000000000000', 'hold_7', 'bk_00000000000000000000', 'hd_', 'x'.repeat(300)])(
  'a hold that does not exist is not found: %s',
  async (id) => {
    expect((await readHold(service, id)).refusal).toEqual(unknown(id));
    expect((await releaseHold(service, id)).refusal).toEqual(unknown(id));
  },
);

test('of another key is HOLD_NOT_FOUND, and the hold stays open', async () => {
  const other = withKey((await service.createKey()).key);
  const date = untouched();
  const { data } = await hold(service, { booking_date: date });
  const { hold_id } = data;
  expect((await readHold(service, hold_id, other)).refusal).toEqual(unknown(hold_id));
  expect((await releaseHold(service, hold_id, other)).refusal).toEqual(unknown(hold_id));
  expect((await service.book({ booking_date: date, hold_id }, other)).refusal).toEqual(unknown(hold_id));
  expect((await readHold(service, hold_id)).data).toEqual(data);
});

describe('an Idempotency-Key', () => {
  const replayed = (answer: { readonly headers: Headers }) =>
    answer.headers.get('idempotent-replayed') === 'true' && answer.headers.get('x-position') === null;

  test('in twenty concurrent requests, and after a restart, makes one hold', async () => {
    await using own = await openService();
    const key = { 'idempotency-key': 'a thought' };
    const twenty = await Promise.all(Array.from({ length: 20 }, () => hold(own, {}, key)));
    const given = twenty.filter(({ status }) => status === 200);
    const [first] = given.filter((answer) => !replayed(answer));
    for (const answer of twenty.filter(({ status }) => status !== 200))
      expect([answer.refusal.code, answer.headers.get('retry-after')]).toEqual(['IDEMPOTENCY_IN_PROGRESS', '1']);
    await own.restart();
    const again = await hold(own, {}, key);
    expect<readonly unknown[]>([again.data, replayed(again)]).toEqual([first?.data, true]);
    expect(given.filter((answer) => !replayed(answer))).toHaveLength(1);
    expect(await shownFree(own)).toBe(8);
  });

  test('returns its hold even while another body is being refused', async () => {
    await using own = await openService();
    const key = { 'idempotency-key': 'a thought' };
    const { data } = await hold(own, {}, key);
    const [other, again] = await Promise.all([hold(own, { num_adults: 3 }, key), hold(own, {}, key)]);
    expect(other.refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect<readonly unknown[]>([again.data, replayed(again)]).toEqual([data, true]);
  });

  test('returns the present state of the hold', async () => {
    await using own = await openService();
    const key = { 'idempotency-key': 'a thought' };
    const { data } = await hold(own, {}, key);
    const now = async () => {
      const answer = await hold(own, {}, key);
      expect(replayed(answer)).toBe(true);
      return answer.data;
    };
    await releaseHold(own, data.hold_id);
    expect(await now()).toEqual({ ...data, status: 'released' });
    own.clock.advance(600_000);
    expect(await now()).toEqual({ ...data, status: 'expired' });
    expect(await shownFree(own)).toBe(10);
  });

  test('returns a booked hold as used', async () => {
    const wish = { booking_date: untouched() };
    const key = { 'idempotency-key': 'used' };
    const { data } = await hold(service, wish, key);
    await service.book({ ...wish, hold_id: data.hold_id });
    expect((await hold(service, wish, key)).data).toEqual({ ...data, status: 'used' });
  });

  test.each([{ num_adults: 3 }, { num_children: 1 }, { activity_id: 'paper-museum' }, { booking_date: '2026-12-24' }])(
    'with another body is refused: %j',
    async (change) => {
      const key = { 'idempotency-key': `other ${JSON.stringify(change)}` };
      const wish = { booking_date: '2026-12-23' };
      const { data } = await hold(service, wish, key);
      const sentence = 'This Idempotency-Key was used for a request with another body; send a new Idempotency-Key.';
      expect((await hold(service, { ...wish, ...change }, key)).refusal).toEqual(
        refused(422, 'IDEMPOTENCY_KEY_REUSED', sentence),
      );
      await releaseHold(service, data.hold_id);
    },
  );

  test('is separate for each API key, and for holds and bookings', async () => {
    const wish = { booking_date: untouched() };
    const key = { 'idempotency-key': 'the same words' };
    const other = withKey((await service.createKey()).key);
    const holds = [await hold(service, wish, key), await hold(service, wish, { ...key, ...other })];
    expect(new Set(holds.map(({ data }) => data.hold_id)).size).toBe(2);
    const { headers, data } = await service.book(wish, key);
    expect([data.status, headers.get('idempotent-replayed')]).toEqual(['confirmed', null]);
    expect(await shownFree(service, wish.booking_date)).toBe(4);
  });

  test('takes the slots now if the node died after it wrote the hold and before it took them', async () => {
    await using own = await openService();
    const { context } = own.node;
    const created = await own.createKey();
    const by = keyId(created.id);
    const [caller, wish] = [withKey(created.key), { 'idempotency-key': 'half a wish' }];
    const id = holdIdOfKey(context.digest, { keyId: by, mode: 'live' }, 'half a wish');
    const facts = holdFacts({
      hold: id,
      keyId: by,
      fingerprint: fingerprintOf(context.digest, ['river-walk', TOMORROW, 2, 0, null]),
      activityId: activityId('river-walk'),
      date: dateOf(TOMORROW),
      allotment: allotmentIdOf(activityId('river-walk'), dateOf(TOMORROW)),
      numChildren: 0,
    });
    const cause = { correlationId: 'c', causationId: null, by, at: facts.at };
    await context.streams.holds.handle(id, { type: 'AskHold', facts }, cause, NOW + 10_000);
    await own.restart();

    for (const answer of [await readHold(own, id, caller), await releaseHold(own, id, caller)])
      expect(answer.refusal).toEqual(unknown(id));
    expect((await own.book({ hold_id: id }, caller)).refusal).toEqual(unknown(id));
    expect((await own.book({ hold_id: id, dry_run: true }, caller)).refusal).toEqual(unknown(id));
    expect((await hold(own, { num_adults: 3 }, { ...caller, ...wish })).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
    own.clock.advance(60_000);
    const { data, headers } = await hold(own, {}, { ...caller, ...wish });
    expect<readonly unknown[]>([data.hold_id, data.expires_at, headers.get('idempotent-replayed')]).toEqual([
      id,
      new Date(NOW + 660_000).toISOString(),
      null,
    ]);
    expect(await shownFree(own)).toBe(8);
  });

  test('that is too long is refused', async () => {
    const sentence = 'The header Idempotency-Key must be 1 to 255 characters; it was 256.';
    const { refusal } = await hold(service, {}, { 'idempotency-key': 'x'.repeat(256) });
    expect(refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
  });
});
