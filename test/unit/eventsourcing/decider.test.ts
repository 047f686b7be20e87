import { describe, expect, test } from 'bun:test';
import { accept, type Decider, fold, reject } from '../../../src/eventsourcing/decider.ts';
import { START, unreachable } from '../../../src/eventsourcing/message.ts';
import { positionAt } from '../../support/recorded.ts';

type Added = { readonly type: 'Added'; readonly data: { readonly amount: number } };

const sum: Decider<number, number, Added, 'negative'> = {
  initial: 0,
  decide: (amount) => (amount < 0 ? reject('negative') : accept({ type: 'Added', data: { amount } })),
  evolve: (total, event) => total + event.data.amount,
};

const added = (amount: number): Added => ({ type: 'Added', data: { amount } });

describe('a decision', () => {
  test('accepts with its events, in their order', () => {
    expect(accept(added(1), added(2))).toStrictEqual({ kind: 'accepted', events: [added(1), added(2)] });
  });

  test('accepts with none where nothing is left to do', () => {
    expect(accept()).toStrictEqual({ kind: 'accepted', events: [] });
  });

  test('refuses with a value', () => {
    expect(sum.decide(-1, 0)).toStrictEqual({ kind: 'rejected', rejection: 'negative' });
  });
});

describe('fold', () => {
  test('of no events is the initial state', () => {
    expect(fold(sum, [])).toBe(0);
  });

  test('applies events in order, from the beginning', () => {
    expect(fold(sum, [added(1), added(2)])).toBe(3);
  });

  test('goes on from an earlier state', () => {
    expect(fold(sum, [added(1)], 10)).toBe(11);
  });
});

test('START sorts before every position', () => {
  expect(START < positionAt(1)).toBe(true);
});

test('unreachable names the value that could not be', () => {
  expect(() => unreachable({ type: 'Unheard' } as never)).toThrow('unreachable: {"type":"Unheard"}');
});
