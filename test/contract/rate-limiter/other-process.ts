import { writeSync } from 'node:fs';
import { openRateLimiter } from '../../../src/adapters/sqlite/rate-limiter.ts';
import { KEY, NOON } from './scene.ts';

// A process for a test to kill: `other-process.ts <file>` takes requests of one key and prints the number of each after
// its answer. It ends with its parent, which holds its standard input.

const STDOUT = 1;
const [file = ''] = process.argv.slice(2);
const limiter = openRateLimiter(file);
process.stdin.resume().on('end', () => process.kill(process.pid));
for (;;) {
  const { usage } = await limiter.take(KEY, { perMinute: 1_000_000, perDay: 1_000_000 }, NOON);
  // Unbuffered: a printed line survives a kill.
  writeSync(STDOUT, `${usage.day.used}\n`);
}
