import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { keysProjection } from '../../projections/keys/projection.ts';
import { DAY_MS, HOUR_MS } from '../../src/eventsourcing/durations.ts';
import type { Position } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { ReadModelStore } from '../../src/ports/read-model-store.ts';
import { collectionName, servingCollection } from '../../src/runtime/builds.ts';
import { pruneVersions, showVersion } from '../../src/runtime/versions.ts';

const GRACE_MS = 7 * DAY_MS;
const GRACE = { graceMs: GRACE_MS, personalGraceMs: HOUR_MS };
const NOON = Date.parse('2026-11-21T12:00:00Z');
const OLD: Projection<object> = { ...keysProjection, version: 1 };
const NEW: Projection<object> = { ...keysProjection, version: 2 };

/** For every engine: only collections of abandoned releases are dropped. */
export function projectionVersionsContract(
  name: string,
  open: () => Promise<{ readonly readModels: ReadModelStore; readonly close: () => Promise<void> }>,
): void {
  describe(`collections of two releases: ${name}`, () => {
    let readModels: ReadModelStore;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ readModels, close } = await open());
    });
    afterEach(() => close());

    /** Starts a node of a release, which folds a document. */
    async function start(release: Projection<object>, atMs: number): Promise<string> {
      await showVersion(release, readModels, atMs);
      const collection = await servingCollection(release, readModels);
      const write = { id: 'a', doc: { of: collection }, position: 1 as Position, loaded: null };
      await readModels.commit(collection, [write], write.position);
      return collection;
    }

    const prune = (release: Projection<object>, nowMs: number) =>
      pruneVersions([release], readModels, { nowMs, ...GRACE });

    test('are kept while nodes of both releases run', async () => {
      await start(OLD, NOON);
      await start(NEW, NOON);
      for (let day = 1; day <= 30; day++) {
        const nowMs = NOON + day * DAY_MS;
        for (const release of [OLD, NEW]) await showVersion(release, readModels, nowMs);
        for (const release of [OLD, NEW]) expect(await prune(release, nowMs)).toEqual([]);
      }
      expect(await readModels.collections()).toEqual(['keys.v1.b1', 'keys.v2.b1']);
    });

    test('with personal data are dropped after a shorter grace', async () => {
      const personal = (release: Projection<object>): Projection<object> => ({ ...release, deletesForEver: true });
      const [older] = [await start(personal(OLD), NOON), await start(personal(NEW), NOON)];
      expect(await prune(personal(NEW), NOON + HOUR_MS - 1)).toEqual([]);
      expect(await prune(personal(NEW), NOON + HOUR_MS)).toEqual([older]);
    });

    test('of the older release are dropped when none of its nodes was seen for the grace, and not before', async () => {
      const [older, newer] = [await start(OLD, NOON), await start(NEW, NOON)];
      await readModels.ensure(collectionName(OLD, 2), []);
      expect(await prune(NEW, NOON + GRACE_MS - 1)).toEqual([]);
      expect(await prune(NEW, NOON + GRACE_MS)).toEqual([older, collectionName(OLD, 2)]);
      expect(await readModels.collections()).toEqual([newer]);
      expect(await readModels.checkpoint(older)).toBeNull();
      expect(await prune(NEW, NOON + GRACE_MS)).toEqual([]);
    });

    test('of the newer release are dropped in the same way after a rollback', async () => {
      const [older, newer] = [await start(OLD, NOON), await start(NEW, NOON)];
      await showVersion(OLD, readModels, NOON + GRACE_MS);
      expect(await prune(OLD, NOON + GRACE_MS)).toEqual([newer]);
      expect(await readModels.collections()).toEqual([older]);
    });

    test('are folded again under an unused name if their release returns', async () => {
      const older = await start(OLD, NOON);
      await start(NEW, NOON);
      await prune(NEW, NOON + GRACE_MS);
      expect(await showVersion(OLD, readModels, NOON + GRACE_MS)).toBe(true);
      const again = await servingCollection(OLD, readModels);
      expect(again).not.toBe(older);
      expect([await readModels.checkpoint(again), await Array.fromAsync(readModels.scan(again))]).toEqual([null, []]);
      expect(await showVersion(OLD, readModels, NOON + GRACE_MS)).toBe(false);
      expect(await servingCollection(OLD, readModels)).toBe(again);
    });

    test('are not affected by a drop that began before their release returned', async () => {
      await start(OLD, NOON);
      await start(NEW, NOON);
      const stood = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      const slow: ReadModelStore = {
        ...readModels,
        async drop(collection) {
          started.resolve();
          await stood.promise;
          await readModels.drop(collection);
        },
      };
      const pruning = pruneVersions([NEW], slow, { nowMs: NOON + GRACE_MS, ...GRACE });
      await started.promise;
      const again = await start(OLD, NOON + GRACE_MS);
      // Two projectors prune concurrently.
      expect(await prune(NEW, NOON + GRACE_MS)).toEqual([]);
      stood.resolve();
      expect(await pruning).toEqual(['keys.v1.b1']);
      expect((await readModels.load(again, ['a'])).get('a')?.doc).toEqual({ of: again });
    });

    test('are dropped by the next projector after an interrupted drop', async () => {
      await start(OLD, NOON);
      await start(NEW, NOON);
      const broken: ReadModelStore = { ...readModels, drop: () => Promise.reject(new Error('killed')) };
      const pruning = pruneVersions([NEW], broken, { nowMs: NOON + GRACE_MS, ...GRACE });
      expect(await pruning.catch(String)).toBe('Error: killed');
      expect(await prune(NEW, NOON + GRACE_MS)).toEqual(['keys.v1.b1']);
    });

    test('are not dropped if a node of their release starts during the decision', async () => {
      const older = await start(OLD, NOON);
      await start(NEW, NOON);
      const raced: ReadModelStore = {
        ...readModels,
        async movePointer(pointer, from, to) {
          if (pointer === 'keys.v1.shown') await showVersion(OLD, readModels, NOON + GRACE_MS);
          return readModels.movePointer(pointer, from, to);
        },
      };
      expect(await pruneVersions([NEW], raced, { nowMs: NOON + GRACE_MS, ...GRACE })).toEqual([]);
      expect(await servingCollection(OLD, readModels)).toBe(older);
    });

    test('of a release never seen are kept for the grace; those of other programs for ever', async () => {
      await servingCollection({ ...OLD, name: 'gone' }, readModels);
      await readModels.ensure('ledger.v1.b1', []);
      await start(NEW, NOON);
      expect(await prune(NEW, NOON + 30 * DAY_MS)).toEqual([]);
      expect(await prune(NEW, NOON + 30 * DAY_MS + GRACE_MS)).toEqual(['gone.v1.b1']);
      expect(await readModels.collections()).toEqual(['keys.v2.b1', 'ledger.v1.b1']);
    });
  });
}
