import { describe, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { openSnapshots } from '../../../src/actors/snapshots.ts';
import { stateForm } from '../../../src/actors/state-form.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import type { Snapshot, SnapshotStore } from '../../../src/ports/snapshot-store.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import {
  type Count,
  countedTo,
  countTo,
  longScene,
  notedSnapshots,
  repeatUpTo,
  STREAM,
  turnsUntil,
} from './long-scene.ts';

type Scene = ReturnType<typeof longScene>;

const readFrom = (...revisions: readonly number[]) => revisions.map((revision) => `read ${STREAM} from ${revision}`);

async function stored(scene: Scene, version = 1): Promise<Snapshot> {
  const snapshot = await scene.snapshots.load(STREAM, version);
  if (snapshot === null) throw new Error('there is no snapshot');
  return snapshot;
}

/** A stream of 5,000 events with a snapshot after event 4,000. */
async function savedScene(): Promise<Scene> {
  const scene = longScene();
  await countTo(scene.store, 4_000);
  await scene.node().read();
  await turnsUntil(async () => (await scene.snapshots.load(STREAM, 1)) !== null);
  await countTo(scene.store, 5_000, seededIds(2));
  expect((await stored(scene)).revision).toBe(3_999);
  return scene;
}

describe('a snapshot', () => {
  test('spares a node the events before it', async () => {
    await using scene = await savedScene();
    const node = scene.node();
    expect(await node.read()).toStrictEqual({ kind: 'state', state: countedTo(5_000), revision: 4_999 });
    // The first page shows that the stream is long.
    expect(node.script.calls).toEqual(readFrom(0, 3_999, 4_499, 4_999));
    expect(await node.add(5_001)).toMatchObject({ kind: 'accepted', state: countedTo(5_001), revision: 5_000 });
  });

  test('is neither looked for nor saved for a stream of one page, which is read by one call', async () => {
    await using scene = longScene();
    const { calls, saved } = notedSnapshots(scene.snapshots);
    await countTo(scene.store, 499);
    const node = scene.node({ saved });
    await node.read();
    await node.addAll(500, 900);
    expect(node.script.calls.filter((call) => call.startsWith('read'))).toEqual(readFrom(0));
    expect(calls).toEqual([]);
  });

  test('is saved in the background after each thousand events', async () => {
    await using scene = longScene();
    const { calls, saved } = notedSnapshots(scene.snapshots);
    const node = scene.node({ saved });
    await node.addAll(1, 3_500);
    await turnsUntil(() => calls.length === 3);
    expect(calls).toEqual([999, 1_999, 2_999].map((revision) => `save ${STREAM} at ${revision}`));
    expect(await scene.node().read()).toMatchObject({ state: countedTo(3_500), revision: 3_499 });
  });

  test('of the same stream by another node replaces it if it is newer', async () => {
    await using scene = await savedScene();
    const [one, other] = [scene.node({ exclusive: false }), scene.node({ exclusive: false })];
    await Promise.all([one.read(), other.read()]);
    for (let n = 5_001; n <= 6_100; n += 100) await (n % 200 === 1 ? one : other).addAll(n, n + 99);
    await turnsUntil(async () => (await stored(scene)).revision > 4_999);
    for (const node of [one, other, scene.node()])
      expect(await node.read()).toMatchObject({ state: countedTo(6_100), revision: 6_099 });
  });

  const wrong: Readonly<Record<string, (right: Snapshot) => Partial<Snapshot>>> = {
    'with a damaged state': ({ state }) => ({ state: state.replace('4000', '4001') }),
    'with a state that is no JSON': () => ({ state: '{"count":' }),
    'with another digest': () => ({ digest: '' }),
    'with another revision': () => ({ revision: 4_001 }),
    'with another event id': () => ({ eventId: seededIds(9).uuid() }),
    'of a later revision than the stream has': () => ({ revision: 90_000 }),
  };
  test.each(Object.keys(wrong))('%s is deleted, changes no answer, and is logged once', async (name) => {
    await using scene = await savedScene();
    const right = await stored(scene);
    await scene.snapshots.remove(right);
    await scene.snapshots.save({ ...right, ...wrong[name]?.(right) }, 0);
    const node = scene.node();
    expect(await node.read()).toStrictEqual({ kind: 'state', state: countedTo(5_000), revision: 4_999 });
    expect(node.log.lines.map(({ level, happening }) => [level, happening])).toEqual([
      ['warn', 'snapshot ignored and deleted'],
    ]);
    await turnsUntil(async () => (await scene.snapshots.load(STREAM, 1))?.revision === 4_999);
    const next = scene.node();
    expect(await next.read()).toMatchObject({ state: countedTo(5_000) });
    expect(next.log.lines).toEqual([]);
  });

  test('with a right digest of another stream changes no answer', async () => {
    await using scene = await savedScene();
    const snapshots = openSnapshots({ store: scene.snapshots, clock: scene.clock, log: collectedLog() });
    const { eventId } = await stored(scene);
    snapshots.save('count-2', stateForm<Count>(1), { state: countedTo(1), revision: 3_999, eventId }, () => {});
    await turnsUntil(async () => (await scene.snapshots.load('count-2', 1)) !== null);
    const theirs = await scene.snapshots.load('count-2', 1);
    const { saved } = notedSnapshots(scene.snapshots, { load: async () => theirs });
    expect(await scene.node({ saved }).read()).toMatchObject({ state: countedTo(5_000), revision: 4_999 });
  });

  test('of another version is not read, and stays for the nodes of that version', async () => {
    await using scene = await savedScene();
    const newer = scene.node({ version: 2 });
    expect(await newer.read()).toMatchObject({ state: countedTo(5_000), revision: 4_999 });
    expect(newer.script.calls).toHaveLength(11);
    await turnsUntil(async () => (await scene.snapshots.load(STREAM, 2)) !== null);
    expect((await stored(scene)).revision).toBe(3_999);
    expect((await stored(scene, 2)).revision).toBe(4_999);
  });

  test('that was deleted changes no answer', async () => {
    await using scene = await savedScene();
    await scene.snapshots.removeBefore(Number.MAX_SAFE_INTEGER);
    expect(await scene.node().read()).toMatchObject({ state: countedTo(5_000), revision: 4_999 });
  });

  test('of a log that was replaced by an older copy of itself changes no answer, also when it has grown again', async () => {
    await using scene = longScene();
    await countTo(scene.store, 1_500);
    copyFileSync(scene.directory.file('events.db-wal'), scene.directory.file('copy.db-wal'));
    copyFileSync(scene.directory.file('events.db'), scene.directory.file('copy.db'));
    await countTo(scene.store, 4_000, seededIds(2));
    await scene.node().read();
    await turnsUntil(async () => (await scene.snapshots.load(STREAM, 1)) !== null);
    const right = await stored(scene);
    const copy = openEventStore(scene.directory.file('copy.db'));
    expect(await scene.node({ events: copy }).read()).toMatchObject({ state: countedTo(1_500), revision: 1_499 });
    await turnsUntil(async () => (await scene.snapshots.load(STREAM, 1))?.revision === 1_499);
    await scene.snapshots.save(right, 0);
    await repeatUpTo(copy, 5_000, 7);
    const { sum } = countedTo(1_500);
    const state = { count: 5_000, sum: sum + 3_500 * 7 };
    expect(await scene.node({ events: copy }).read()).toMatchObject({ state, revision: 4_999 });
    await copy.close();
  });
});

describe('a store of snapshots', () => {
  const fails = (): Promise<never> => Promise.reject(new StoreUnavailable('snapshots', 'the server is unavailable'));

  test('that is unavailable changes no answer; it is logged once, and nothing is repeated', async () => {
    await using scene = await savedScene();
    const { calls, saved } = notedSnapshots(scene.snapshots, { load: fails, save: fails, remove: fails });
    const node = scene.node({ saved });
    expect(await node.read()).toMatchObject({ state: countedTo(5_000), revision: 4_999 });
    await node.addAll(5_001, 6_500);
    await turnsUntil(() => calls.length === 3);
    expect(calls).toEqual([`load ${STREAM} v1`, `save ${STREAM} at 4999`, `save ${STREAM} at 5999`]);
    expect(node.log.lines.map(({ happening }) => happening)).toEqual([
      'snapshots are not available: long streams load slowly',
    ]);
    await node.snapshotting.stop();
  });

  test('that does not answer delays a load by a second, and no append', async () => {
    await using scene = await savedScene();
    const silent: Partial<SnapshotStore> = { load: () => new Promise(() => {}), save: () => new Promise(() => {}) };
    const { calls, saved } = notedSnapshots(scene.snapshots, silent);
    const node = scene.node({ saved });
    expect(await node.read()).toMatchObject({ state: countedTo(5_000), revision: 4_999 });
    await node.addAll(5_001, 7_500);
    await turnsUntil(() => calls.length === 2);
    expect(calls).toEqual([`load ${STREAM} v1`, `save ${STREAM} at 4999`]);
    await node.snapshotting.stop();
  });

  test('gets one snapshot at a time; of those that wait, sixteen are kept', async () => {
    await using scene = longScene();
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    const { calls, saved } = notedSnapshots(scene.snapshots, { save: () => answered });
    const snapshots = openSnapshots({ store: saved, clock: scene.clock, log: collectedLog() });
    const after = { state: countedTo(1), revision: 0, eventId: '' };
    for (let at = 0; at < 30; at++) snapshots.save(`count-${at}`, stateForm<Count>(1), after, () => {});
    await turnsUntil(() => calls.length === 1);
    resolve();
    await turnsUntil(() => calls.length >= 17);
    await snapshots.stop();
    expect(calls).toEqual(Array.from({ length: 17 }, (_, at) => `save count-${at} at 0`));
  });

  test('gets none after the stop, which drops those that wait', async () => {
    await using scene = longScene();
    const { calls, saved } = notedSnapshots(scene.snapshots);
    const snapshots = openSnapshots({ store: saved, clock: scene.clock, log: collectedLog() });
    const after = { state: countedTo(1), revision: 0, eventId: '' };
    for (let at = 0; at < 3; at++) snapshots.save(`count-${at}`, stateForm<Count>(1), after, () => {});
    await snapshots.stop();
    snapshots.save('count-4', stateForm<Count>(1), after, () => {});
    await snapshots.stop();
    expect(calls).toEqual(['save count-0 at 0']);
  });
});
