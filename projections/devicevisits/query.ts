import type { BookingId, DeviceId } from '../../src/domain/ids.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type FilteredPage, filteredPage } from '../filtered-page.ts';
import type { DeviceVisit } from './read-model.ts';

type VoidedVisit = DeviceVisit & { readonly voidedAt: string; readonly reason: string };

/** The visits of a device that count, oldest scan first. `more`: there are others beyond the limit. */
export async function visitsToVoid(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  query: {
    readonly deviceId: DeviceId;
    /** Times of the scan, ms since the epoch, half-open; null: no bound. */
    readonly fromMs: number | null;
    readonly toMs: number | null;
    readonly limit: number;
  },
): Promise<{ readonly visits: readonly DeviceVisit[]; readonly more: boolean }> {
  const { deviceId, fromMs, toMs, limit } = query;
  const bounds = { ...(fromMs !== null && { from: fromMs }), ...(toMs !== null && { to: toMs }) };
  const page = await readModels.find(collection, {
    where: { deviceId, voidedAt: null },
    range: { field: 'verifiedAtMs', ...bounds },
    sort: { field: 'verifiedAtMs', direction: 'asc' },
    limit,
  });
  // Only the projection's fold writes documents to this collection.
  return { visits: page.items.map(({ doc }) => doc as DeviceVisit), more: page.next !== null };
}

/** Whether the device ever recorded a visit. */
export async function hasVisits(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  deviceId: DeviceId,
): Promise<boolean> {
  return (await readModels.find(collection, { where: { deviceId }, limit: 1 })).items.length > 0;
}

/** The voided visits, latest void first. */
export function listVoided(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  query: {
    /** Null: any. */
    readonly deviceId: DeviceId | null;
    readonly bookingId: BookingId | null;
    readonly limit: number;
    readonly after: Cursor | null;
  },
): Promise<FilteredPage<VoidedVisit>> {
  const { deviceId, bookingId, limit, after } = query;
  return filteredPage<DeviceVisit, VoidedVisit>(readModels, collection, {
    // A visit that counts has null, which is in no range.
    find: { range: { field: 'voidedAt', from: '' }, sort: { field: 'voidedAt', direction: 'desc' } },
    matches: (visit): visit is VoidedVisit =>
      visit.voidedAt !== null &&
      (deviceId === null || visit.deviceId === deviceId) &&
      (bookingId === null || visit.bookingId === bookingId),
    sortValueOf: ({ voidedAt }) => voidedAt ?? '',
    limit,
    after,
  });
}
