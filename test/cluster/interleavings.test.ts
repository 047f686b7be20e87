import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { endsWell } from './life-ending.ts';
import {
  book,
  CAPACITY,
  done,
  freeOn,
  freshKey,
  HOLD_MS,
  hold,
  inLog,
  outcomeOf,
  ownDays,
  reaped,
  UNIT_MINOR,
} from './life-requests.ts';
import type { Stop } from './stopping-store.ts';
import { type Answer, CLAIM_MS, startThreeNodes, type ThreeNodes } from './three-nodes.ts';

const START_MS = 60_000;
/** A booking claims, records its guest, and stands. */
const AFTER_ALL: Stop = { when: 'after', append: 3 };
const STOPS = [...[1, 2, 3].map((append): Stop => ({ when: 'before', append })), AFTER_ALL].map(
  (stop) => [`${stop.when} append ${stop.append}`, stop] as const,
);

let nodes: ThreeNodes;

beforeAll(async () => {
  nodes = await startThreeNodes();
}, BUILD_MS + START_MS);
beforeEach(() => nodes.gather());
afterAll(async () => {
  await nodes?.[Symbol.asyncDispose]();
});

/** What an answer says of a booking that no mail changes on the way to its guest. */
function sameOf({ data: { email_sent: _sent, email_sent_at: _at, ...same } }: Answer): object {
  return same;
}

describe('the same Idempotency-Key with two bodies at two nodes', () => {
  test.each(STOPS.slice(0, 3))(
    'to book, while the first node stands still %s: the other one books',
    async (_, stop) => {
      const [date] = ownDays();
      const key = freshKey();
      const [two, three] = [book(date, {}, key), book(date, { num_adults: 3 }, key)];
      const first = await nodes.stop(0, stop, two);
      const second = await nodes.tell(1, three);
      expect(outcomeOf(second)).toBe('200');
      expect(outcomeOf(await first.goOn())).toBe('422 IDEMPOTENCY_KEY_REUSED');
      expect(outcomeOf(await nodes.tell(2, two))).toBe('422 IDEMPOTENCY_KEY_REUSED');
      const again = await nodes.tell(2, three);
      expect([again.replayed, sameOf(again)]).toEqual([true, sameOf(second)]);
      nodes.working.advance(CLAIM_MS);
      await reaped(nodes, 1, [date], [CAPACITY - 3]);
      expect(await inLog(nodes, String(second.data['booking_id']))).toMatchObject({ paidMinor: 3 * UNIT_MINOR });
    },
  );

  test('to book, while the first node has booked and says nothing: the other one refuses', async () => {
    const [date] = ownDays();
    const key = freshKey();
    const first = await nodes.stop(0, AFTER_ALL, book(date, {}, key));
    expect(outcomeOf(await nodes.tell(1, book(date, { num_adults: 3 }, key)))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect(outcomeOf(await first.goOn())).toBe('200');
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
  });

  test('to book, at once, again and again: one books, the other one is told', async () => {
    const [date] = ownDays();
    for (let round = 0; round < 4; round++) {
      const key = freshKey();
      const bodies = [book(date, { num_adults: 1 }, key), book(date, { num_adults: 1 }, key)] as const;
      const answers = await Promise.all(bodies.map((body, place) => nodes.tell(place, body)));
      expect(answers.map(outcomeOf).sort()).toEqual(['200', '422 IDEMPOTENCY_KEY_REUSED']);
      const again = [await nodes.tell(2, bodies[0]), await nodes.tell(2, bodies[1])];
      expect(again.map(outcomeOf)).toEqual(answers.map(outcomeOf));
    }
    nodes.working.advance(CLAIM_MS);
    await reaped(nodes, 1, [date], [CAPACITY - 4]);
  });

  test.each([
    { append: 1, first: '422 IDEMPOTENCY_KEY_REUSED', second: '200', held: 3 },
    { append: 2, first: '200', second: '422 IDEMPOTENCY_KEY_REUSED', held: 2 },
  ])('to hold, while the first node stands still before append $append', async ({ append, first, second, held }) => {
    const [date] = ownDays();
    const key = freshKey();
    const one = await nodes.stop(0, { when: 'before', append }, hold(date, 2, key));
    const other = await nodes.tell(1, hold(date, 3, key));
    expect([outcomeOf(await one.goOn()), outcomeOf(other)]).toEqual([first, second]);
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - held]);
  });
});

describe('one hold used under two keys at two nodes', () => {
  test.each(STOPS)('while the first node stands still %s: one of them books', async (_, stop) => {
    const [date] = ownDays();
    const { id } = await done(nodes, 2, hold(date, 2));
    const first = await nodes.stop(0, stop, book(date, { hold_id: id }));
    const second = await nodes.tell(1, book(date, { hold_id: id }));
    const answers = [outcomeOf(await first.goOn()), outcomeOf(second)];
    // Who takes the hold has it, also where it says so later.
    const taken = stop.when === 'after' || stop.append > 1;
    expect(answers).toEqual(taken ? ['200', '409 HOLD_USED'] : ['409 HOLD_USED', '200']);
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
  });
});

describe('the end of a hold at one node, and a booking with it at another', () => {
  test('the hold is let go before the booking takes it: the booking is refused, and the slots are free', async () => {
    const [date] = ownDays();
    const { id } = await done(nodes, 1, hold(date, 2));
    const booking = await nodes.stop(0, { when: 'before', append: 1 }, book(date, { hold_id: id }));
    nodes.working.advance(HOLD_MS);
    await reaped(nodes, 1, [date], [CAPACITY]);
    expect(outcomeOf(await booking.goOn())).toBe('410 HOLD_EXPIRED');
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY]);
  });

  test('the booking has taken the hold before its end comes: it stands, and nobody lets it go', async () => {
    const [date] = ownDays();
    const { id } = await done(nodes, 1, hold(date, 2));
    // No booking uses this hold: its release shows that the reaper has processed the expired holds.
    await done(nodes, 1, hold(date, 3));
    // Past the end of both holds, and before that of the claim.
    for (const time of [nodes.answering, nodes.working]) time.advance(HOLD_MS - CLAIM_MS / 2);
    const booking = await nodes.stop(0, { when: 'before', append: 2 }, book(date, { hold_id: id }));
    nodes.working.advance(CLAIM_MS / 2);
    await reaped(nodes, 1, [date], [CAPACITY - 2]);
    const answer = await booking.goOn();
    expect(outcomeOf(answer)).toBe('200');
    expect(await inLog(nodes, String(answer.data['booking_id']))).toMatchObject({ paidMinor: 2 * UNIT_MINOR });
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
  });
});

describe('a node that stands still in the middle of a booking while another one abandons its claim', () => {
  test.each([2, 3])('and goes on before append %i: it books with another claim', async (append) => {
    const [date] = ownDays();
    const booking = await nodes.stop(0, { when: 'before', append }, book(date));
    nodes.working.advance(CLAIM_MS);
    await reaped(nodes, 1, [date], [CAPACITY]);
    const answer = await booking.goOn();
    expect(outcomeOf(answer)).toBe('200');
    expect(await inLog(nodes, String(answer.data['booking_id']))).toMatchObject({
      status: 'confirmed',
      guests: 2,
      paidMinor: 2 * UNIT_MINOR,
    });
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
  });

  test.each([2, 3])(
    'and goes on before append %i when its time is up: it says so, and books when asked again',
    async (append) => {
      const [date] = ownDays();
      const request = book(date);
      const booking = await nodes.stop(0, { when: 'before', append }, request);
      for (const time of [nodes.answering, nodes.working]) time.advance(CLAIM_MS);
      await reaped(nodes, 1, [date], [CAPACITY]);
      expect(outcomeOf(await booking.goOn())).toBe('503 SERVICE_UNAVAILABLE');
      expect(await freeOn(nodes, 1, [date])).toEqual([CAPACITY]);
      const again = await nodes.tell(2, request);
      expect(outcomeOf(again)).toBe('200');
      expect(await inLog(nodes, String(again.data['booking_id']))).toMatchObject({ paidMinor: 2 * UNIT_MINOR });
      expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
    },
  );

  test.each([2, 3])(
    'and goes on before append %i when its slots are somebody else’s: it is told so',
    async (append) => {
      const [date] = ownDays();
      const booking = await nodes.stop(0, { when: 'before', append }, book(date));
      nodes.working.advance(CLAIM_MS);
      await reaped(nodes, 1, [date], [CAPACITY]);
      await done(nodes, 1, book(date, { num_adults: CAPACITY - 1 }));
      expect(outcomeOf(await booking.goOn())).toBe('409 INVENTORY_EXHAUSTED');
      expect(await freeOn(nodes, 2, [date])).toEqual([1]);
    },
  );
});

test('an answer is lost, another booking is made, and the first request comes again at another node', async () => {
  const [date] = ownDays();
  const request = book(date, { num_adults: 4 });
  const lost = await nodes.stop(0, AFTER_ALL, request);
  await done(nodes, 1, book(date, { num_adults: 5 }));
  const again = await nodes.tell(2, request);
  expect([again.status, again.replayed]).toEqual([200, true]);
  expect(sameOf(await lost.goOn())).toEqual(sameOf(again));
  expect(await freeOn(nodes, 1, [date])).toEqual([1]);
});

test(
  'in the end nothing is left over, every sum is right, and the statement is that of the streams',
  async () => {
    await endsWell(nodes);
  },
  START_MS,
);
