import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PROGRAM = join(import.meta.dir, 'event-store', 'full-disk-process.ts');
const NONE = [false, false, false];
const ALL = [true, true, true];

test('on a full disk the embedded stores reject writes and serve reads; repeated writes succeed when there is room', async () => {
  using directory = temporaryDirectory();
  const child = Bun.spawn([process.execPath, PROGRAM, directory.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const positions = Array.from({ length: 40 }, (_, index) => index + 1);
  expect(await child.stdout.json()).toEqual({
    before: [['appended'], ALL],
    full: [['event store unavailable'], 'read models unavailable', 'usage counters unavailable', NONE],
    read: ['events', 'no-stream'],
    // Rejected requests were not counted.
    after: [ALL, ['appended'], 'written', 'taken', 'taken', 'rate-limited'],
    positions,
    again: positions,
  });
});
