import { writeSync } from 'node:fs';
import { openUsageCounters } from '../../../src/adapters/sqlite/usage-counters.ts';
import { KEY, NOON } from './scene.ts';

// Another process of the operating system, for a test that kills one:
//
//     other-process.ts <file>    takes requests of one key, and says the number of each that was answered
//
// It ends with the process that started it, which holds its standard input.

const STDOUT = 1;
const [file = ''] = process.argv.slice(2);
const counters = openUsageCounters(file);
process.stdin.resume().on('end', () => process.kill(process.pid));
for (;;) {
  const { usage } = await counters.take(KEY, { perMinute: 1_000_000, perDay: 1_000_000 }, NOON);
  // Written at once: what was said stays said, also when the process is killed in the next instant.
  writeSync(STDOUT, `${usage.day.used}\n`);
}
