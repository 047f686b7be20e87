import { describe, expect, test } from 'bun:test';
import { keysProjection } from '../../../projections/keys/projection.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { openProjector } from '../../../src/runtime/projector.ts';
import { decoded } from '../../support/decoded.ts';
import { faultOf } from '../../support/fault.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const A_LONG_TIME_MS = 20_000;
const SERVING = `keys.v${keysProjection.version}.b1`;
const REBUILT = `keys.v${keysProjection.version}.b2`;
const AWAY = new StoreUnavailable('read models', 'gone');

/** A projection that runs, over read models that go away at a call of a test's choice and come back when it says so. */
async function scene() {
  const directory = temporaryDirectory();
  const store = decoded(openEventStore(directory.file('events.db')));
  const engine = openReadModelStore(directory.file('read-models.db'));
  const [ids, log] = [seededIds(), collectedLog()];
  let away = false;
  const there = (): void => {
    if (away) throw AWAY;
  };
  const readModels: ReadModelStore = {
    ...engine,
    async commit(...args) {
      there();
      return engine.commit(...args);
    },
    async checkpoint(collection) {
      there();
      return engine.checkpoint(collection);
    },
    async drop(collection) {
      there();
      return engine.drop(collection);
    },
  };
  let count = 0;
  const deactivate = async (key = count++, revision = -1): Promise<Position> => {
    const event = apiKeyCodec.encode({ type: 'KeyDeactivated', data: { at: SOME_CAUSE.at } });
    const added = { id: ids.uuid(), ...event, cause: SOME_CAUSE };
    const outcome = await store.append(`apikey-key_${key}`, revision, [added]);
    if (outcome.kind !== 'appended') throw new Error(outcome.kind);
    return outcome.position;
  };
  const open = () => openProjector([keysProjection], { store, readModels, log });
  const projector = await open();
  expect(await projector.waitFor('keys', await deactivate(), A_LONG_TIME_MS)).toBe(true);
  return {
    engine,
    readModels,
    projector,
    deactivate,
    log,
    open,
    goAway(): void {
      away = true;
    },
    comeBack(): void {
      away = false;
    },
    async [Symbol.asyncDispose]() {
      await projector.stop();
      await store.close();
      await engine.close();
      directory.remove();
    },
  };
}

describe('a rebuild that fails while its engine is unavailable', () => {
  test('lets the old build continue as soon as the engine is available again', async () => {
    await using at = await scene();
    at.readModels.differing = () => {
      at.goAway();
      throw AWAY;
    };
    expect(await faultOf(() => at.projector.rebuild('keys'))).toBe(AWAY);
    const position = await at.deactivate();
    expect(at.projector.rebuilding('keys')).toBe(false);
    at.comeBack();
    expect(await at.projector.waitFor('keys', position, A_LONG_TIME_MS)).toBe(true);
    expect(at.projector.collection('keys')).toBe(SERVING);
    expect(await at.engine.load(SERVING, ['key_0', 'key_1'])).toHaveProperty('size', 2);
  });

  test('leaves a build that it cannot drop to the next start', async () => {
    await using at = await scene();
    at.readModels.differing = () => {
      at.goAway();
      throw AWAY;
    };
    expect(await faultOf(() => at.projector.rebuild('keys'))).toBe(AWAY);
    expect(await at.engine.collections()).toEqual([SERVING, REBUILT]);
    expect(at.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { happening: 'new build not dropped', facts: { collection: REBUILT, fault: AWAY } },
    ]);
    at.comeBack();
    const next = await at.open();
    expect(await at.engine.collections()).toEqual([SERVING]);
    await next.stop();
  });

  test('keeps its build where the pointer may name it, since the answer was lost', async () => {
    await using at = await scene();
    at.readModels.movePointer = async (name, from, to) => {
      const moved = await at.engine.movePointer(name, from, to);
      if (name === `keys.v${keysProjection.version}`) throw AWAY;
      return moved;
    };
    expect(await faultOf(() => at.projector.rebuild('keys'))).toBe(AWAY);
    expect(await at.engine.pointer(`keys.v${keysProjection.version}`)).toBe(REBUILT);
    expect(await at.engine.load(REBUILT, ['key_0'])).toHaveProperty('size', 1);
    expect(await at.projector.waitFor('keys', await at.deactivate(), A_LONG_TIME_MS)).toBe(true);
  });
});

describe('the comparison of a rebuild', () => {
  test('lets the serving build follow the log', async () => {
    await using at = await scene();
    const seen: boolean[] = [];
    at.readModels.differing = async function* (left, right) {
      for (let n = 0; n < 3; n++) seen.push(await at.projector.waitFor('keys', await at.deactivate(), A_LONG_TIME_MS));
      yield* at.engine.differing(left, right);
    };
    expect((await at.projector.rebuild('keys')).differences).toEqual([]);
    expect(seen).toEqual([true, true, true]);
    expect(at.projector.collection('keys')).toBe(REBUILT);
    expect(await at.engine.load(REBUILT, ['key_0', 'key_1', 'key_2', 'key_3'])).toHaveProperty('size', 4);
  });

  test('takes two deleted documents for equal, also if the stream that deleted one is erased', async () => {
    await using at = await scene();
    const position = await at.deactivate();
    expect(await at.projector.waitFor('keys', position, A_LONG_TIME_MS)).toBe(true);
    const write = { id: 'key_of_an_erased_stream', doc: null, position, loaded: null };
    expect(await at.engine.commit(SERVING, [write], position)).toEqual({ missed: [] });
    expect((await at.projector.rebuild('keys')).differences).toEqual([]);
  });

  test('finds a damaged document, and takes none for damaged that only one build has changed already', async () => {
    await using at = await scene();
    const damaged = await at.deactivate();
    expect(await at.projector.waitFor('keys', damaged, A_LONG_TIME_MS)).toBe(true);
    const write = { id: 'key_1', doc: { damaged: true }, position: damaged, loaded: damaged };
    expect(await at.engine.commit(SERVING, [write], damaged)).toEqual({ missed: [] });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let [holding, comparing] = [false, false];
    at.readModels.commit = async (collection, ...rest) => {
      if (holding && collection === REBUILT) await held;
      return at.engine.commit(collection, ...rest);
    };
    at.readModels.checkpoints = async (collections) => {
      comparing = true;
      return at.engine.checkpoints(collections);
    };
    at.readModels.load = async (collection, ids) => {
      const loaded = await at.engine.load(collection, ids);
      if (comparing && collection === REBUILT) release();
      return loaded;
    };
    const yielded: string[] = [];
    at.readModels.differing = async function* (left, right) {
      holding = true;
      // One that both have, and one that only the serving build has so far.
      await at.deactivate(0, 0);
      expect(await at.projector.waitFor('keys', await at.deactivate(), A_LONG_TIME_MS)).toBe(true);
      for await (const id of at.engine.differing(left, right)) {
        yielded.push(id);
        yield id;
      }
    };
    expect((await at.projector.rebuild('keys')).differences).toEqual(['key_1']);
    expect(yielded).toEqual(['key_0', 'key_1', 'key_2']);
  });
});
