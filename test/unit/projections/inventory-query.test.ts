import { expect, test } from 'bun:test';
import { inventoryProjection } from '../../../projections/inventory/projection.ts';
import { type InventoryQuery, inventoryOf, touchedAllotments } from '../../../projections/inventory/query.ts';
import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { initialTerms } from '../../../src/domain/allotment/terms.ts';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import { servingCollection } from '../../../src/runtime/builds.ts';
import { activityId, anActivity, date } from '../../support/examples.ts';
import { positionAt } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const DATE = date('2026-11-22');
/** More than one page of the read model store. */
const MANY = 2_050;
const LISTED_AT = '2026-11-01T00:00:00.000Z';
const SOLD_AT = '2026-11-20T00:00:00.000Z';
const QUESTION: InventoryQuery = {
  city: 'Bangkok',
  date: DATE,
  activityId: null,
  category: null,
  minSlots: 1,
  maxPriceMinor: null,
  flashDealsOnly: false,
};

/** Many activities of one city. Each sold one ticket for the date and one for the next day. */
async function scene() {
  const directory = temporaryDirectory();
  const readModels = openReadModelStore(directory.file('read-models.db'));
  const collection = await servingCollection(inventoryProjection, readModels);
  const ids = Array.from({ length: MANY }, (_, index) => activityId(`walk-${String(index).padStart(4, '0')}`));
  const entries = ids.map((id) => ({ activity: anActivity({ id }), revision: 0, listed: true, updatedAt: LISTED_AT }));
  const sold = entries.flatMap(({ activity }, index) => {
    const { id, city, capacity, priceMinor: unitPriceMinor, currency, cancellation } = activity;
    const terms = initialTerms({ capacity, unitPriceMinor, cancellation, catalogueRevision: 0 });
    return [DATE, date('2026-11-23')].map((day, more) => {
      const taken = (index % 7) + more;
      const doc: InventoryDocument = {
        ...terms,
        activityId: id,
        city,
        date: day,
        taken,
        held: 0,
        cancelledBecause: null,
        cancellationRuns: false,
        currency,
        updatedAt: SOLD_AT,
      };
      return { id: allotmentIdOf(id, day), doc, position: positionAt(1), loaded: null };
    });
  });
  await readModels.commit(collection, sold, positionAt(1));
  const [first] = entries;
  if (first === undefined) throw new Error('there are none');
  return {
    ids,
    capacity: first.activity.capacity,
    find: async (change: Partial<InventoryQuery> = {}) =>
      inventoryOf(
        entries,
        { ...QUESTION, ...change },
        await touchedAllotments(readModels, collection, QUESTION),
        NOW_MS,
      ),
    async [Symbol.asyncDispose]() {
      await readModels.close();
      directory.remove();
    },
  };
}

test(`given ${MANY} booked activities of a city, the inventory shows the free slots of each`, async () => {
  await using at = await scene();
  const found = (await at.find()).map(({ activity, availableSlots, updatedAt }) => [
    activity.id,
    availableSlots,
    updatedAt,
  ]);
  expect(found).toEqual(at.ids.map((id, index) => [id, at.capacity - (index % 7), SOLD_AT]));
});

test('a query for one activity shows its free slots', async () => {
  await using at = await scene();
  for (const [index, id] of [...at.ids.entries()].slice(-7)) {
    const found = (await at.find({ activityId: id })).map(({ activity, availableSlots }) => [
      activity.id,
      availableSlots,
    ]);
    expect(found).toEqual([[id, at.capacity - (index % 7)]]);
  }
});
