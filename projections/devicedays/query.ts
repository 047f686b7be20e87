import type { LocalDate, VenueId } from '../../src/domain/activity/activity.ts';
import { addDays } from '../../src/domain/activity/schedule.ts';
import type { DeviceId } from '../../src/domain/ids.ts';
import type { Cursor, Find, ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type FilteredPage, filteredPage } from '../filtered-page.ts';
import type { DeviceDay } from './read-model.ts';

/** A null filter matches every day. */
export type DeviceDaysQuery = {
  readonly deviceId: DeviceId | null;
  readonly venueId: VenueId | null;
  readonly unusual: boolean | null;
  /** Days, both inclusive. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** Devices by day, latest day first. */
export function listDeviceDays(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  query: DeviceDaysQuery,
): Promise<FilteredPage<DeviceDay>> {
  const { deviceId, venueId, unusual, from, to, limit, after } = query;
  const range = { field: 'day', ...(from !== null && { from }), ...(to !== null && { to: addDays(to, 1) }) };
  return filteredPage<DeviceDay, DeviceDay>(readModels, collection, {
    find: { where: indexedOf(query), range, sort: { field: 'day', direction: 'desc' } },
    matches: (day): day is DeviceDay =>
      (deviceId === null || day.deviceId === deviceId) &&
      (venueId === null || day.venueId === venueId) &&
      (unusual === null || day.unusual === unusual),
    sortValueOf: ({ day }) => day,
    limit,
    after,
  });
}

/** The filter with the fewest documents that an index of the projection serves. */
function indexedOf({ deviceId, venueId, unusual }: DeviceDaysQuery): NonNullable<Find['where']> {
  if (deviceId !== null) return { deviceId };
  if (unusual === true) return { unusual };
  return venueId === null ? {} : { venueId };
}
