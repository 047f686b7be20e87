import { describe, expect, test } from 'bun:test';
import { inventoryProjection } from '../../../projections/inventory/projection.ts';
import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { upcomingAllotments, upcomingTestAllotments } from '../../../src/app/live-views.ts';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { type AllotmentEvent, allotmentCodec } from '../../../src/domain/allotment/events.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import type { ReadModelStore, StoredDocument } from '../../../src/ports/read-model-store.ts';
import { servingCollection } from '../../../src/runtime/builds.ts';
import { openLiveView } from '../../../src/runtime/live-view.ts';
import { Progress } from '../../../src/runtime/progress.ts';
import { openProjector } from '../../../src/runtime/projector.ts';
import { runProjection } from '../../../src/runtime/run-projection.ts';
import type { Kept } from '../../../src/runtime/view.ts';
import { movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { activityId, aSchedule, bookingId, claimId, date } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { positionAt, SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** More than a view looks at in one batch, to drop what is not kept. */
const MANY = 1_500;

/** Allotments in a log, and a view of those that are kept. */
async function scene() {
  const directory = temporaryDirectory();
  const store = decoded(openEventStore(directory.file('events.db')));
  const readModels = openReadModelStore(directory.file('read-models.db'));
  const [ids, log, clock] = [seededIds(), collectedLog(), movedClock()];
  const collection = await servingCollection(inventoryProjection, readModels);
  const closing: (() => Promise<void>)[] = [];
  let read = 0;
  return {
    log,
    clock,
    /** Documents that views have read from the store. */
    get read(): number {
      return read;
    },
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
    async view(kept?: Kept, groupOf?: (doc: InventoryDocument) => string) {
      const view = await openLiveView({
        projection: inventoryProjection,
        collection: () => Promise.resolve(collection),
        store,
        readModels: counting(readModels, (documents) => {
          read += documents;
        }),
        log,
        ...(kept && { kept }),
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

/** The store; `note` gets the number of documents of each read. */
function counting(readModels: ReadModelStore, note: (documents: number) => void): ReadModelStore {
  return {
    ...readModels,
    async find(...query) {
      const page = await readModels.find(...query);
      note(page.items.length);
      return page;
    },
    async *scan(collection) {
      for await (const document of readModels.scan(collection)) {
        note(1);
        yield document;
      }
    },
  };
}

function opened(activity: string, on: string): AllotmentEvent {
  return { type: 'AllotmentOpened', data: aSchedule({ activityId: activityId(activity), date: date(on) }) };
}

const CLAIMED: AllotmentEvent = {
  type: 'SlotsClaimed',
  data: { unpaidBy: null, claim: claimId('c'), booking: bookingId('b'), size: 4, deadlineMs: 0, pricing: null },
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
    await at.append('a-2026-11-21', 1, CLAIMED);
    await view.passed(await at.head());
    expect(view.get('a-2026-11-21')?.taken).toBe(4);
  });

  test('counts the changes of each group', async () => {
    await using at = await scene();
    const view = await at.view(undefined, ({ activityId: id }) => id);
    const changed = async (change: () => Promise<void>): Promise<readonly boolean[]> => {
      const before = ['a', 'b'].map((group) => view.changesIn(group));
      await change();
      await view.passed(await at.head());
      return ['a', 'b'].map((group, index) => view.changesIn(group) !== before[index]);
    };
    expect(await changed(() => at.append('a-2026-11-21', 0, opened('a', '2026-11-21')))).toEqual([true, false]);
    expect(await changed(() => at.append('b-2026-11-21', 0, opened('b', '2026-11-21')))).toEqual([false, true]);
    expect(await changed(() => at.append('b-2026-11-21', 1, CLAIMED))).toEqual([false, true]);
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
    const view = await at.view(upcomingAllotments(at.clock));
    expect([...view.values()].map(({ date: on }) => on as string)).toEqual(['2026-11-21', '2027-11-20']);
    await at.append('b-2026-11-10', 1, CLAIMED);
    await view.passed(await at.head());
    expect(view.get('b-2026-11-10')).toBeUndefined();
    expect(at.log.lines).toEqual([]);
  });

  test('reads no past date at its start', async () => {
    await using at = await scene();
    const past = Array.from({ length: 100 }, (_, ago) => addDays(date('2026-11-10'), -ago));
    await Promise.all(past.map((on) => at.append(`a-${on}`, 0, opened('a', on))));
    for (const on of ['2026-11-21', '2026-12-24']) await at.append(`b-${on}`, 0, opened('b', on));
    await at.append('b-2026-12-24', 1, CLAIMED);
    await at.project();
    const view = await at.view(upcomingAllotments(at.clock));
    expect(Array.from(view.values(), ({ date: on, taken }) => [on as string, taken])).toEqual([
      ['2026-11-21', 0],
      ['2026-12-24', 4],
    ]);
    expect(at.read).toBe(2);
  });

  test('reads no test allotment of a past day, whatever its date', async () => {
    await using at = await scene();
    const ids = ['test.2026-11-18.a-2026-12-24', 'test.2026-11-19.a-2026-12-24', 'test.2026-11-21.b-2026-12-24'];
    for (const id of ids) await at.append(id, 0, opened('a', '2026-12-24'));
    await at.project();
    const view = await at.view(upcomingTestAllotments(at.clock));
    expect(ids.map((id) => view.get(id) !== undefined)).toEqual([false, true, true]);
    expect(at.read).toBe(2);
  });

  test('drops dates that pass with the next events, and ignores their later events', async () => {
    await using at = await scene();
    await at.append('a-2026-11-21', 0, opened('a', '2026-11-21'));
    await at.append('a-2026-11-21', 1, CLAIMED);
    const view = await at.view(upcomingAllotments(at.clock), ({ date: on }) => on);
    const held = async (): Promise<readonly string[]> => {
      await view.passed(await at.head());
      return [...view.values()].map(({ activityId: id }) => id as string);
    };
    expect(await held()).toEqual(['a']);
    at.clock.advance(4 * DAY_MS);
    await at.append('b-2026-11-25', 0, opened('b', '2026-11-25'));
    expect(await held()).toEqual(['b']);
    expect([...view.inGroup('2026-11-21')]).toEqual([]);
    await at.append('a-2026-11-21', 2, RELEASED);
    expect(await held()).toEqual(['b']);
    expect(at.log.lines).toEqual([]);
  });

  test('drops many dates in several batches', async () => {
    await using at = await scene();
    const names = Array.from({ length: MANY }, (_, index) => `a${index}`);
    await Promise.all(names.map((name) => at.append(`${name}-2026-11-21`, 0, opened(name, '2026-11-21'))));
    const view = await at.view(upcomingAllotments(at.clock));
    expect([...view.values()]).toHaveLength(MANY);
    at.clock.advance(4 * DAY_MS);
    for (const name of ['b', 'c', 'd']) {
      await at.append(`${name}-2026-11-25`, 0, opened(name, '2026-11-25'));
      await view.passed(await at.head());
    }
    expect([...view.values()].map(({ activityId: id }) => id as string)).toEqual(['b', 'c', 'd']);
  });
});

describe('a date', () => {
  test('is upcoming until it has passed everywhere, and never again after that', () => {
    const clock = movedClock();
    const { keeps } = upcomingAllotments(clock);
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
