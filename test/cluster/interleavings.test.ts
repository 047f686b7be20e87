import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import type { Answer } from './client.ts';
import { auditAtEnd } from './life-audit.ts';
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
import { CLAIM_MS, startThreeNodes, type ThreeNodes } from './three-nodes.ts';

const START_MS = 60_000;
/** After all appends of a booking: claim, guest, confirmation. */
const AFTER_ALL: Stop = { when: 'after', append: 3 };
const STOPS = [...[1, 2, 3].map((append): Stop => ({ when: 'before', append })), AFTER_ALL].map(
  (stop) => [`${stop.when} append ${stop.append}`, stop] as const,
);

let nodes: ThreeNodes;

beforeAll(async () => {
  nodes = await startThreeNodes();
}, BUILD_MS + START_MS);
beforeEach(() => nodes.resume());
afterAll(async () => {
  await nodes?.[Symbol.asyncDispose]();
});

/** An answer without the fields that the mail changes. */
function withoutMail({ data: { email_sent: _sent, email_sent_at: _at, ...same } }: Answer): object {
  return same;
}

describe('one Idempotency-Key with two bodies at two nodes', () => {
  test.each(STOPS.slice(0, 3))(
    'to book, while the first node is stopped %s: the second node books',
    async (_, stop) => {
      const [date] = ownDays();
      const key = freshKey();
      const [two, three] = [book(date, {}, key), book(date, { num_adults: 3 }, key)];
      const first = await nodes.stop(0, stop, two);
      const second = await nodes.tell(1, three);
      expect(outcomeOf(second)).toBe('200');
      expect(outcomeOf(await first.resume())).toBe('422 IDEMPOTENCY_KEY_REUSED');
      expect(outcomeOf(await nodes.tell(2, two))).toBe('422 IDEMPOTENCY_KEY_REUSED');
      const again = await nodes.tell(2, three);
      expect([again.replayed, withoutMail(again)]).toEqual([true, withoutMail(second)]);
      nodes.working.advance(CLAIM_MS);
      await reaped(nodes, 1, [date], [CAPACITY - 3]);
      expect(await inLog(nodes, String(second.data['booking_id']))).toMatchObject({ paidMinor: 3 * UNIT_MINOR });
    },
  );

  test('to book, while the first node is stopped after it booked: the second node refuses', async () => {
    const [date] = ownDays();
    const key = freshKey();
    const first = await nodes.stop(0, AFTER_ALL, book(date, {}, key));
    expect(outcomeOf(await nodes.tell(1, book(date, { num_adults: 3 }, key)))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect(outcomeOf(await first.resume())).toBe('200');
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
  });

  test('to book at the same time: one body books, the other is refused as IDEMPOTENCY_KEY_REUSED', async () => {
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
  ])('to hold, while the first node is stopped before append $append', async ({ append, first, second, held }) => {
    const [date] = ownDays();
    const key = freshKey();
    const one = await nodes.stop(0, { when: 'before', append }, hold(date, 2, key));
    const other = await nodes.tell(1, hold(date, 3, key));
    expect([outcomeOf(await one.resume()), outcomeOf(other)]).toEqual([first, second]);
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - held]);
  });
});

describe('one hold booked under two keys at two nodes', () => {
  test.each(STOPS)('while the first node is stopped %s: one of them books', async (_, stop) => {
    const [date] = ownDays();
    const { id } = await done(nodes, 2, hold(date, 2));
    const first = await nodes.stop(0, stop, book(date, { hold_id: id }));
    const second = await nodes.tell(1, book(date, { hold_id: id }));
    const answers = [outcomeOf(await first.resume()), outcomeOf(second)];
    // The booking that took the hold wins, even if it is answered later.
    const taken = stop.when === 'after' || stop.append > 1;
    expect(answers).toEqual(taken ? ['200', '409 HOLD_USED'] : ['409 HOLD_USED', '200']);
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
  });
});

describe('a hold that expires at one node while another node books with it', () => {
  test('is released before the booking takes it: the booking is refused, and the slots are free', async () => {
    const [date] = ownDays();
    const { id } = await done(nodes, 1, hold(date, 2));
    const booking = await nodes.stop(0, { when: 'before', append: 1 }, book(date, { hold_id: id }));
    nodes.working.advance(HOLD_MS);
    await reaped(nodes, 1, [date], [CAPACITY]);
    expect(outcomeOf(await booking.resume())).toBe('410 HOLD_EXPIRED');
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY]);
  });

  test('was taken by the booking before it expires: it is not released', async () => {
    const [date] = ownDays();
    const { id } = await done(nodes, 1, hold(date, 2));
    // No booking uses this hold: its release shows that the reaper has processed the expired holds.
    await done(nodes, 1, hold(date, 3));
    // Past the end of both holds, and before that of the claim.
    for (const time of [nodes.answering, nodes.working]) time.advance(HOLD_MS - CLAIM_MS / 2);
    const booking = await nodes.stop(0, { when: 'before', append: 2 }, book(date, { hold_id: id }));
    nodes.working.advance(CLAIM_MS / 2);
    await reaped(nodes, 1, [date], [CAPACITY - 2]);
    const answer = await booking.resume();
    expect(outcomeOf(answer)).toBe('200');
    expect(await inLog(nodes, String(answer.data['booking_id']))).toMatchObject({ paidMinor: 2 * UNIT_MINOR });
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
  });
});

describe('a node that is stopped during a booking while another node abandons its claim', () => {
  test.each([2, 3])('and resumes before append %i: books with another claim', async (append) => {
    const [date] = ownDays();
    const booking = await nodes.stop(0, { when: 'before', append }, book(date));
    nodes.working.advance(CLAIM_MS);
    await reaped(nodes, 1, [date], [CAPACITY]);
    const answer = await booking.resume();
    expect(outcomeOf(answer)).toBe('200');
    expect(await inLog(nodes, String(answer.data['booking_id']))).toMatchObject({
      status: 'confirmed',
      guests: 2,
      paidMinor: 2 * UNIT_MINOR,
    });
    expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
  });

  test.each([2, 3])(
    'and resumes before append %i after the deadline: answers 503, and the repeated request books',
    async (append) => {
      const [date] = ownDays();
      const request = book(date);
      const booking = await nodes.stop(0, { when: 'before', append }, request);
      for (const time of [nodes.answering, nodes.working]) time.advance(CLAIM_MS);
      await reaped(nodes, 1, [date], [CAPACITY]);
      expect(outcomeOf(await booking.resume())).toBe('503 SERVICE_UNAVAILABLE');
      expect(await freeOn(nodes, 1, [date])).toEqual([CAPACITY]);
      const again = await nodes.tell(2, request);
      expect(outcomeOf(again)).toBe('200');
      expect(await inLog(nodes, String(again.data['booking_id']))).toMatchObject({ paidMinor: 2 * UNIT_MINOR });
      expect(await freeOn(nodes, 2, [date])).toEqual([CAPACITY - 2]);
    },
  );

  test.each([2, 3])(
    'and resumes before append %i after the slots were sold: answers INVENTORY_EXHAUSTED',
    async (append) => {
      const [date] = ownDays();
      const booking = await nodes.stop(0, { when: 'before', append }, book(date));
      nodes.working.advance(CLAIM_MS);
      await reaped(nodes, 1, [date], [CAPACITY]);
      await done(nodes, 1, book(date, { num_adults: CAPACITY - 1 }));
      expect(outcomeOf(await booking.resume())).toBe('409 INVENTORY_EXHAUSTED');
      expect(await freeOn(nodes, 2, [date])).toEqual([1]);
    },
  );
});

test('a request whose answer was lost is replayed at another node, also after another booking', async () => {
  const [date] = ownDays();
  const request = book(date, { num_adults: 4 });
  const lost = await nodes.stop(0, AFTER_ALL, request);
  await done(nodes, 1, book(date, { num_adults: 5 }));
  const again = await nodes.tell(2, request);
  expect([again.status, again.replayed]).toEqual([200, true]);
  expect(withoutMail(await lost.resume())).toEqual(withoutMail(again));
  expect(await freeOn(nodes, 1, [date])).toEqual([1]);
});

test('at the end no slot leaks, and every sum is right', () => auditAtEnd(nodes), START_MS);
