import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { auditAtEnd } from './life-audit.ts';
import {
  book,
  CAPACITY,
  cancel,
  done,
  freeOn,
  freshKey,
  guest,
  inLog,
  lateVisit,
  modify,
  outcomeOf,
  ownDays,
  reaped,
  TODAY,
  UNIT_MINOR,
  visit,
} from './life-requests.ts';
import type { Stop } from './stopping-store.ts';
import { CLAIM_MS, startThreeNodes, type ThreeNodes } from './three-nodes.ts';

const START_MS = 60_000;

let nodes: ThreeNodes;

beforeAll(async () => {
  nodes = await startThreeNodes();
}, BUILD_MS + START_MS);
beforeEach(() => nodes.resume());
afterAll(async () => {
  await nodes?.[Symbol.asyncDispose]();
});

/** A modification of a booking for two on the first of two days. `appends`: up to the booking's own event. */
type Change = {
  readonly name: string;
  readonly appends: number;
  readonly body: (days: readonly [string, string]) => object;
};
const MORE: Change = { name: 'more guests', appends: 2, body: () => ({ num_adults: 4 }) };
const FEWER: Change = { name: 'fewer guests', appends: 1, body: () => ({ num_adults: 1 }) };
const MOVED: Change = { name: 'another date', appends: 2, body: ([, other]) => ({ booking_date: other }) };
const RENAMED: Change = { name: 'another name', appends: 3, body: () => ({ user_name: guest() }) };
const ALL: Change = {
  name: 'another date, another name and more guests',
  appends: 3,
  body: ([, booking_date]) => ({ booking_date, user_name: guest(), num_adults: 4 }),
};

const before = (append: number): Stop => ({ when: 'before', append });

/** Books the first of two days of its own, at a node. */
async function newBooking(place: number) {
  const days = ownDays();
  const { id } = await done(nodes, place, book(days[0]));
  return { days, id };
}

/** The booking, and the free slots on the two days. */
async function outcomeInLog(id: string, days: readonly [string, string]) {
  return { booking: await inLog(nodes, id), free: await freeOn(nodes, 2, days) };
}

/** The expected booking and free slots after a change. */
function changed({ body }: Change, days: readonly [string, string]) {
  const { num_adults: guests = 2, booking_date: date = days[0] } = body(days) as Record<string, never>;
  const booking = { status: 'confirmed', version: 2, date, guests, paidMinor: guests * UNIT_MINOR };
  return { booking, free: days.map((day) => (day === date ? CAPACITY - guests : CAPACITY)) };
}

/** Every append after the claim: while the node is stopped there, the reaper can abandon the claim. */
const HALF_WAY = [MORE, MOVED, RENAMED, ALL].flatMap((change) =>
  Array.from({ length: change.appends - 1 }, (_, index) => ({ ...change, append: index + 2 })),
);

describe('a node that is stopped during a modification while another node abandons its claim', () => {
  test.each(HALF_WAY)('$name, before append $append: modifies with another claim', async ({ append, ...change }) => {
    const { days, id } = await newBooking(1);
    const request = modify(id, change.body(days));
    const changing = await nodes.stop(0, before(append), request);
    await abandoned(id);
    const answer = await changing.resume();
    expect(outcomeOf(answer)).toBe('200');
    await reaped(nodes, 1, days, changed(change, days).free);
    expect(await outcomeInLog(id, days)).toEqual(changed(change, days));
    expect((await nodes.tell(2, request)).replayed).toBe(true);
  });

  test.each([MORE, ALL])(
    '$name, resumed after the deadline: answers 503, and the repeated request modifies',
    async (change) => {
      const { days, id } = await newBooking(1);
      const request = modify(id, change.body(days));
      const changing = await nodes.stop(0, before(change.appends), request);
      nodes.answering.advance(CLAIM_MS);
      await abandoned(id);
      expect(outcomeOf(await changing.resume())).toBe('503 SERVICE_UNAVAILABLE');
      expect(await inLog(nodes, id)).toMatchObject({ version: 1, guests: 2, paidMinor: 2 * UNIT_MINOR });
      expect(outcomeOf(await nodes.tell(2, request))).toBe('200');
      await reaped(nodes, 1, days, changed(change, days).free);
      expect(await outcomeInLog(id, days)).toEqual(changed(change, days));
    },
  );

  test('resumed after the slots were sold: answers INVENTORY_EXHAUSTED, and the booking is unchanged', async () => {
    const { days, id } = await newBooking(1);
    const changing = await nodes.stop(0, before(2), modify(id, { num_adults: 8 }));
    await abandoned(id);
    await reaped(nodes, 1, days, [CAPACITY - 2, CAPACITY]);
    await done(nodes, 1, book(days[0], { num_adults: 7 }));
    expect(outcomeOf(await changing.resume())).toBe('409 INVENTORY_EXHAUSTED');
    expect(await inLog(nodes, id)).toMatchObject({ version: 1, guests: 2, paidMinor: 2 * UNIT_MINOR });
    expect(await freeOn(nodes, 2, days)).toEqual([1, CAPACITY]);
  });

  /** Advances the reaper's clock until the booking's stream has abandoned the claim. */
  async function abandoned(id: string): Promise<void> {
    nodes.working.advance(CLAIM_MS);
    await nodes.logged(({ stream, type }) => stream === `booking-${id}` && type.startsWith('ClaimAbandoned'));
  }
});

describe('one Idempotency-Key with two bodies to modify at two nodes', () => {
  test.each([1, 2, 3])('while the first node is stopped before append %i: one modification is made', async (append) => {
    const { days, id } = await newBooking(2);
    const key = freshKey();
    const first = await nodes.stop(0, before(append), modify(id, MOVED.body(days), key));
    const second = await nodes.tell(1, modify(id, MORE.body(days), key));
    const made = append > MOVED.appends;
    const [reused, done200] = ['422 IDEMPOTENCY_KEY_REUSED', '200'];
    expect([outcomeOf(await first.resume()), outcomeOf(second)]).toEqual(made ? [done200, reused] : [reused, done200]);
    const stands = changed(made ? MOVED : MORE, days);
    nodes.working.advance(CLAIM_MS);
    await reaped(nodes, 1, days, stands.free);
    expect(await outcomeInLog(id, days)).toEqual(stands);
  });
});

describe('two modifications at two nodes', () => {
  const pairs = [
    [MORE, FEWER],
    [MORE, { ...MORE, body: () => ({ num_adults: 3 }) }],
    [MOVED, MORE],
    [RENAMED, FEWER],
    [RENAMED, RENAMED],
    [FEWER, MOVED],
  ] as const;
  test.each(pairs.map(([one, other]) => ({ names: `${one.name} against ${other.name}`, one, other })))(
    '$names: the first stored wins, the other is refused as REVISION_CONFLICT, and nothing leaks',
    async ({ one, other }) => {
      const { days, id } = await newBooking(2);
      const first = await nodes.stop(0, before(one.appends), modify(id, one.body(days)));
      expect(outcomeOf(await nodes.tell(1, modify(id, other.body(days))))).toBe('200');
      expect(outcomeOf(await first.resume())).toBe('409 REVISION_CONFLICT');
      nodes.working.advance(CLAIM_MS);
      await reaped(nodes, 1, days, changed(other, days).free);
      expect(await outcomeInLog(id, days)).toEqual(changed(other, days));
    },
  );

  test('at the same time, four times: each time one wins', async () => {
    const { id } = await newBooking(2);
    for (let round = 0; round < 4; round++) {
      const wishes = [{ num_adults: 3 + round }, { user_name: guest() }];
      const answers = await Promise.all(
        wishes.map((wish, place) => nodes.tell(place, modify(id, wish, freshKey(), round + 1))),
      );
      expect(answers.map(outcomeOf).sort()).toEqual(['200', '409 REVISION_CONFLICT']);
    }
    expect(await inLog(nodes, id)).toMatchObject({ version: 5 });
  });
});

describe('a cancellation at another node', () => {
  test.each([1, 2])(
    'before append %i of a modification: the modification is refused, and nothing is charged',
    async (append) => {
      const { days, id } = await newBooking(2);
      const changing = await nodes.stop(0, before(append), modify(id, { ...MORE.body(days), ...MOVED.body(days) }));
      expect(outcomeOf(await nodes.tell(1, cancel(id)))).toBe('200');
      expect(outcomeOf(await changing.resume())).toBe('409 BOOKING_NOT_MODIFIABLE');
      nodes.working.advance(CLAIM_MS);
      await reaped(nodes, 1, days, [CAPACITY, CAPACITY]);
      expect(await inLog(nodes, id)).toMatchObject({ status: 'cancelled', paidMinor: 0 });
    },
  );

  test('decided before a modification, stored after it: refunds the modified booking', async () => {
    const { days, id } = await newBooking(2);
    const ending = await nodes.stop(0, before(1), cancel(id));
    expect(outcomeOf(await nodes.tell(1, modify(id, MORE.body(days))))).toBe('200');
    const { status, data } = await ending.resume();
    expect([status, data['refund_amount']]).toEqual([200, (4 * UNIT_MINOR) / 100]);
    expect(await inLog(nodes, id)).toMatchObject({ status: 'cancelled', paidMinor: 0 });
    expect(await freeOn(nodes, 2, days)).toEqual([CAPACITY, CAPACITY]);
  });

  test('decided before a modification, with If-Match: is refused as REVISION_CONFLICT', async () => {
    const { days, id } = await newBooking(2);
    const ending = await nodes.stop(0, before(1), cancel(id, freshKey(), 1));
    expect(outcomeOf(await nodes.tell(1, modify(id, MORE.body(days))))).toBe('200');
    expect(outcomeOf(await ending.resume())).toBe('409 REVISION_CONFLICT');
    expect(await outcomeInLog(id, days)).toEqual(changed(MORE, days));
  });
});

describe('a cancellation against a scan at two nodes', () => {
  test.each([1, 2])(
    'the scan is stopped before append %i: the cancellation holds, and the scan is refused',
    async (append) => {
      const { id, code } = await done(nodes, 2, book(TODAY));
      const scanning = await nodes.stop(0, before(append), visit(code));
      expect(outcomeOf(await nodes.tell(1, cancel(id)))).toBe('200');
      expect(outcomeOf(await scanning.resume())).toBe('409 VOUCHER_CANCELLED');
      // On the day itself half of the price is kept.
      expect(await inLog(nodes, id)).toMatchObject({ status: 'cancelled', paidMinor: UNIT_MINOR });
    },
  );

  test('the report of an earlier scan is stopped: the visit counts, and the refund stays', async () => {
    const { id, code } = await done(nodes, 2, book(TODAY));
    nodes.answering.advance(1_000);
    const scanning = await nodes.stop(0, before(2), lateVisit(code, nodes.answering.nowMs() - 1_000));
    expect(outcomeOf(await nodes.tell(1, cancel(id)))).toBe('200');
    expect(outcomeOf(await scanning.resume())).toBe('200');
    expect(await inLog(nodes, id)).toMatchObject({ status: 'completed', paidMinor: UNIT_MINOR });
  });

  test('the cancellation is stopped: the visit counts, and nothing is refunded', async () => {
    const { id, code } = await done(nodes, 2, book(TODAY));
    const ending = await nodes.stop(0, before(1), cancel(id));
    expect(outcomeOf(await nodes.tell(1, visit(code)))).toBe('200');
    expect(outcomeOf(await ending.resume())).toBe('409 BOOKING_NOT_CANCELLABLE');
    expect(await inLog(nodes, id)).toMatchObject({ status: 'completed', paidMinor: 2 * UNIT_MINOR });
  });

  test('a modification is stopped: the visit counts, and the modification is refused', async () => {
    const { id, code } = await done(nodes, 2, book(TODAY));
    const changing = await nodes.stop(0, before(2), modify(id, { num_adults: 3 }));
    expect(outcomeOf(await nodes.tell(1, visit(code)))).toBe('200');
    expect(outcomeOf(await changing.resume())).toBe('409 BOOKING_NOT_MODIFIABLE');
    expect(await inLog(nodes, id)).toMatchObject({ status: 'completed', guests: 2, paidMinor: 2 * UNIT_MINOR });
  });

  test('two gates scan at once: one admits the guests', async () => {
    const { code } = await done(nodes, 2, book(TODAY));
    const first = await nodes.stop(0, before(2), visit(code));
    expect(outcomeOf(await nodes.tell(1, visit(code)))).toBe('200');
    expect(outcomeOf(await first.resume())).toBe('409 VOUCHER_ALREADY_VERIFIED');
  });
});

describe('a request whose answer was lost, replayed at another node after another command', () => {
  test('replays the first of two modifications; the second stands', async () => {
    const { days, id } = await newBooking(2);
    const request = modify(id, MORE.body(days));
    const lost = await nodes.stop(0, { when: 'after', append: 2 }, request);
    await done(nodes, 1, modify(id, FEWER.body(days)));
    const again = await nodes.tell(2, request);
    expect([again.status, again.replayed]).toEqual([200, true]);
    expect(outcomeOf(await lost.resume())).toBe('200');
    const { booking, free } = changed(FEWER, days);
    await reaped(nodes, 1, days, free);
    expect(await outcomeInLog(id, days)).toEqual({ booking: { ...booking, version: 3 }, free });
  });

  test('replays a modification and a cancellation', async () => {
    const { days, id } = await newBooking(2);
    const [change, end] = [modify(id, MOVED.body(days)), cancel(id)];
    const lost = await nodes.stop(0, { when: 'after', append: 2 }, change);
    const ended = await nodes.tell(1, end);
    expect(outcomeOf(ended)).toBe('200');
    const again = [await nodes.tell(2, change), await nodes.tell(2, end)];
    expect(again.map(({ status, replayed }) => [status, replayed])).toEqual([
      [200, true],
      [200, true],
    ]);
    expect(again[1]?.data).toEqual(ended.data);
    expect(outcomeOf(await lost.resume())).toBe('200');
    await reaped(nodes, 1, days, [CAPACITY, CAPACITY]);
    expect(await inLog(nodes, id)).toMatchObject({ status: 'cancelled', paidMinor: 0 });
  });

  test('replays a booking that was moved since; it keeps its new date', async () => {
    const days = ownDays();
    const request = book(days[0]);
    const lost = await nodes.stop(0, { when: 'after', append: 3 }, request);
    const { id } = await done(nodes, 1, request);
    await done(nodes, 1, modify(id, MOVED.body(days)));
    const again = await nodes.tell(2, request);
    expect([again.status, again.replayed, again.data['booking_date']]).toEqual([200, true, days[1]]);
    expect(outcomeOf(await lost.resume())).toBe('200');
    expect(await outcomeInLog(id, days)).toEqual(changed(MOVED, days));
  });
});

test('at the end no slot leaks, and every sum is right', () => auditAtEnd(nodes), START_MS);
