import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type AllStreamRecordedEvent, BACKWARDS, END, FORWARDS, START } from '@eventstore/db-client';
import { errorType, happened, newStream, numberOf, openScene, type Scene, sharedScene } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

const scene = sharedScene(openScene);

describe('a stream', () => {
  const stream = newStream();
  beforeAll(async () => {
    await scene.client.appendToStream(stream, happened(...Array.from({ length: 100 }, (_, n) => n)));
  });

  const reads = [
    ['forwards', FORWARDS, START, undefined, range(0, 99)],
    ['forwards from a revision, which is included', FORWARDS, 97n, undefined, [97, 98, 99]],
    ['forwards, a number of events', FORWARDS, 5n, 3, [5, 6, 7]],
    ['forwards from beyond the end', FORWARDS, 100n, undefined, []],
    ['backwards', BACKWARDS, END, undefined, range(0, 99).toReversed()],
    ['backwards from a revision, which is included', BACKWARDS, 2n, undefined, [2, 1, 0]],
    ['backwards, a number of events', BACKWARDS, END, 2, [99, 98]],
    ['backwards from beyond the end', BACKWARDS, 200n, 1, [99]],
    ['backwards from the start', BACKWARDS, START, undefined, [0]],
  ] as const;
  test.each(reads)('is read %s', async (_, direction, fromRevision, maxCount, expected) => {
    const options = { direction, fromRevision, ...(maxCount === undefined ? {} : { maxCount }) };
    const read = await Array.fromAsync(scene.client.readStream(stream, options));
    expect(read.map(({ event }) => Number(event?.revision))).toEqual([...expected]);
  });

  test('that does not exist is not found', async () => {
    expect(await errorType(Array.fromAsync(scene.client.readStream(newStream())))).toBe('stream-not-found');
    const backwards = scene.client.readStream(newStream(), { direction: BACKWARDS, fromRevision: END });
    expect(await errorType(Array.fromAsync(backwards))).toBe('stream-not-found');
  });
});

describe('$all', () => {
  const [one, other] = [newStream(), newStream()];
  const mine = ({ event }: { event?: AllStreamRecordedEvent }) => event?.streamId === one || event?.streamId === other;
  let start = { commit: 0n, prepare: 0n };
  beforeAll(async () => {
    const { position } = await scene.client.appendToStream(newStream(), happened(-1));
    start = position ?? start;
    await scene.client.appendToStream(one, happened(0, 1));
    await scene.client.appendToStream(other, happened(2));
    await scene.client.appendToStream(one, happened(3));
  });

  async function numbers(options: Parameters<Scene['client']['readAll']>[0]): Promise<unknown[]> {
    const read = await Array.fromAsync(scene.client.readAll(options));
    return read.filter(mine).map(({ event }) => numberOf(event));
  }

  test('holds all streams in order of position, with gaps between positions', async () => {
    const read = await Array.fromAsync(scene.client.readAll({ fromPosition: start }));
    const positions = read.map(({ event }) => event?.position.commit ?? -1n);
    for (const [at, position] of positions.entries()) {
      if (at > 0) expect(position - (positions[at - 1] ?? 0n)).toBeGreaterThan(1n);
    }
    expect(read.map(({ event }) => event?.position.prepare ?? -2n)).toEqual(positions);
    expect(await numbers({ fromPosition: start })).toEqual([0, 1, 2, 3]);
  });

  test('is read forwards from a position, which is included, and backwards from before it', async () => {
    const read = await Array.fromAsync(scene.client.readAll({ fromPosition: start }));
    const third = read.filter(mine)[2]?.event?.position ?? start;
    expect(await numbers({ fromPosition: third })).toEqual([2, 3]);
    const [before] = await Array.fromAsync(
      scene.client.readAll({ direction: BACKWARDS, fromPosition: third, maxCount: 1 }),
    );
    expect(before?.event?.data).toEqual({ n: 1 });
  });

  test('ends with the last append, and returns at most the requested number', async () => {
    const [last, ...more] = await Array.fromAsync(
      scene.client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }),
    );
    expect([last?.event?.data, more]).toEqual([{ n: 3 }, []]);
    expect((await Array.fromAsync(scene.client.readAll({ fromPosition: START, maxCount: 3 }))).length).toBe(3);
    expect(await Array.fromAsync(scene.client.readAll({ direction: BACKWARDS, fromPosition: START }))).toEqual([]);
  });

  test('has an event at the position that its append returned', async () => {
    const stream = newStream();
    const { position } = await scene.client.appendToStream(stream, happened(7, 8));
    const [found] = await Array.fromAsync(scene.client.readAll({ fromPosition: position ?? START, maxCount: 1 }));
    expect([found?.event?.streamId, found?.event?.revision as unknown]).toEqual([stream, 1n]);
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
