import { expect, test } from 'bun:test';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { fillingText } from '../../../src/runtime/progress.ts';

function at(name: string, position: number): { readonly name: string; readonly position: Position } {
  return { name, position: position as Position };
}

test.each([
  [[at('feed', 430), at('keys', 1_000), at('visits', 999)], 'filling 43 % (feed, visits)'],
  [[at('feed', 0)], 'filling 0 % (feed)'],
  [[at('feed', 1_000), at('keys', 1_001)], null],
  [[], null],
])('readers at %j of 1,000 are: %p', (readers, text) => {
  expect(fillingText(readers, 1_000 as Position)).toBe(text);
});
