import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDirectory } from '../../../src/adapters/sqlite/data-directory.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { newEvent } from './scene.ts';

// Another process of the operating system, for tests that need a real one:
//
//     other-process.ts hold <directory>      takes the data directory, says `held`, and keeps it until it is killed
//     other-process.ts append <directory>    appends to booking-1 and says each revision that was answered, likewise
//
// It ends with the process that started it, which holds its standard input.

const STDOUT = 1;
const [task = '', directory = ''] = process.argv.slice(2);

/** Written at once: what was said stays said, also when the process is killed in the next instant. */
function say(line: string): void {
  writeSync(STDOUT, `${line}\n`);
}

async function appendForEver(): Promise<void> {
  const store = openEventStore(join(directory, 'events.db'));
  for (let revision = -1; ; ) {
    const outcome = await store.append('booking-1', revision, [newEvent({ n: revision + 1 })]);
    if (outcome.kind !== 'appended') throw new Error(outcome.kind);
    revision = outcome.revision;
    say(String(revision));
  }
}

try {
  lockDataDirectory(directory);
  // Nobody keeps what was returned: the lock must not depend on it.
  Bun.gc(true);
  say('held');
  process.stdin.resume().on('end', () => process.kill(process.pid));
  if (task === 'append') await appendForEver();
} catch (fault) {
  say(String(fault));
}
