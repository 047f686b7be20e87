import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { END, type Filter, type Position, START, streamNameFilter } from '@eventstore/db-client';
import { appendOne, happened, newStream, openPeer, openScene, Recording, type Scene, sharedScene } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

/** Filtered subscriptions to `$all`, as measured on servers of 24.2.0 and 24.10.4. */

/** The position before the log, -1 and -1, as unsigned 64-bit integers. */
const BEFORE_LOG = { commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n };

/** More events than a server of these tests holds. */
const WINDOW = 10_000;
const BEYOND_THE_LOG = { maxSearchWindow: WINDOW, checkpointInterval: 1_000 };

const scene = sharedScene(openScene);
beforeAll(() => appendOne(scene, newStream()));

type Options = { readonly maxSearchWindow?: number; readonly checkpointInterval?: number };

function follow(prefix: string, fromPosition: Position | typeof START | typeof END, options: Options = {}) {
  return followOn(scene, prefix, fromPosition, options);
}

function followOn(
  { client }: Scene,
  prefix: string,
  fromPosition: Position | typeof START | typeof END,
  options: Options,
) {
  const filter: Filter = streamNameFilter({ prefixes: [prefix], ...options });
  return new Recording(client.subscribeToAll({ fromPosition, filter }));
}

/** Appends events that no filter matches, and returns their positions. */
async function others(count: number): Promise<Position[]> {
  const stream = newStream('other');
  const positions: Position[] = [];
  for (let n = 0; n < count; n += 1) positions.push(await appendOne(scene, stream, n));
  return positions;
}

describe('a filtered subscription from the start', () => {
  test('without a match, below the interval, sends the position before the log', async () => {
    await using followed = follow(newStream(), START, BEYOND_THE_LOG);
    expect(await followed.until('caught up')).toEqual(['confirmation', { checkpoint: BEFORE_LOG }, 'caught up']);
  });

  test('sends live events but no checkpoint after the position before the log', async () => {
    const stream = newStream();
    await using followed = follow(stream, START, { maxSearchWindow: WINDOW, checkpointInterval: 1 });
    await followed.until('caught up');
    for (let n = 0; n < WINDOW; n += 1_000) {
      await scene.client.appendToStream(newStream('other'), happened(...Array(1_000).keys()));
    }
    const event = await appendOne(scene, stream);
    expect(await followed.until({ event })).toEqual([
      'confirmation',
      { checkpoint: BEFORE_LOG },
      'caught up',
      { event },
    ]);
  });

  test('with a match, below the interval, sends a checkpoint at the last match', async () => {
    const stream = newStream();
    const [first, second] = [await appendOne(scene, stream, 0), await appendOne(scene, stream, 1)];
    await others(3);
    await using followed = follow(stream, START, BEYOND_THE_LOG);
    expect(await followed.until('caught up')).toEqual([
      'confirmation',
      { event: first },
      { event: second },
      { checkpoint: second },
      'caught up',
    ]);
  });

  test('of a log longer than the interval sends 0/0, starts of pages, and a newer last match', async () => {
    const stream = newStream();
    await others(60);
    const match = await appendOne(scene, stream);
    await using followed = follow(stream, START, { maxSearchWindow: 10, checkpointInterval: 1 });
    await followed.until('caught up');
    const [first, ...more] = followed.checkpoints;
    expect(first).toEqual({ commit: 0n, prepare: 0n });
    expect(more.at(-1)).toEqual(match);
    const pages = more.slice(0, -1);
    expect(pages.length).toBeGreaterThanOrEqual(4);
    expect(pages.map(({ prepare }) => prepare)).toEqual(pages.map(() => 0n));
    for (const page of pages) expect(page.commit).toBeLessThan(match.commit);
  });

  test('at a window of 32, sends the position before the log for 30 events, and 0/0 for 31', async () => {
    await using own = await openPeer();
    await own.client.appendToStream(newStream('other'), happened(...Array(30).keys()));
    await using of30 = followOn(own, newStream(), START, { maxSearchWindow: 32, checkpointInterval: 1 });
    await of30.until('caught up');
    await appendOne(own, newStream('other'));
    await using of31 = followOn(own, newStream(), START, { maxSearchWindow: 32, checkpointInterval: 1 });
    await of31.until('caught up');
    expect([of30.checkpoints, of31.checkpoints]).toEqual([[BEFORE_LOG], [{ commit: 0n, prepare: 0n }]]);
  });
});

describe('a filtered subscription that resumes', () => {
  test('from the position before the log starts at the end', async () => {
    const stream = newStream();
    await appendOne(scene, stream, 0);
    await using followed = follow(stream, BEFORE_LOG);
    await followed.until('caught up');
    const event = await appendOne(scene, stream, 1);
    expect(await followed.until({ event })).toEqual(['confirmation', 'caught up', { event }]);
  });

  test('from a checkpoint with prepare 0 receives the event at its commit position again', async () => {
    const stream = newStream();
    const event = await appendOne(scene, stream);
    await using followed = follow(stream, { commit: event.commit, prepare: 0n });
    await followed.until('caught up');
    expect(followed.sent.slice(0, 2)).toEqual(['confirmation', { event }]);
  });

  test('from the last event of the log receives no checkpoint', async () => {
    const stream = newStream();
    await using followed = follow(stream, await appendOne(scene, stream));
    expect(await followed.until('caught up')).toEqual(['confirmation', 'caught up']);
  });

  test('receives a checkpoint at the start of each page that reaches the interval', async () => {
    const [first] = await others(1);
    const behind = await others(80);
    await using followed = follow(newStream(), first ?? START, { maxSearchWindow: 10, checkpointInterval: 2 });
    await followed.until('caught up');
    // The first page holds the event at the start position and 0 to 8; the second one starts at 9.
    const starts = [9, 29, 49, 69].map((at) => ({ checkpoint: { commit: behind[at]?.commit ?? -1n, prepare: 0n } }));
    expect(followed.sent).toEqual(['confirmation', ...starts, 'caught up']);
  });
});

test('a filtered subscription from the end receives live checkpoints every 32 events', async () => {
  const stream = newStream();
  await using followed = follow(stream, END);
  await followed.until('caught up');
  const positions = await others(80);
  const event = await appendOne(scene, stream);
  expect(await followed.until({ event })).toEqual([
    'confirmation',
    'caught up',
    ...[31, 63].map((at) => ({ checkpoint: positions[at] ?? BEFORE_LOG })),
    { event },
  ]);
});
