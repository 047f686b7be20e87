import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { EMBEDDED_POSITIONS, positionOf } from '../../../src/adapters/sqlite/event-rows.ts';
import { START } from '../../../src/eventsourcing/message.ts';

const SEED = 20_261_123;
const { format, parse } = EMBEDDED_POSITIONS;
const places = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));

test('a position of the embedded log is written as 16 digits, read back, and sorted alike as number and text', () => {
  fc.assert(
    fc.property(places, places, (a, b) => {
      expect(format(positionOf(a))).toBe(String(a).padStart(16, '0'));
      expect(parse(format(positionOf(a)))).toBe(positionOf(a));
      expect(format(positionOf(a)) < format(positionOf(b))).toBe(a < b);
      expect(format(START) < format(positionOf(a))).toBe(true);
    }),
    { seed: SEED },
  );
});

test.each(['42', '00000000000000000700/00000000000000000700', '9999999999999999', '-000000000000001', 'nonsense'])(
  'a text that is no position of the embedded log is not read: %p',
  (text) => {
    expect(parse(text)).toBeNull();
  },
);

test('the start is written as an empty text', () => {
  expect([format(START), parse('')]).toEqual(['', START]);
});
