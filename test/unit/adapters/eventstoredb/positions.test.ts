import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { EventStoreRefusal } from '../../../../src/adapters/eventstoredb/faults.ts';
import {
  EVENTSTOREDB_POSITIONS,
  isKnownPosition,
  knownPosition,
  positionOf,
  readPositionOf,
} from '../../../../src/adapters/eventstoredb/positions.ts';
import { type Position, START, storedPosition } from '../../../../src/eventsourcing/message.ts';

const SEED = 20_261_123;
const { format, parse } = EVENTSTOREDB_POSITIONS;
const MAX_COMMIT = 2n ** 52n - 1n;
const NONE = 2n ** 64n - 1n;
const commits = fc.bigInt({ min: 0n, max: MAX_COMMIT });
/** What a server sends: the position of an event, or of a checkpoint between two pages. */
const sent = fc
  .tuple(fc.oneof(commits, fc.bigInt({ min: 0n, max: 3n })), fc.boolean())
  .map(([commit, ofEvent]) => ({ commit, prepare: ofEvent ? commit : 0n }));
const digits = (part: bigint): string => String(part).padStart(20, '0');
const textOf = ({ commit, prepare }: { commit: bigint; prepare: bigint }): string =>
  `${digits(commit)}/${digits(prepare)}`;

describe('a position of EventStoreDB', () => {
  test('is sent back to the server unchanged, and written as 20 digits each', () => {
    fc.assert(
      fc.property(sent, (position) => {
        expect(readPositionOf(positionOf(position))).toEqual(position);
        expect(format(positionOf(position))).toBe(textOf(position));
        expect(parse(textOf(position))).toBe(positionOf(position));
      }),
      { seed: SEED, examples: [[{ commit: MAX_COMMIT, prepare: MAX_COMMIT }], [{ commit: MAX_COMMIT, prepare: 0n }]] },
    );
  });

  test('sorts as the log does, as a number and as a text, with the start before all', () => {
    fc.assert(
      fc.property(sent, sent, (a, b) => {
        const inLogOrder = a.commit === b.commit ? a.prepare < b.prepare : a.commit < b.commit;
        expect(positionOf(a) < positionOf(b)).toBe(inLogOrder);
        expect(format(positionOf(a)) < format(positionOf(b))).toBe(inLogOrder);
        expect(START < positionOf(a) && format(START) < format(positionOf(a))).toBe(true);
      }),
      { seed: SEED },
    );
  });

  test('of a transaction precedes its commit: what follows is delivered again, nothing is skipped', () => {
    const stored = parse(textOf({ commit: 700n, prepare: 650n })) as Position;
    expect(stored).toBe(positionOf({ commit: 700n, prepare: 650n }));
    expect(readPositionOf(stored)).toEqual({ commit: 700n, prepare: 0n });
    expect(stored < positionOf({ commit: 700n, prepare: 700n })).toBe(true);
    expect(stored > positionOf({ commit: 699n, prepare: 699n })).toBe(true);
  });

  test('above 4 PiB is refused', () => {
    const position = { commit: MAX_COMMIT + 1n, prepare: MAX_COMMIT + 1n };
    expect(() => positionOf(position)).toThrow(EventStoreRefusal);
    expect(() => knownPosition(position)).toThrow('Waymark reads a log up to 4503599627370495 only');
    expect(parse(textOf(position))).toBeNull();
  });

  test('is null if the server sends -1', () => {
    expect(knownPosition({ commit: NONE, prepare: NONE })).toBeNull();
    expect(knownPosition({ commit: 7n, prepare: NONE })).toBeNull();
  });

  test('of 2^64-1, which an earlier version stored, is read and is no known position', () => {
    const stored = storedPosition(textOf({ commit: NONE, prepare: NONE }), EVENTSTOREDB_POSITIONS);
    expect([isKnownPosition(stored), format(stored)]).toEqual([false, textOf({ commit: NONE, prepare: NONE })]);
    expect(isKnownPosition(positionOf({ commit: MAX_COMMIT, prepare: MAX_COMMIT }))).toBe(true);
  });

  test.each(['0000000000000042', '1/1', 'nonsense'])('of another engine is refused: %p', (text) => {
    expect(parse(text)).toBeNull();
    expect(() => storedPosition(text, EVENTSTOREDB_POSITIONS)).toThrow(RangeError);
  });

  test('of the start is the start', () => {
    expect([readPositionOf(START), format(START), parse('')]).toEqual(['start', '', START]);
  });
});
