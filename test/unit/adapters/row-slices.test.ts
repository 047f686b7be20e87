import { describe, expect, test } from 'bun:test';
import { type AppendRow, encodeEvents } from '../../../src/adapters/sqlite/event-rows.ts';
import { type prepareSlices, sliceOfRows } from '../../../src/adapters/sqlite/row-slices.ts';

type Statements = Pick<ReturnType<typeof prepareSlices>, 'rowsAfter' | 'rowAt'>;

const CAUSE = { correlationId: 'c', causationId: null, by: 'test', at: '2026-01-01T00:00:00.000Z' };

/** A log of appends with so many events each. */
function logOf(sizes: readonly number[]) {
  const rows: AppendRow[] = [];
  let position = 1;
  for (const [index, size] of sizes.entries()) {
    const events = Array.from({ length: size }, (_, n) => ({
      id: `${index}.${n}`,
      type: 'T.v1',
      data: {},
      cause: CAUSE,
    }));
    rows.push({ position, stream: `booking-${index}`, revision: 0, events: encodeEvents('booking', events) });
    position += size;
  }
  const read = { rows: 0 };
  const statements = {
    rowsAfter: () => ({
      all(after: number, limit: number) {
        const found = rows.filter((row) => row.position > after).slice(0, limit);
        read.rows += found.length;
        return found;
      },
    }),
    rowAt: { get: (at: number) => rows.findLast((row) => row.position <= at) ?? null },
  } as unknown as Statements;
  return { statements, read, end: position - 1 };
}

describe('a slice of the log', () => {
  test('has the next events up to its limit, whatever the sizes of the appends', () => {
    const sizes = Array.from({ length: 400 }, (_, index) => 1 + ((index * 7) % 5));
    const { statements, end } = logOf(sizes);
    for (const limit of [1, 7, 64, 65, 200, 1_000, end, end + 1]) {
      const positions: number[] = [];
      for (let after = 0; after < end; ) {
        const { events, upTo } = sliceOfRows(statements, after, null, limit, end);
        expect(events).toHaveLength(Math.min(limit, end - after));
        expect(upTo).toBe(after + events.length);
        positions.push(...events.map(({ position }) => position));
        after = upTo;
      }
      expect(positions).toEqual(Array.from({ length: end }, (_, index) => index + 1));
    }
  });

  test('reads few rows that the next one reads again', () => {
    const { statements, read, end } = logOf(Array.from({ length: 4_000 }, () => 2));
    let slices = 0;
    for (let after = 0; after < end; slices++) after = sliceOfRows(statements, after, null, 1_000, end).upTo;
    expect(slices).toBe(8);
    expect(read.rows).toBeLessThan(4_000 * 1.1);
  });

  test('after the last event ends at the end of the log, which an erasure may have moved', () => {
    const { statements, end } = logOf([1, 1]);
    expect(sliceOfRows(statements, end, null, 10, end + 3)).toEqual({ events: [], upTo: end + 3 });
  });
});
