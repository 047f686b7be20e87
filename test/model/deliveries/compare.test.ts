import { expect, test } from 'bun:test';
import { compare, type Logged } from './compare.ts';
import type { Arrival } from './failing-receiver.ts';

type Arrivals = ReadonlyMap<string, readonly Arrival[]>;

const KILLS = 2;
const SIX_FAILURES = Array.from({ length: 6 }, () => [500, 0] as const);

const logged = (status: string, ...codes: readonly number[]): Logged => ({
  delivery_id: 'dlv_1',
  event_id: 'evt_1',
  status,
  attempts: codes.map((response_code) => ({ response_code })),
});
const arrived = (...arrivals: readonly (readonly [code: number, life: number])[]): Arrivals =>
  new Map([['dlv_1', arrivals.map(([code, life]) => ({ event: 'evt_1', receiver: '/0', code, life }))]]);

test.each<[string, Logged, Arrivals, repeated: number[]]>([
  ['every attempt once', logged('success', 500, 200), arrived([500, 0], [200, 0]), [0, 0]],
  ['six failures', logged('failed', 500, 500, 500, 500, 500, 500), arrived(...SIX_FAILURES), [0, 0]],
  ['an attempt repeated after a kill', logged('success', 500, 200), arrived([500, 0], [200, 1], [200, 2]), [0, 1]],
  ['a failure before a kill, then a success', logged('success', 200), arrived([500, 0], [200, 1]), [1, 0]],
])('the log agrees with the receiver: %s', (_, delivery, arrivals, repeated) => {
  const succeeded = delivery.status === 'success' ? 1 : 0;
  expect(compare([delivery], arrivals, { kills: KILLS, underWay: 1 })).toEqual({
    faults: [],
    succeeded,
    failed: 1 - succeeded,
    repeated,
  });
});

test.each<[string, readonly Logged[], Arrivals, faults: string[]]>([
  [
    'the log has an attempt that did not arrive',
    [logged('success', 500, 200)],
    arrived([200, 0]),
    ['dlv_1 was answered 200, and the log has 500,200'],
  ],
  [
    'the log lacks an attempt',
    [logged('success', 200)],
    arrived([500, 0], [200, 0]),
    ['dlv_1 was answered 500,200, and the log has 200'],
  ],
  [
    'no attempt of a delivery arrived',
    [logged('success', 200)],
    new Map(),
    ['dlv_1 never arrived', 'dlv_1 was answered , and the log has 200'],
  ],
  ['the log lacks a delivery', [], arrived([200, 0]), ['dlv_1 is not in the log']],
  [
    'the log has a delivery twice',
    [logged('success', 200), logged('success', 200)],
    arrived([200, 0]),
    ['the log shows a delivery twice'],
  ],
  [
    'an attempt is repeated without a kill',
    [logged('success', 200)],
    arrived([200, 1], [200, 1]),
    ['dlv_1 was answered 200,200, and the log has 200'],
  ],
  ['a success is logged as a failure', [logged('failed', 200)], arrived([200, 0]), ['dlv_1 is failed after 200']],
  [
    'an attempt follows a success',
    [logged('success', 200, 200)],
    arrived([200, 0], [200, 0]),
    ['dlv_1 is success after 200,200'],
  ],
  [
    'a delivery failed before its last attempt',
    [logged('failed', 500)],
    arrived([500, 0]),
    ['dlv_1 is failed after 500'],
  ],
  [
    'the receiver got the id of another event',
    [{ ...logged('success', 200), event_id: 'evt_2' }],
    arrived([200, 0]),
    ['dlv_1 came with the id of another event'],
  ],
  [
    'more attempts are repeated after a kill than were pending',
    [logged('success', 500, 200), { ...logged('success', 200), delivery_id: 'dlv_2' }],
    new Map([...arrived([500, 0], [500, 1], [200, 1]), ['dlv_2', arrived([200, 0], [200, 1]).get('dlv_1') ?? []]]),
    ['2 deliveries were repeated after kill 0, of 1 at most'],
  ],
])('a fault is found: %s', (_, log, arrivals, faults) => {
  expect(compare(log, arrivals, { kills: KILLS, underWay: 1 }).faults).toEqual(faults);
});
