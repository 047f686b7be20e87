import { expect, test } from 'bun:test';
import { ProgressBar } from '../../../../src/cli/generate/progress-bar.ts';

function written(isTTY: boolean, atMs: readonly number[]): readonly string[] {
  let nowMs = 0;
  const texts: string[] = [];
  const bar = new ProgressBar(1_000, 'bookings', { isTTY, write: (text) => texts.push(text) }, () => nowMs);
  for (const [index, ms] of atMs.entries()) {
    nowMs = ms;
    bar.show((index + 1) * 250, `, ${(index + 1) * 2_000} events`);
  }
  bar.end();
  return texts;
}

test('a terminal shows a bar that is overwritten, at most five times a second', () => {
  expect(written(true, [100, 1_000, 1_100, 2_000])).toEqual([
    '\r[###############...............] 500 of 1000 bookings, 4000 events, 500 bookings/s, 0:01 left\u001b[K',
    '\r[##############################] 1000 of 1000 bookings, 8000 events, 500 bookings/s, 0:00 left\u001b[K',
    '\n',
  ]);
});

test('elsewhere a line follows every five seconds', () => {
  expect(written(false, [4_999, 5_000, 9_999, 10_000])).toEqual([
    '500 of 1000 bookings, 4000 events, 100 bookings/s, 0:05 left\n',
    '1000 of 1000 bookings, 8000 events, 100 bookings/s, 0:00 left\n',
  ]);
});
