import { expect, test } from 'bun:test';
import { openService, type Service } from '../../support/service.ts';
import { writeServiceCatalogue } from '../../support/service-catalogue.ts';

const ACTIVITIES = 11;
const RIVER_WALK = '/api/activities/river-walk';

/** The logged counts of each start. */
const starts = ({ logged }: Service) =>
  logged.filter(({ happening }) => happening === 'catalogue loaded').map(({ facts }) => facts);
const activityEvents = async (service: Service) =>
  (await service.events()).filter(({ stream }) => stream.startsWith('activity-'));
const nothing = { activities: ACTIVITIES, commands: 0, listed: 0, retired: 0 };

test('the first start lists every entry, and a restart sends no command', async () => {
  await using service = await openService();
  await service.restart();
  const first = { activities: ACTIVITIES, commands: ACTIVITIES, listed: ACTIVITIES, retired: 0 };
  expect(starts(service)).toEqual([first, nothing]);
});

test('a restart sends commands for new, changed and dropped entries only', async () => {
  await using service = await openService();
  writeServiceCatalogue(service.catalogueDirectory, ['paper-museum'], { 'river-walk': { price: 200 } });
  await service.restart();
  expect(starts(service)[1]).toEqual({ activities: ACTIVITIES - 1, commands: 2, listed: 1, retired: 1 });
  writeServiceCatalogue(service.catalogueDirectory, [], { 'river-walk': { price: 200 } });
  await service.restart();
  expect(starts(service)[2]).toEqual({ activities: ACTIVITIES, commands: 1, listed: 1, retired: 0 });
});

test('under an override, the files are compared with the previous catalogue entry', async () => {
  await using service = await openService();
  const { data } = await service.get(RIVER_WALK, service.admin);
  await service.put(RIVER_WALK, { ...data, price: 300 }, service.admin);
  await service.restart();
  writeServiceCatalogue(service.catalogueDirectory, [], { 'river-walk': { price: 200 } });
  await service.restart();
  writeServiceCatalogue(service.catalogueDirectory, ['river-walk']);
  await service.restart();
  await service.restart();
  expect(starts(service).slice(1)).toEqual([
    nothing,
    { ...nothing, commands: 1, listed: 1 },
    { ...nothing, activities: ACTIVITIES - 1, commands: 1, retired: 1 },
    { ...nothing, activities: ACTIVITIES - 1 },
  ]);
});

test('a rebuilt read model does not list activities again', async () => {
  await using service = await openService();
  const before = await activityEvents(service);
  const { projections, stores } = service.node;
  await stores.readModels.drop(await projections.collection('activities'));
  await service.restart();
  expect(starts(service)[1]).toEqual(nothing);
  expect(await activityEvents(service)).toEqual(before);
});
