import { expect, test } from 'bun:test';
import { inventoryProjection } from '../../../projections/inventory/projection.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { upcomingAllotments } from '../../../src/app/live-views.ts';
import { CITY_NAMES } from '../../../src/domain/activity/cities.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import { MAX_PAGE } from '../../../src/ports/read-model-store.ts';
import { View } from '../../../src/runtime/view.ts';
import { movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { collectedLog } from '../../support/log.ts';

const COLLECTION = 'inventory.v1';
/** More than a page in all cities, less in each. */
const ACTIVITIES_OF_CITY = Math.ceil((MAX_PAGE + 1) / CITY_NAMES.length);

test('the upcoming allotments of all cities are read page by page, without a find for each city', async () => {
  const [store, readModels] = [decoded(openEventStore(':memory:')), openReadModelStore(':memory:')];
  const activitiesOn = { '2026-11-18': 1, '2026-11-21': ACTIVITIES_OF_CITY, '2026-12-24': 1 };
  const writes = Object.entries(activitiesOn).flatMap(([date, activities]) =>
    CITY_NAMES.flatMap((city) =>
      Array.from({ length: activities }, (_, n) => ({
        id: `${city}-${n}-${date}`,
        doc: { city, date },
        position: START,
        loaded: null,
      })),
    ),
  );
  await readModels.ensure(COLLECTION, inventoryProjection.indexes);
  await readModels.commit(COLLECTION, writes, START);
  let finds = 0;
  const view = new View({
    projection: inventoryProjection,
    collection: () => Promise.resolve(COLLECTION),
    store,
    readModels: {
      ...readModels,
      find(...query) {
        finds++;
        return readModels.find(...query);
      },
    },
    log: collectedLog(),
    kept: upcomingAllotments(movedClock()),
    groupOf: ({ date }) => date,
  });
  await view.load();
  const loaded = Object.keys(activitiesOn).map((date) => [...view.inGroup(date)].length);
  expect(loaded).toEqual([0, CITY_NAMES.length * ACTIVITIES_OF_CITY, CITY_NAMES.length]);
  expect(finds).toBe(2);
  await Promise.all([store.close(), readModels.close()]);
});
