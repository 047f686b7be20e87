import { describe, expect, test } from 'bun:test';
import { inventoryProjection } from '../../../projections/inventory/projection.ts';
import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { hasUpcomingDate } from '../../../src/app/live-views.ts';
import { type AllotmentEvent, allotmentCodec } from '../../../src/domain/allotment/events.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import type { StoredDocument } from '../../../src/ports/read-model-store.ts';
import { servingCollection } from '../../../src/runtime/builds.ts';
import { openLiveView } from '../../../src/runtime/live-view.ts';
import { Progress } from '../../../src/runtime/progress.ts';
import { openProjector } from '../../../src/runtime/projector.ts';
import { runProjection } from '../../../src/runtime/run-projection.ts';
import { movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { activityId, aSchedule, bookingId, claimId, date } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { positionAt, SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A view first looks for what is not kept when it holds so many. */
const MANY = 1_000;

/** Allotments in a log, and a view of those that are kept. */
async function scene() {
  const directory = temporaryDirectory();
  const store = decoded(openEventStore(directory.file('events.db')));
  const readModels = openReadModelStore(directory.file('read-models.db'));
  const [ids, log, clock] = [seededIds(), collectedLog(), movedClock()];
  const collection = await servingCollection(inventoryProjection, readModels);
  const closing: (() => Promise<void>)[] = [];
  return {
    log,
    clock,
    async append(allotment: string, revision: number, event: AllotmentEvent): Promise<void> {
      const added = { id: ids.uuid(), ...allotmentCodec.encode(event), cause: SOME_CAUSE };
      const outcome = await store.append(`allotment-${allotment}`, revision - 1, [added]);
      expect(outcome.kind).toBe('appended');
    },
    head: () => store.head(),
    /** Folds the log into the collection that a view is loaded from. */
    async project(): Promise<void> {
      const { signal } = new AbortController();
      const until = await store.head();
      await runProjection({
        projection: inventoryProjection,
        collection,
        store,
        readModels,
        log,
        signal,
        until,
        progress: new Progress(),
      });
    },
    async view(keeps?: (id: string) => boolean, groupOf?: (doc: InventoryDocument) => string) {
      const view = await openLiveView({
        projection: inventoryProjection,
        collection: () => Promise.resolve(collection),
        store,
        readModels,
        log,
        ...(keeps && { keeps }),
        ...(groupOf && { groupOf }),
      });
      closing.push(() => view.stop());
      return view;
    },
    /** Opens a view; as soon as it has read one document, a rebuild ends, and the old build is dropped. */
    async viewWhileReplaced() {
      const projector = await openProjector([inventoryProjection], { store, readModels, log });
      closing.push(() => projector.stop());
      const scan = async function* (from: string): AsyncIterable<StoredDocument> {
        for await (const document of readModels.scan(from)) {
          yield document;
          if (from !== collection) continue;
          await projector.rebuild('inventory');
          await readModels.drop(collection);
          return;
        }
      };
      const view = await openLiveView({
        projection: inventoryProjection,
        collection: () => Promise.resolve(projector.collection('inventory')),
        store,
        readModels: { ...readModels, scan },
        log,
      });
      closing.push(() => view.stop());
      return view;
    },
    async [Symbol.asyncDispose]() {
      for (const close of closing) await close();
      await store.close();
      await readModels.close();
      directory.remove();
    },
  };
}

function opened(activity: string, on: string): AllotmentEvent {
  return { type: 'AllotmentOpened', data: aSchedule({ activityId: activityId(activity), date: date(on) }) };
}

const CLAIMED: AllotmentEvent = {
  type: 'SlotsClaimed',
  data: { claim: claimId('c'), booking: bookingId('b'), size: 4, deadlineMs: 0, pricing: null },
};
const RELEASED: AllotmentEvent = { type: 'SlotsReleased', data: { claim: claimId('c'), size: 4 } };

describe('a live view', () => {
  test('loads its read model, then follows the log', async () => {
    await using at = await scene();
    await at.append('a-2026-11-21', 0, opened('a', '2026-11-21'));
    await at.project();
    await at.append('b-2026-11-21', 0, opened('b', '2026-11-21'));
    const view = await at.view();
    expect([...view.values()].map(({ activityId: id }) => id as string)).toEqual(['a', 'b']);
    const before = view.changes();
    await at.append('a-2026-11-21', 1, CLAIMED);
    await view.passed(await at.head());
    expect(view.get('a-2026-11-21')?.taken).toBe(4);
    expect(view.changes()).not.toBe(before);
  });

  test('loads the serving build where another node replaces and drops the first one meanwhile', async () => {
    await using at = await scene();
    await at.append('a-2026-11-21', 0, opened('a', '2026-11-21'));
    await at.append('b-2026-11-21', 0, opened('b', '2026-11-21'));
    await at.project();
    const view = await at.viewWhileReplaced();
    expect([...view.values()].map(({ activityId: id }) => id as string)).toEqual(['a', 'b']);
  });

  test('finds the documents of a group, also after a change of the group', async () => {
    await using at = await scene();
    await at.append('a-2026-11-21', 0, opened('a', '2026-11-21'));
    await at.project();
    const view = await at.view(undefined, ({ taken }) => (taken > 0 ? 'touched' : 'untouched'));
    await at.append('b-2026-11-21', 0, opened('b', '2026-11-21'));
    const groups = async (): Promise<readonly string[][]> => {
      await view.passed(await at.head());
      return ['untouched', 'touched', 'unheard of'].map((group) =>
        Array.from(view.inGroup(group), (doc) => doc.activityId),
      );
    };
    expect(await groups()).toEqual([['a', 'b'], [], []]);
    await at.append('a-2026-11-21', 1, CLAIMED);
    expect(await groups()).toEqual([['b'], ['a'], []]);
    await at.append('a-2026-11-21', 2, RELEASED);
    expect(await groups()).toEqual([['b', 'a'], [], []]);
  });

  test('waits for a position no longer than the timeout', async () => {
    await using at = await scene();
    const view = await at.view();
    await view.passed(positionAt(99), 1);
    expect(at.log.lines).toEqual([]);
  });
});

describe('a live view of dates that have not passed', () => {
  test('holds no past dates, neither loaded nor followed', async () => {
    await using at = await scene();
    await at.append('a-2026-11-10', 0, opened('a', '2026-11-10'));
    await at.append('a-2026-11-21', 0, opened('a', '2026-11-21'));
    await at.project();
    await at.append('b-2026-11-10', 0, opened('b', '2026-11-10'));
    await at.append('b-2027-11-20', 0, opened('b', '2027-11-20'));
    const view = await at.view(hasUpcomingDate(at.clock));
    expect([...view.values()].map(({ date: on }) => on as string)).toEqual(['2026-11-21', '2027-11-20']);
    await at.append('b-2026-11-10', 1, CLAIMED);
    await view.passed(await at.head());
    expect(view.get('b-2026-11-10')).toBeUndefined();
    expect(at.log.lines).toEqual([]);
  });

  test('drops dates that pass, and ignores their later events', async () => {
    await using at = await scene();
    const names = Array.from({ length: MANY - 1 }, (_, index) => `a${index}`);
    await Promise.all(names.map((name) => at.append(`${name}-2026-11-21`, 0, opened(name, '2026-11-21'))));
    await at.append('a0-2026-11-21', 1, CLAIMED);
    const view = await at.view(hasUpcomingDate(at.clock));
    expect([...view.values()]).toHaveLength(MANY - 1);
    at.clock.advance(4 * DAY_MS);
    await at.append('b-2026-11-25', 0, opened('b', '2026-11-25'));
    await view.passed(await at.head());
    expect([...view.values()].map(({ activityId: id }) => id as string)).toEqual(['b']);
    await at.append('a0-2026-11-21', 2, RELEASED);
    await view.passed(await at.head());
    expect([...view.values()]).toHaveLength(1);
    expect(at.log.lines).toEqual([]);
  });
});

describe('a date', () => {
  test('is upcoming until it has passed everywhere, and never again after that', () => {
    const clock = movedClock();
    const keeps = hasUpcomingDate(clock);
    expect(['a-2026-11-18', 'a-2026-11-19', 'a-b-2026-11-21', 'a-2027-11-21'].map(keeps)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    clock.advance(DAY_MS);
    expect(keeps('a-2026-11-19')).toBe(false);
    clock.advance(-DAY_MS);
    expect(keeps('a-2026-11-19')).toBe(false);
  });
});
