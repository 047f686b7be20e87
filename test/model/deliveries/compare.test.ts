import { expect, test } from 'bun:test';
import { compare, type Logged } from './compare.ts';
import type { Arrival } from './failing-receiver.ts';

const logged = (status: string, ...codes: readonly number[]): Logged => ({
  delivery_id: 'dlv_1',
  event_id: 'evt_1',
  status,
  attempts: codes.map((response_code) => ({ response_code })),
});
const came = (...arrivals: readonly (readonly [code: number, life: number])[]): ReadonlyMap<string, Arrival[]> =>
  new Map([['dlv_1', arrivals.map(([code, life]) => ({ event: 'evt_1', receiver: '/0', code, life }))]]);
const judged = (log: readonly Logged[], arrivals: ReadonlyMap<string, readonly Arrival[]>, underWay = 8) =>
  compare(log, arrivals, { kills: 2, underWay });

test('a log that says what came is agreed with, also where a kill let something come again', () => {
  expect(judged([logged('success', 500, 200)], came([500, 0], [200, 0]))).toEqual({
    faults: [],
    succeeded: 1,
    failed: 0,
    repeated: [0, 0],
  });
  expect(judged([logged('success', 500, 200)], came([500, 0], [200, 1], [200, 2])).repeated).toEqual([0, 1]);
  expect(judged([logged('success', 200)], came([500, 0], [200, 1])).repeated).toEqual([1, 0]);
});

test.each<[string, readonly Logged[], ReadonlyMap<string, readonly Arrival[]>]>([
  ['an attempt that never came', [logged('success', 500, 200)], came([200, 0])],
  ['an attempt that is missing in the log', [logged('success', 200)], came([500, 0], [200, 0])],
  ['a delivery that never came', [logged('success', 200)], new Map()],
  ['a delivery that is not in the log', [], came([200, 0])],
  ['one that is shown twice', [logged('success', 200), logged('success', 200)], came([200, 0])],
  ['a repetition without a kill', [logged('success', 200)], came([200, 1], [200, 1])],
  ['a success that is told as a failure', [logged('failed', 200)], came([200, 0])],
  ['an attempt after a success', [logged('success', 200, 200)], came([200, 0], [200, 0])],
  ['one that was given up', [logged('failed', 500)], came([500, 0])],
  ['the id of another event', [{ ...logged('success', 200), event_id: 'evt_2' }], came([200, 0])],
])('%s is found', (_, log, arrivals) => {
  expect(judged(log, arrivals).faults).not.toEqual([]);
});

test('more repetitions than can have been under way are found', () => {
  expect(judged([logged('success', 200)], came([200, 0], [200, 1]), 0).faults).not.toEqual([]);
});
