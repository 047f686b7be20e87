import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDirectory } from '../../../src/adapters/sqlite/data-directory.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openSnapshotStore } from '../../../src/adapters/sqlite/snapshot-store.ts';
import { KEPT_EVENTS, newEvent, snapshotAt } from './scene.ts';

// A separate operating-system process for tests:
//
//     other-process.ts hold <directory>      locks the data directory, prints `held`, and keeps it until killed
//     other-process.ts append <directory>    appends to booking-1 and prints each returned revision until killed
//     other-process.ts count <directory>     the same to counted-1, a stream that keeps its last events
//     other-process.ts snapshot <directory>  saves snapshots of booking-1 and prints each revision until killed
//
// It ends when its standard input closes, that is with the process that started it.

const STDOUT = 1;
const [task = '', directory = ''] = process.argv.slice(2);

/** Synchronous, so that no line is lost when the process is killed. */
function say(line: string): void {
  writeSync(STDOUT, `${line}\n`);
}

async function appendForEver(stream: string): Promise<void> {
  const store = openEventStore(join(directory, 'events.db'), { keptEvents: KEPT_EVENTS });
  for (let revision = -1; ; ) {
    const outcome = await store.append(stream, revision, [newEvent({ n: revision + 1 })]);
    if (outcome.kind !== 'appended') throw new Error(outcome.kind);
    revision = outcome.revision;
    say(String(revision));
  }
}

async function saveForEver(): Promise<void> {
  const store = openSnapshotStore(join(directory, 'snapshots.db'));
  for (let revision = 0; ; revision++) {
    await store.save(snapshotAt(revision), revision);
    say(String(revision));
  }
}

try {
  lockDataDirectory(directory);
  // The result is not referenced: the lock must not depend on it.
  Bun.gc(true);
  say('held');
  process.stdin.resume().on('end', () => process.kill(process.pid));
  if (task === 'append') await appendForEver('booking-1');
  if (task === 'count') await appendForEver('counted-1');
  if (task === 'snapshot') await saveForEver();
} catch (fault) {
  say(String(fault));
}
