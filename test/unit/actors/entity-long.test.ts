import { describe, expect, test } from 'bun:test';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { countedTo, countTo, longScene, PAGE, STREAM } from './long-scene.ts';

const readFrom = (...revisions: readonly number[]) => revisions.map((revision) => `read ${STREAM} from ${revision}`);

describe('a long stream', () => {
  test('is read page by page, whatever the size of its appends', async () => {
    for (const size of [1, 7, 256, 1_000]) {
      await using scene = longScene();
      await countTo(scene.store, 2 * PAGE + 300, undefined, size);
      const node = scene.node();
      expect(await node.read()).toStrictEqual({ kind: 'state', state: countedTo(1_300), revision: 1_299 });
      expect(node.script.calls).toEqual(readFrom(0, 500, 1_000));
    }
  });

  test('that ends with a page is read to its end', async () => {
    await using scene = longScene();
    await countTo(scene.store, 2 * PAGE);
    const node = scene.node();
    expect(await node.read()).toMatchObject({ state: countedTo(1_000), revision: 999 });
    expect(await node.add(1_001)).toMatchObject({ kind: 'accepted', state: countedTo(1_001), revision: 1_000 });
  });

  test('is read on after a page that could not be read', async () => {
    await using scene = longScene();
    await countTo(scene.store, 2 * PAGE + 300);
    const node = scene.node();
    node.script.afterRead(async () => {});
    node.script.afterRead(() => Promise.reject(new StoreUnavailable('event store', 'the server is unavailable')));
    expect(await node.read()).toMatchObject({ kind: 'unavailable', reason: 'fault' });
    expect(await node.read()).toMatchObject({ kind: 'state', state: countedTo(1_300) });
    expect(node.script.calls).toEqual(readFrom(0, 500, 500, 1_000));
  });

  test('is folded again from its first event after a fault that is not of the store', async () => {
    await using scene = longScene();
    await countTo(scene.store, PAGE + 1);
    const node = scene.node();
    await node.read();
    node.script.calls.length = 0;
    // JSON cannot hold it.
    expect(await node.add(1n as never)).toMatchObject({ kind: 'unavailable', reason: 'fault' });
    expect(await node.read()).toMatchObject({ kind: 'state', state: countedTo(501) });
    expect(node.script.calls).toEqual([...readFrom(0, 500)]);
  });

  test('whose load takes longer than an ask is not read again, and the late command is not decided', async () => {
    await using scene = longScene();
    await countTo(scene.store, 2 * PAGE + 300);
    const node = scene.node();
    node.script.afterRead(async () => scene.clock.advance(10_000));
    expect(await node.add(7, 5_000)).toMatchObject({ kind: 'unavailable', reason: 'deadline' });
    expect(await node.read()).toStrictEqual({ kind: 'state', state: countedTo(1_300), revision: 1_299 });
    expect(node.script.calls).toEqual(readFrom(0, 500, 1_000));
  });

  test('does not block the event loop', async () => {
    await using scene = longScene();
    await countTo(scene.store, 8 * PAGE);
    let turns = 0;
    let ended = false;
    const count = (): void => {
      turns++;
      if (!ended) setImmediate(count);
    };
    setImmediate(count);
    await scene.node().read();
    ended = true;
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  test('is complete although another writer appends between two pages', async () => {
    await using scene = longScene();
    await countTo(scene.store, 2 * PAGE);
    const node = scene.node({ exclusive: false });
    node.script.afterRead(() => countTo(scene.store, 4 * PAGE + 1));
    expect(await node.read()).toMatchObject({ kind: 'state', state: countedTo(2_001), revision: 2_000 });
  });
});
