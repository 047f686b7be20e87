import { describe, expect, test } from 'bun:test';
import { inventoryProjection } from '../../../projections/inventory/projection.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { allotmentCodec } from '../../../src/domain/allotment/events.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import { nextCollection, servingCollection, staleBuilds } from '../../../src/runtime/builds.ts';
import { openProjector } from '../../../src/runtime/projector.ts';
import { decoded } from '../../support/decoded.ts';
import { activityId, aSchedule, date } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** What a newer release makes of the same events. */
const NEWER: Projection<object> = {
  ...inventoryProjection,
  version: inventoryProjection.version + 1,
  evolve: () => ({ newer: true }),
};

function scene() {
  const directory = temporaryDirectory();
  const store = decoded(openEventStore(directory.file('events.db')));
  const readModels = openReadModelStore(directory.file('read-models.db'));
  return {
    store,
    readModels,
    log: collectedLog(),
    async [Symbol.asyncDispose]() {
      await store.close();
      await readModels.close();
      directory.remove();
    },
  };
}

describe('builds of a projection', () => {
  test('get a new name at every rebuild, also after a build was dropped', async () => {
    await using there = scene();
    const { readModels } = there;
    await servingCollection(inventoryProjection, readModels);
    const both = await Promise.all([1, 2].map(() => nextCollection(inventoryProjection, readModels)));
    expect(both.toSorted()).toEqual(['inventory.v3.b2', 'inventory.v3.b3']);
    expect(await nextCollection(inventoryProjection, readModels)).toBe('inventory.v3.b4');
  });

  test('are stale where they do not serve and belong to this version', async () => {
    await using there = scene();
    const { readModels } = there;
    await servingCollection(inventoryProjection, readModels);
    await servingCollection(NEWER, readModels);
    await readModels.ensure('inventory.v3.b2', []);
    expect(await staleBuilds(inventoryProjection, readModels)).toEqual(['inventory.v3.b2']);
    expect(await staleBuilds(NEWER, readModels)).toEqual([]);
  });

  test('of two versions exist at the same time, each updated by its own release', async () => {
    await using there = scene();
    const { store, readModels, log } = there;
    const opened = {
      type: 'AllotmentOpened',
      data: aSchedule({ activityId: activityId('walk'), date: date('2026-11-22') }),
    };
    const event = allotmentCodec.encode({ ...opened, type: 'AllotmentOpened' });
    await store.append('allotment-walk-2026-11-22', -1, [{ id: seededIds().uuid(), ...event, cause: SOME_CAUSE }]);
    const head = await store.head();
    const older = await openProjector([inventoryProjection], { store, readModels, log, watched: true });
    const newer = await openProjector([NEWER], { store, readModels, log, watched: true });
    for (const projector of [older, newer]) expect(await projector.waitFor('inventory', head, 20_000)).toBe(true);
    await newer.rebuild('inventory');
    expect([older.collection('inventory'), newer.collection('inventory')]).toEqual([
      'inventory.v3.b1',
      'inventory.v4.b2',
    ]);
    const [ours] = await Array.fromAsync(readModels.scan('inventory.v3.b1'));
    const [theirs] = await Array.fromAsync(readModels.scan('inventory.v4.b2'));
    expect(ours?.doc).toMatchObject({ activityId: activityId('walk') });
    expect(theirs?.doc).toEqual({ newer: true });
    expect(ours?.position).not.toBe(START);
    await older.stop();
    await newer.stop();
    expect(log.lines).toEqual([]);
  });
});
