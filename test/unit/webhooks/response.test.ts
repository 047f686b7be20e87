import { expect, test } from 'bun:test';
import { readRetryAfter } from '../../../src/webhooks/response.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');

test.each([
  ['0', NOW_MS],
  ['120', NOW_MS + 120_000],
  [' 7 ', NOW_MS + 7_000],
  ['Sat, 21 Nov 2026 03:02:00 GMT', NOW_MS + 120_000],
  ['Sun, 06 Nov 1994 08:49:37 GMT', Date.parse('1994-11-06T08:49:37Z')],
])('Retry-After: %s is a time', (header, atMs) => {
  expect(readRetryAfter(header, NOW_MS)).toBe(atMs);
});

test.each([
  null,
  '',
  'soon',
  '-5',
  '1.5',
  '1e9',
  '99999999999',
  '2026-11-21T03:02:00Z',
  'Sat, 99 Nov 2026 03:02:00 GMT',
])('Retry-After: %s is ignored', (header) => {
  expect(readRetryAfter(header, NOW_MS)).toBeNull();
});
