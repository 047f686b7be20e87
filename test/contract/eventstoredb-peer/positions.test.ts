import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { BACKWARDS, FORWARDS, type Position, streamNameFilter } from '@eventstore/db-client';
import { appendOne, newStream, openScene, Recording, type Scene, sharedScene } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

/** Reads and subscriptions at positions without an event, as measured on servers of 24.2.0 and 24.10.4. */

const scene = sharedScene(openScene);
let last: Position;
beforeAll(async () => {
  await appendOne(scene, newStream());
  last = await appendOne(scene, newStream());
});

function follow(fromPosition: Position, prefix: string | null = null): Recording {
  const { client } = scene;
  if (prefix === null) return new Recording(client.subscribeToAll({ fromPosition }));
  return new Recording(client.subscribeToAll({ fromPosition, filter: streamNameFilter({ prefixes: [prefix] }) }));
}

const KINDS = [
  ['without a filter', null],
  ['with a filter', 'none'],
] as const;

describe('a position within a record', () => {
  test.each(KINDS)('ends a subscription %s after its confirmation as an invalid argument', async (_, prefix) => {
    const within = last.commit - 1n;
    await using followed = follow({ commit: within, prepare: within }, prefix);
    const [type, text] = await followed.error;
    expect([type, followed.sent]).toEqual(['unknown', ['confirmation']]);
    expect(text).toContain('INVALID_ARGUMENT: Trying to read from an invalid position.');
  });

  test.each([FORWARDS, BACKWARDS] as const)('fails a read %s', async (direction) => {
    const within = last.commit - 1n;
    const fromPosition = { commit: within, prepare: within };
    expect(await failure({ direction, fromPosition })).toContain('Unexpected ReadAllResult: InvalidPosition');
  });
});

test('a position beyond the end of the log hides events appended below it', async () => {
  const stream = newStream();
  const beyond = last.commit + 1_000_000n;
  await using followed = follow({ commit: beyond, prepare: beyond }, stream);
  await using everything = follow({ commit: beyond, prepare: beyond });
  await followed.until('caught up');
  await everything.until('caught up');
  await using reference = follow(last, stream);
  const event = await appendOne(scene, stream);
  await reference.until({ event });
  expect([followed.sent, everything.sent]).toEqual([
    ['confirmation', 'caught up'],
    ['confirmation', 'caught up'],
  ]);
});

const LARGEST_INT64 = 2n ** 63n - 1n;

const UNDECODABLE = [
  ['of 2^63', { commit: LARGEST_INT64 + 1n, prepare: LARGEST_INT64 + 1n }],
  ['of 2^64-2', { commit: 2n ** 64n - 2n, prepare: 2n ** 64n - 2n }],
  ['whose prepare is above its commit', { commit: 1n, prepare: 2n }],
] as const;

describe.each(UNDECODABLE)('a position %s', (_title, fromPosition) => {
  test.each(KINDS)('fails a subscription %s in the handler', async (_, prefix) => {
    await using followed = follow(fromPosition, prefix);
    const [type, text] = await followed.error;
    expect(type).toBe('unknown');
    expect(text).toContain('UNKNOWN: Exception was thrown by handler.');
  });

  test('fails a read in the handler', async () => {
    expect(await failure({ fromPosition })).toContain('UNKNOWN: Exception was thrown by handler.');
  });
});

test('the largest valid position, 2^63-1, is beyond the end', async () => {
  await using followed = follow({ commit: LARGEST_INT64, prepare: LARGEST_INT64 }, newStream());
  expect(await followed.until('caught up')).toEqual(['confirmation', 'caught up']);
});

async function failure(options: Parameters<Scene['client']['readAll']>[0]): Promise<string> {
  try {
    await Array.fromAsync(scene.client.readAll(options));
    return 'no error';
  } catch (error) {
    return String(error);
  }
}
