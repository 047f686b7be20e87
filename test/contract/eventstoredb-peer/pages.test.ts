import { describe, expect, test } from 'bun:test';
import { readPages } from '../../support/peers/eventstoredb/read.mjs';
import { Store } from '../../support/peers/eventstoredb/store.mjs';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const STREAM = 'peer-1';

/** Run in this process: how a server shares its time between calls is not to be measured reliably from outside. */
describe.each([
  ['a stream', STREAM],
  ['$all', null],
] as const)('a read of %s', (_title, stream) => {
  test.each([
    ['forwards', false],
    ['backwards', true],
  ])('%s sends pages of 32 events, and lets other calls run after each', async (_, backwards) => {
    using directory = temporaryDirectory();
    const store = new Store(directory.file('events.log'), { durable: false, nowMs: () => 0 });
    await append(store, 300);
    const source =
      stream === null ? { stream, from: start(backwards), filter: null } : { stream, from: start(backwards) };
    /** Events that were sent in each turn of the event loop. */
    const turns = [0];
    let reading = true;
    const nextTurn = (): void => {
      turns.push(0);
      if (reading) setImmediate(nextTurn);
    };
    setImmediate(nextTurn);
    await readPages({ store }, { source, backwards, tellsEnds: false }, Number.POSITIVE_INFINITY, {
      over: false,
      async send() {
        turns.push((turns.pop() ?? 0) + 1);
        return 'at once';
      },
      end() {
        reading = false;
      },
    });
    expect(turns.reduce((sum, events) => sum + events, 0)).toBe(300);
    expect(Math.max(...turns)).toBe(32);
  });
});

test('a read of a stream returns what is appended between its pages', async () => {
  using directory = temporaryDirectory();
  const store = new Store(directory.file('events.log'), { durable: false, nowMs: () => 0 });
  await append(store, 40);
  let events = 0;
  await readPages({ store }, { source: { stream: STREAM, from: 'start' }, backwards: false, tellsEnds: false }, 1_000, {
    over: false,
    async send() {
      events += 1;
      if (events === 32) await append(store, 5);
      return 'at once';
    },
    end() {},
  });
  expect(events).toBe(45);
});

function start(backwards: boolean): 'start' | 'end' {
  return backwards ? 'end' : 'start';
}

async function append(store: Store, count: number): Promise<void> {
  const nothing = Buffer.alloc(0);
  const events = Array.from({ length: count }, () => ({
    id: crypto.randomUUID(),
    type: 'Happened',
    json: false,
    data: nothing,
    metadata: nothing,
  }));
  await store.execute({ kind: 'append', stream: STREAM, expected: 'any', events });
}
