import { expect, test } from 'bun:test';
import { judgeVersion } from '../../../../src/adapters/eventstoredb/server-version.ts';

test.each([
  ['24.2.0', 'supported'],
  ['24.2.0.0', 'supported'],
  ['v24.2', 'supported'],
  ['24.2.0-rc1', 'supported'],
  ['24.6.0', 'supported'],
  ['24.10.4', 'supported'],
  ['24.10.14+5ee1', 'supported'],
  ['24.11.0', 'newer'],
  ['25.0.0', 'newer'],
  ['100.1', 'newer'],
  ['24.1.9', 'older'],
  ['23.10.0.0-rc1', 'older'],
  ['23.10.7', 'older'],
  ['5.0.11', 'older'],
  ['0.0.0', 'unnumbered'],
  ['0.0.0-prerelease', 'unnumbered'],
  ['', 'unreadable'],
  [null, 'unreadable'],
  ['24', 'unreadable'],
  ['24.x', 'unreadable'],
  ['24.2rc1', 'unreadable'],
  ['unknown_version', 'unreadable'],
] as const)('version %p is %s', (version, verdict) => {
  expect(judgeVersion(version)).toBe(verdict);
});
