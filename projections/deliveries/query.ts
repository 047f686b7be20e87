import type { DeliveryId, WebhookEvent } from '../../src/domain/delivery/delivery.ts';
import type { BookingId, KeyId } from '../../src/domain/ids.ts';
import type { Cursor, Find, ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type FilteredPage, filteredPage } from '../filtered-page.ts';
import type { DeliveryDocument, EventDelivery, TestDelivery } from './read-model.ts';

/** Statuses in the delivery log. A delivery without an attempt is not in the log. */
export const LOGGED_STATUSES = ['success', 'retrying', 'failed'] as const;
export type LoggedStatus = (typeof LOGGED_STATUSES)[number];

/** A delivery with at least one attempt. */
export type LoggedDelivery = LoggedEvent | (TestDelivery & { readonly status: LoggedStatus });
export type LoggedEvent = EventDelivery & { readonly status: LoggedStatus };

export type DeliveriesQuery = {
  /** Null: of all keys. */
  readonly keyId: KeyId | null;
  readonly status: LoggedStatus | null;
  readonly event: WebhookEvent | null;
  readonly bookingId: BookingId | null;
  /** Range of the scheduling time, ISO 8601 UTC: `from` is inclusive, `to` exclusive. */
  readonly from: string;
  readonly to: string | null;
  /** Order by scheduling time. */
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  readonly after: Cursor | null;
};

/** Deliveries, sorted by scheduling time. */
export function listDeliveries(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  query: DeliveriesQuery,
): Promise<FilteredPage<LoggedDelivery>> {
  const { keyId, status, event, from, to, direction, limit, after } = query;
  return filteredPage<DeliveryDocument, LoggedDelivery>(readModels, collection, {
    find: {
      ...indexedOf(query),
      range: { field: 'scheduledAt', from, ...(to === null ? {} : { to }) },
      sort: { field: 'scheduledAt', direction },
    },
    matches: (delivery): delivery is LoggedDelivery =>
      isLogged(delivery) &&
      (keyId === null || delivery.keyId === keyId) &&
      (status === null || delivery.status === status) &&
      (event === null || delivery.event === event),
    sortValueOf: ({ scheduledAt }) => scheduledAt,
    limit,
    after,
  });
}

/** The filters that one of the projection's indexes serves. */
function indexedOf({ keyId, event, status, bookingId }: DeliveriesQuery): Pick<Find, 'where' | 'merge'> {
  if (bookingId !== null) return { where: { bookingId } };
  const where = {
    ...(keyId !== null && { keyId }),
    ...(event !== null && { event }),
    status: status ?? LOGGED_STATUSES,
  };
  return { where, merge: 'status' };
}

/** A delivery of the key (null: of any), scheduled at `from` (ISO 8601 UTC) or later and in the log, else null. */
export async function findDelivery(
  readModels: ReadModelStore,
  collection: string,
  { id, keyId, from }: { readonly id: DeliveryId; readonly keyId: KeyId | null; readonly from: string },
): Promise<LoggedDelivery | null> {
  const found = (await readModels.load(collection, [id])).get(id);
  const delivery = found?.doc as DeliveryDocument | null | undefined;
  if (delivery === undefined || delivery === null || delivery.scheduledAt < from) return null;
  if (keyId !== null && delivery.keyId !== keyId) return null;
  return isLogged(delivery) ? delivery : null;
}

function isLogged(delivery: DeliveryDocument): delivery is LoggedDelivery {
  return delivery.status !== 'scheduled';
}

/** False for a test. */
export function isOfEvent(delivery: LoggedDelivery): delivery is LoggedEvent {
  return !('test' in delivery);
}
