import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { knownPosition, positionOf, readPositionOf } from '../../../../src/adapters/eventstoredb/positions.ts';
import { type Position, START } from '../../../../src/eventsourcing/message.ts';

const anyPart = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const anyPosition = fc.record({ commit: anyPart, prepare: anyPart });

describe('a position as a text', () => {
  test('is parsed back unchanged', () => {
    fc.assert(fc.property(anyPosition, (position) => expect(readPositionOf(positionOf(position))).toEqual(position)));
  });

  test('sorts as the log does: by commit, then by prepare, and the start before all', () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, (a, b) => {
        const logOrder = a.commit === b.commit ? a.prepare < b.prepare : a.commit < b.commit;
        expect(positionOf(a) < positionOf(b)).toBe(logOrder);
        expect(START < positionOf(a)).toBe(true);
      }),
    );
  });

  test('is valid in X-Position', () => {
    fc.assert(fc.property(anyPosition, (position) => expect(positionOf(position)).toMatch(/^[\d/-]{1,64}$/)));
  });

  test('is null if the server sends -1', () => {
    const unknown = 2n ** 64n - 1n;
    expect(knownPosition({ commit: unknown, prepare: unknown })).toBeNull();
    expect(knownPosition({ commit: 7n, prepare: unknown })).toBeNull();
  });

  test.each(['0000000000000042', '1/1', 'nonsense'])('of another engine is refused: %p', (text) => {
    expect(() => readPositionOf(text as Position)).toThrow(RangeError);
  });

  test('of the start is the start', () => {
    expect(readPositionOf(START)).toBe('start');
  });
});
