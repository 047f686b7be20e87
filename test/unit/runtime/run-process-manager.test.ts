import { describe, expect, test } from 'bun:test';
import { UnknownEvent } from '../../../src/eventsourcing/codec.ts';
import { faultOf } from '../../support/fault.ts';
import { INTERVAL_MS, Scene } from './process-manager-scene.ts';

describe('a due command', () => {
  test('starts as soon as its event is folded, where `startAtOnce` is set', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    expect((await scene.knock()).name).toBe('north');
  });

  test('starts at the next interval otherwise', async () => {
    await using scene = new Scene();
    await scene.shut('north');
    await scene.start({ startAtOnce: false });
    const knock = scene.knock();
    scene.clock.advance(INTERVAL_MS - 1);
    expect(scene.knocked).toEqual([]);
    // The log is read before or after the interval has passed: the one after it finds it read.
    while (scene.knocked.length === 0) {
      scene.clock.advance(INTERVAL_MS);
      await new Promise(setImmediate);
    }
    expect((await knock).name).toBe('north');
  });

  test('that is recorded does not start again before its event is folded', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    const knock = await scene.knock();
    knock.answer({ kind: 'recorded', position: await scene.open('north') });
    await scene.afterAllBefore();
    expect(scene.knocked).toEqual(['north', 'last']);
  });

  test('that is done without an event never starts again', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    (await scene.knock()).answer({ kind: 'done' });
    await scene.afterAllBefore();
    scene.clock.advance(INTERVAL_MS);
    expect(scene.knocked).toEqual(['north', 'last']);
  });

  test('that is not done waits for the next interval', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    (await scene.knock()).answer({ kind: 'later' });
    await scene.afterAllBefore();
    expect(scene.knocked).toEqual(['north', 'last']);
    scene.clock.advance(INTERVAL_MS);
    expect((await scene.knock()).name).toBe('north');
  });

  test('that fails is logged, and starts again at the next interval', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    (await scene.knock()).fail();
    await scene.afterAllBefore();
    expect(scene.log.lines.map(({ happening, facts }) => [happening, facts['command']])).toEqual([
      ['process manager task failed', 'north'],
    ]);
    scene.clock.advance(INTERVAL_MS);
    expect((await scene.knock()).name).toBe('north');
  });

  test('starts only while fewer than `maxInFlight` are in progress', async () => {
    await using scene = new Scene();
    await scene.start({ maxInFlight: 2 });
    for (const name of ['a', 'b', 'c']) await scene.shut(name);
    const first = await scene.knock();
    await scene.knock();
    expect(scene.knocked).toEqual(['a', 'b']);
    first.answer({ kind: 'done' });
    expect((await scene.knock()).name).toBe('c');
  });
});

describe('partitioned commands', () => {
  /** Doors are of the part that their name ends with. */
  const partitionOf = (name: string): number => Number(name.at(-1));

  test('start in acquired partitions only', async () => {
    await using scene = new Scene();
    const running = await scene.start({ partitionOf });
    for (const name of ['a1', 'b2', 'c1']) await scene.shut(name);
    await running.acquire(1);
    await scene.knock();
    await scene.knock();
    await scene.shut('d1');
    await scene.knock();
    expect(scene.knocked).toEqual(['a1', 'c1', 'd1']);
  });

  test('of an acquired partition start after everything stored before is folded', async () => {
    await using scene = new Scene();
    await scene.shut('a1');
    const running = await scene.start({ partitionOf });
    await running.acquire(2);
    await scene.shut('b2');
    await scene.knock();
    const held = Promise.withResolvers<void>();
    scene.passing = held.promise;
    await scene.open('a1');
    const taking = running.acquire(1);
    await scene.shut('c1');
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    held.resolve();
    await taking;
    await scene.knock();
    expect(scene.knocked).toEqual(['b2', 'c1']);
  });

  test('end before their partition is released, and no more of them start', async () => {
    await using scene = new Scene();
    const running = await scene.start({ partitionOf });
    const [one] = await Promise.all([running.acquire(1), running.acquire(2)]);
    await scene.shut('a1');
    const knock = await scene.knock();
    await scene.shut('b2');
    await scene.knock();
    const stopping = one.stop();
    await scene.shut('c1');
    const soon = new Promise((resolve) => setImmediate(resolve, 'not yet'));
    expect(await Promise.race([stopping, soon])).toBe('not yet');
    knock.answer({ kind: 'later' });
    await stopping;
    await scene.shut('d2');
    await scene.knock();
    expect(scene.knocked).toEqual(['a1', 'b2', 'd2']);
  });

  test('cannot be acquired where the log cannot be folded', async () => {
    await using scene = new Scene();
    await scene.unheardOf('east');
    const running = await scene.start({ partitionOf });
    const fault = await faultOf(() => running.acquire(1));
    expect(fault).toEqual(new Error('porter folds the log no further than '));
  });
});

describe('a restart', () => {
  test('repeats open commands, and none that were recorded after them', async () => {
    await using scene = new Scene();
    for (const name of ['north', 'south', 'west']) await scene.shut(name);
    await scene.open('south');
    // More than is read in one go.
    for (let door = 0; door < 1_100; door++) void scene.shut(`door ${door}`).then(() => scene.open(`door ${door}`));
    while ((await scene.store.last('scan-door 1099'))?.revision !== 1) await new Promise(setImmediate);
    await scene.open('west');
    await scene.start();
    expect((await scene.knock()).name).toBe('north');
    await scene.afterAllBefore();
    expect(scene.knocked).toEqual(['north', 'last']);
  });

  test('reads the log from before the oldest open item, not from its start', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    (await scene.knock()).answer({ kind: 'recorded', position: await scene.open('north') });
    await scene.shut('south');
    (await scene.knock()).answer({ kind: 'later' });
    await scene.stop();
    const checkpoint = await scene.store.last('checkpoint-porter');
    expect(checkpoint?.type).toBe('CheckpointStored.v1');
    await scene.start();
    expect((await scene.knock()).name).toBe('south');
    expect(scene.knocked).toEqual(['north', 'south', 'south']);
  });

  test('comes after the commands in progress have ended', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    const knock = await scene.knock();
    const stopping = scene.stop();
    const soon = new Promise((resolve) => setImmediate(resolve, 'not yet'));
    expect(await Promise.race([stopping, soon])).toBe('not yet');
    knock.answer({ kind: 'later' });
    await stopping;
  });
});

describe('an event of a newer release', () => {
  test('is not skipped: the manager abandons its work before it, once, and executes the commands due by then', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    const knock = await scene.knock();
    await scene.unheardOf('east');
    await scene.shut('south');
    while (scene.givenUp.length === 0) await new Promise(setImmediate);
    knock.answer({ kind: 'later' });
    scene.clock.advance(INTERVAL_MS);
    expect((await scene.knock()).name).toBe('north');
    expect(scene.givenUp).toEqual([new UnknownEvent('scan', 'ScanBound.v9')]);
    expect(scene.knocked).toEqual(['north', 'north']);
    expect(scene.log.lines.map(({ happening }) => happening)).toEqual([
      'reader of the log stopped before an unknown event',
    ]);
  });
});
