import { describe, expect, test } from 'bun:test';
import { devicesProjection } from '../../../projections/devices/projection.ts';
import { keysProjection } from '../../../projections/keys/projection.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { Progress } from '../../../src/runtime/progress.ts';
import { openProjector } from '../../../src/runtime/projector.ts';
import { openStoredProgress } from '../../../src/runtime/stored-progress.ts';
import { decoded } from '../../support/decoded.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const A_LONG_TIME_MS = 20_000;

/** A log with a key in it, and read models that any number of nodes open. */
async function scene() {
  const directory = temporaryDirectory();
  const store = decoded(openEventStore(directory.file('events.db')));
  const readModels = openReadModelStore(directory.file('read-models.db'));
  const [ids, log] = [seededIds(), collectedLog()];
  const closing: (() => Promise<void>)[] = [];
  const reads: string[] = [];
  const counting: ReadModelStore = {
    ...readModels,
    checkpoints(collections) {
      reads.push(collections.join(' '));
      return readModels.checkpoints(collections);
    },
    pointers(names) {
      reads.push('pointers');
      return readModels.pointers(names);
    },
  };
  let count = 0;
  return {
    store,
    readModels,
    /** Something of a key, in a stream of any category. */
    async deactivate(category = 'apikey'): Promise<Position> {
      const event = apiKeyCodec.encode({ type: 'KeyDeactivated', data: { at: SOME_CAUSE.at } });
      const added = { id: ids.uuid(), ...event, cause: SOME_CAUSE };
      const outcome = await store.append(`${category}-key_${count++}`, -1, [added]);
      if (outcome.kind !== 'appended') throw new Error(outcome.kind);
      return outcome.position;
    },
    /** The reads of `follow`: collections whose checkpoints were read, and pointers. */
    reads,
    async follow(...projections: readonly Projection<object>[]) {
      const all = [keysProjection, ...projections];
      const progress = await openStoredProgress(all, { store, readModels: counting });
      closing.unshift(() => progress.stop());
      return progress;
    },
    async project() {
      const projector = await openProjector([keysProjection], { store, readModels, log, watched: true });
      closing.unshift(() => projector.stop());
      return projector;
    },
    async [Symbol.asyncDispose]() {
      for (const close of closing) await close();
      await store.close();
      await readModels.close();
      directory.remove();
    },
  };
}

describe('projections that another node runs', () => {
  test('are waited for by their stored checkpoints', async () => {
    await using there = await scene();
    const progress = await there.follow();
    const position = await there.deactivate();
    expect(await progress.waitFor('keys', position, 60)).toBe(false);
    await there.project();
    expect(await progress.waitFor('keys', position, A_LONG_TIME_MS)).toBe(true);
    expect((await progress.look())('keys')).toEqual({ collection: 'keys.v6.b1', position });
  });

  test('are waited for at events that they ignore, too', async () => {
    await using there = await scene();
    const progress = await there.follow();
    await there.project();
    await there.deactivate();
    const position = await there.deactivate('elsewhere');
    expect(await progress.waitFor('keys', position, A_LONG_TIME_MS)).toBe(true);
  });

  test('are waited for at events that they ignore, without a new checkpoint', async () => {
    await using there = await scene();
    const projector = await there.project();
    await projector.waitFor('keys', await there.deactivate(), A_LONG_TIME_MS);
    const progress = await there.follow();
    // From here on no checkpoint is stored.
    await projector.stop();
    const over = new AbortController();
    const reading = { reader: 'a reader', categories: ['apikey', 'elsewhere'], apply: () => {}, log: collectedLog() };
    const own = new Progress();
    const following = there.store.follower.follow({ ...reading, progress: own, signal: over.signal });
    await own.reached(await there.deactivate('elsewhere'));
    const position = await there.deactivate('elsewhere');
    expect(await progress.waitFor('keys', position, A_LONG_TIME_MS)).toBe(true);
    expect(await progress.waitFor('keys', await there.deactivate(), 60)).toBe(false);
    over.abort();
    await following;
  });

  test('are not caught up where their checkpoint lies beyond the end of the log', async () => {
    await using there = await scene();
    const position = await there.deactivate();
    const { store, readModels } = there;
    const [collection, beyond] = ['keys.v6.b1', (position + 1) as Position];
    await readModels.ensure(collection, []);
    await readModels.movePointer('keys.v6', null, collection);
    await readModels.commit(collection, [], beyond);
    const { promise: checked, resolve } = Promise.withResolvers<void>();
    const check: typeof store.check = async (checkpoint) => {
      const found = await store.check(checkpoint);
      setImmediate(resolve);
      return found;
    };
    const progress = await openStoredProgress([keysProjection], { store: { ...store, check }, readModels });
    await checked;
    expect(progress.caughtUpOnce()).toBe(false);
    await progress.stop();
  });

  test('are waited for by one read for all calls and projections', async () => {
    await using there = await scene();
    const position = await there.deactivate();
    await there.project();
    const progress = await there.follow(devicesProjection);
    await progress.waitFor('keys', position, A_LONG_TIME_MS);
    // Ends the reads of the catch-up.
    await progress.stop();
    there.reads.length = 0;
    const later = (position + 1) as Position;
    const names = ['keys', 'devices', 'keys', 'devices', 'keys'];
    const waits = await Promise.all(names.map((name) => progress.waitFor(name, later, 110)));
    expect(waits).toEqual(names.map(() => false));
    const checkpoints = there.reads.filter((read) => read !== 'pointers');
    // One for the first call, one for the others, and then one in 25 ms.
    expect(checkpoints.length).toBeLessThanOrEqual(7);
    expect(new Set(checkpoints.slice(1))).toEqual(new Set(['keys.v6.b1 devices.v3.b1']));
    expect(there.reads.length - checkpoints.length).toBeLessThanOrEqual(1);
  });

  test('that this process runs are waited for without a read, until it stops them', async () => {
    await using there = await scene();
    const progress = await there.follow();
    const projector = await there.project();
    const leave = progress.runsHere('keys', projector);
    await progress.waitFor('keys', await there.deactivate(), A_LONG_TIME_MS);
    while (!progress.caughtUpOnce()) await new Promise(setImmediate);
    there.reads.length = 0;
    const position = await there.deactivate();
    expect(await progress.waitFor('keys', position, A_LONG_TIME_MS)).toBe(true);
    expect([await progress.collection('keys'), there.reads]).toEqual([projector.collection('keys'), []]);

    const next = (position + 1) as Position;
    const waiting = progress.waitFor('keys', next, A_LONG_TIME_MS);
    leave();
    expect(await there.deactivate()).toBe(next);
    expect(await waiting).toBe(true);
    expect(there.reads).not.toEqual([]);
  });

  test('are caught up once they have applied what the log held at the start', async () => {
    await using there = await scene();
    const position = await there.deactivate();
    const progress = await there.follow();
    expect([progress.caughtUpOnce(), progress.filling()]).toEqual([false, 'filling 0 % (keys)']);
    await there.project();
    await progress.waitFor('keys', position, A_LONG_TIME_MS);
    while (!progress.caughtUpOnce()) await new Promise(setImmediate);
    expect(progress.filling()).toBeNull();
    await there.deactivate();
    expect(progress.caughtUpOnce()).toBe(true);
  });

  test('are found on an empty database before any node runs them', async () => {
    await using there = await scene();
    const progress = await there.follow();
    expect(await progress.collection('keys')).toBe('keys.v6.b1');
    expect((await progress.look())('keys')).toEqual({ collection: 'keys.v6.b1', position: START });
  });

  test('are looked at by one read of pointers and one of checkpoints', async () => {
    await using there = await scene();
    await there.project();
    const progress = await there.follow(devicesProjection);
    await progress.collection('devices');
    await progress.stop();
    there.reads.length = 0;
    const seen = await progress.look();
    expect(there.reads).toEqual(['pointers', 'keys.v6.b1 devices.v3.b1']);
    expect(seen('devices')).toEqual({ collection: 'devices.v3.b1', position: START });
  });

  test('are read from the serving build, also after another node has replaced it', async () => {
    await using there = await scene();
    const progress = await there.follow();
    const projector = await there.project();
    const before = await there.deactivate();
    expect(await progress.waitFor('keys', before, A_LONG_TIME_MS)).toBe(true);
    expect(await progress.collection('keys')).toBe('keys.v6.b1');
    await projector.rebuild('keys');
    const after = await there.deactivate();
    expect(await progress.waitFor('keys', after, A_LONG_TIME_MS)).toBe(true);
    expect(await progress.collection('keys')).toBe('keys.v6.b2');
  });

  test('with an unknown name are a fault', async () => {
    await using there = await scene();
    const progress = await there.follow();
    expect(() => progress.collection('ghosts')).toThrow('there is no projection "ghosts"');
  });
});
