import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fingerprint } from '../../support/examples.ts';
import { cancelled, command, eventsOf, freeOn, type Modified, modify, quote } from '../../support/modifications.ts';
import { openService, type Service, TOMORROW, withKey } from '../../support/service.ts';
import { type Answer, type Booking, refused } from '../../support/service-answers.ts';

const KEY = { 'idempotency-key': 'wish 7' };
const LATER = '2026-11-25';
const REUSED = refused(
  422,
  'IDEMPOTENCY_KEY_REUSED',
  'This Idempotency-Key was used for a request with another body; send a new Idempotency-Key.',
);

let service: Service;
let booking: Booking;
beforeEach(async () => {
  service = await openService();
  booking = (await service.book({ booking_date: LATER })).data;
});
afterEach(() => service.stop());

function isReplay({ headers }: Answer): boolean {
  return headers.get('idempotent-replayed') === 'true' && headers.get('x-position') === null;
}

async function modifications(): Promise<number> {
  return (await eventsOf(service, booking)).filter(({ type }) => type === 'BookingModified.v4').length;
}

function conflict(version: number) {
  const message = 'The booking has changed since you read it; read it again and repeat the request with the new ETag.';
  return refused(409, 'REVISION_CONFLICT', message, { details: `ETag: "${version}"` });
}

describe('the booking’s own Idempotency-Key', () => {
  test('is replayed with the present guest, not the original one', async () => {
    const asked = { booking_date: LATER, num_adults: 1, user_name: 'Charles Babbage' };
    const { data } = await service.book(asked, KEY);
    const anew = { user_name: 'Augusta King', user_email: 'augusta@example.com', special_requests: 'Shade' };
    await modify(service, data, anew);
    const present = await service.booking(data.booking_id);
    expect(present.data).toMatchObject(anew);
    const again = await service.book(asked, KEY);
    expect([again.data, isReplay(again)]).toEqual([present.data, true]);
    await service.restart();
    expect((await service.book(asked, KEY)).data).toEqual(present.data);
  });
});

describe('the same Idempotency-Key', () => {
  const WISH = { num_adults: 4, user_name: 'Augusta King', special_requests: 'Shade' };

  test('twenty times at once, and again after a restart, is one modification with one outcome', async () => {
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => modify(service, booking, WISH, KEY)));
    const outcome = (answers: readonly Answer<Modified>[]): Modified | undefined => {
      const done = answers.filter(({ status }) => status === 200).map(({ data }) => data);
      for (const { refusal } of answers.filter(({ status }) => status !== 200))
        expect(refusal.code).toBe('IDEMPOTENCY_IN_PROGRESS');
      for (const one of done) expect(one).toEqual(done[0] ?? one);
      return done[0];
    };
    const answers = await twenty();
    const modified = outcome(answers);
    expect(answers.filter((answer) => answer.status === 200 && !isReplay(answer))).toHaveLength(1);
    for (const restarted of [false, true]) {
      if (restarted) await service.restart();
      outcome(await twenty());
      const again = await modify(service, booking, WISH, KEY);
      expect(again.data).toEqual(modified as Modified);
      expect(isReplay(again)).toBe(true);
    }
    expect(await modifications()).toBe(1);
    expect(await freeOn(service, 'river-walk', LATER)).toBe(6);
  });

  test.each<object>([{ num_adults: 3 }, { ...WISH, num_children: 0 }, { ...WISH, special_requests: null }, {}])(
    'with another body is refused: %j',
    async (other) => {
      await modify(service, booking, WISH, KEY);
      expect((await modify(service, booking, other, KEY)).refusal).toEqual(REUSED);
      await service.restart();
      expect((await modify(service, booking, other, KEY)).refusal).toEqual(REUSED);
      expect(await modifications()).toBe(1);
    },
  );

  test('with another body while the first is in progress is refused', async () => {
    const both = await Promise.all([modify(service, booking, WISH, KEY), modify(service, booking, {}, KEY)]);
    expect(both[0].status).toBe(200);
    expect(both[1].refusal).toEqual(REUSED);
  });

  test('replays its change even while another body is being refused', async () => {
    const first = await modify(service, booking, WISH, KEY);
    const [other, own] = await Promise.all([modify(service, booking, {}, KEY), modify(service, booking, WISH, KEY)]);
    expect(other.refusal).toEqual(REUSED);
    expect([own.data, own.headers.get('idempotent-replayed')]).toEqual([first.data, 'true']);
  });

  test('replays its change with the present booking', async () => {
    const first = await modify(service, booking, WISH, KEY);
    await modify(service, booking, { booking_date: TOMORROW, num_adults: 1, user_name: 'Mary Somerville' });
    const again = await modify(service, booking, WISH, KEY);
    const now = await service.booking(booking.booking_id);
    const { changes, new_pricing } = first.data;
    expect<object>(again.data).toEqual({ ...now.data, changes, new_pricing });
    expect([isReplay(again), again.headers.get('etag')]).toEqual([true, '"3"']);
    // Later changes of the booking.
    await command(service, booking.booking_id, cancelled(service));
    service.clock.set(Date.parse('2027-11-21T03:00:00Z'));
    const last = await modify(service, booking, WISH, { ...KEY, 'if-match': '"1"' });
    expect(last.data).toMatchObject({ status: 'cancelled', changes: first.data.changes });
    expect(await modifications()).toBe(2);
  });

  test('contains no guest data after an erasure', async () => {
    await modify(service, booking, WISH, KEY);
    const at = new Date(service.clock.nowMs()).toISOString();
    await command(service, booking.booking_id, { type: 'EraseGuest', by: 'operator', at });
    const erased = { from: '[erased]', to: '[erased]' };
    for (const restarted of [false, true]) {
      if (restarted) await service.restart();
      const { data } = await modify(service, booking, WISH, KEY);
      expect(data).toMatchObject({ user_name: '[erased]', user_email: '[erased]', special_requests: null });
      expect<object>(data.changes).toEqual({
        user_name: erased,
        num_adults: { from: 2, to: 4 },
        special_requests: { from: null, to: null },
      });
    }
  });

  test('is separate for another booking, and for another API key', async () => {
    const other = withKey((await service.createKey()).key);
    const { data: second } = await service.book({ booking_date: LATER });
    const { data: third } = await service.book({ booking_date: LATER }, other);
    const answers = [
      await modify(service, booking, { num_adults: 3 }, KEY),
      await modify(service, second, { num_adults: 1 }, KEY),
      await modify(service, third, { num_adults: 1 }, { ...KEY, ...other }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(isReplay)).toEqual([false, false, false]);
  });

  test('can be used for another body if it was refused before anything was written', async () => {
    expect((await modify(service, booking, { num_adults: 11 }, KEY)).refusal.code).toBe('INVENTORY_EXHAUSTED');
    expect((await quote(service, booking, { num_adults: 9 }, KEY)).status).toBe(200);
    expect((await modify(service, booking, { num_adults: 3 }, KEY)).data.changes).toEqual({
      num_adults: { from: 2, to: 3 },
    });
    // A quote does not use up the key.
    expect((await quote(service, booking, { num_adults: 5 }, KEY)).data.changes).toEqual({
      num_adults: { from: 3, to: 5 },
    });
  });

  test('that is malformed is refused', async () => {
    const answer = await modify(service, booking, {}, { 'idempotency-key': 'x'.repeat(256) });
    expect(answer.refusal.code).toBe('INVALID_REQUEST');
  });
});

test('a key over its quota still gets a committed answer', async () => {
  const free = withKey((await service.createKey({ plan: 'free' })).key);
  const { data: own } = await service.book({ booking_date: LATER }, free);
  const { data: first } = await modify(service, own, { num_adults: 3 }, { ...KEY, ...free });
  for (let used = 2; used < 100; used++) {
    if (used % 10 === 0) service.clock.advance(60_000);
    await service.booking(own.booking_id, free);
  }
  service.clock.advance(60_000);
  expect((await modify(service, own, { num_adults: 3 }, { ...KEY, ...free })).data).toEqual(first);
  for (const headers of [{}, { 'idempotency-key': 'another' }])
    expect((await modify(service, own, { num_adults: 1 }, { ...headers, ...free })).refusal.code).toBe(
      'QUOTA_EXCEEDED',
    );
  expect((await modify(service, own, { num_adults: 1 }, { ...KEY, ...free })).refusal.code).toBe('QUOTA_EXCEEDED');
});

describe('If-Match', () => {
  test('with the booking’s ETag from any answer allows the change', async () => {
    const booked = await service.book({ booking_date: LATER });
    const read = await service.booking(booked.data.booking_id);
    expect([booked.headers.get('etag'), read.headers.get('etag')]).toEqual(['"1"', '"1"']);
    let etag = '"1"';
    for (const num_adults of [3, 1, 2]) {
      const answer = await modify(service, booked.data, { num_adults }, { 'if-match': etag });
      etag = answer.headers.get('etag') ?? '';
      expect((await service.booking(booked.data.booking_id)).headers.get('etag')).toBe(etag);
    }
    expect(etag).toBe('"4"');
  });

  test.each(['*', '"1"', '"0", "1"'])('of %s matches the first version', async (tag) => {
    expect((await modify(service, booking, { num_adults: 3 }, { 'if-match': tag })).status).toBe(200);
  });

  test.each(['"2"', 'W/"1"', '""', '"x"'])('of %s does not, and nothing is written', async (tag) => {
    const known = (await service.events()).length;
    for (const body of [{ num_adults: 3 }, {}, { booking_date: '2026-11-20' }]) {
      expect((await modify(service, booking, body, { 'if-match': tag })).refusal).toEqual(conflict(1));
      expect((await quote(service, booking, body, { 'if-match': tag })).refusal).toEqual(conflict(1));
    }
    expect(await service.events()).toHaveLength(known);
  });

  test('that is not an entity tag is refused', async () => {
    const { refusal } = await modify(service, booking, { num_adults: 3 }, { 'if-match': '1' });
    expect(refusal.code).toBe('INVALID_REQUEST');
  });

  test('is not affected by background events', async () => {
    const at = new Date(service.clock.nowMs()).toISOString();
    const mailed = { issue: 1, messageId: '<1@waymark>', providerId: null, recipient: fingerprint('ADA'), at };
    await command(service, booking.booking_id, { type: 'RecordVoucherMailed', ...mailed });
    expect((await service.booking(booking.booking_id)).data.email_sent).toBe(true);
    expect((await modify(service, booking, { num_adults: 3 }, { 'if-match': '"1"' })).status).toBe(200);
  });
});

describe('of concurrent changes', () => {
  const CHANGES = [{ num_adults: 3 }, { num_adults: 1 }, { booking_date: TOMORROW }, { user_name: 'Augusta King' }];

  test('one wins, the others get REVISION_CONFLICT, and no slot is lost or counted twice', async () => {
    const answers = await Promise.all(CHANGES.map((change) => modify(service, booking, change)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers.filter((one) => one !== won[0])) expect(answer.refusal).toEqual(conflict(2));
    expect(await modifications()).toBe(1);
    // The claims of the others are released after their deadline.
    service.clock.advance(120_000);
    const { booking_date: date, pricing } = won[0]?.data ?? booking;
    const guests = Math.round(pricing.total / pricing.unit_price);
    for (const each of [LATER, TOMORROW]) await settledAt(each, each === date ? 10 - guests : 10);
  });

  test('a refused one succeeds when repeated, even under the same Idempotency-Key', async () => {
    const keyed = (n: number) => ({ 'idempotency-key': `wish ${n}` });
    const wishes = [
      { user_name: 'Augusta King' },
      { user_email: 'augusta@example.org' },
      { special_requests: 'Shade' },
    ];
    const ask = () => Promise.all(wishes.map((change, n) => modify(service, booking, change, keyed(n))));
    for (let round = 1; round <= wishes.length; round++) {
      const answers = await ask();
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(round);
      for (const { refusal } of answers.filter(({ status }) => status !== 200))
        expect(refusal.code).toBe('REVISION_CONFLICT');
    }
    const { data } = await service.booking(booking.booking_id);
    expect<object>(data).toMatchObject({
      user_name: 'Augusta King',
      user_email: 'augusta@example.org',
      special_requests: 'Shade',
    });
  });

  /** Resolves once inventory lists so many free slots, after the reaper has run. */
  async function settledAt(date: string, free: number): Promise<void> {
    while ((await freeOn(service, 'river-walk', date)) !== free) {
      service.clock.advance(1_000);
      await new Promise(setImmediate);
    }
  }
});
