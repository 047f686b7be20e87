import type { WebhookEvent } from '../../src/domain/apikey/apikey.ts';
import type { BookingId, KeyId } from '../../src/domain/booking/booking.ts';
import type { DeliveryId } from '../../src/domain/delivery/delivery.ts';
import type { Cursor, Find, ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type ListedPage, thinnedPage } from '../thinned.ts';
import type { DeliveryDocument } from './read-model.ts';

/** The states of the log: a delivery that nobody has tried yet is not in it. */
export const LOGGED_STATUSES = ['success', 'retrying', 'failed'] as const;
export type LoggedStatus = (typeof LOGGED_STATUSES)[number];

/** A delivery in the log: somebody has tried it. */
export type LoggedDelivery = DeliveryDocument & { readonly status: LoggedStatus };

export type DeliveriesQuestion = {
  readonly keyId: KeyId;
  readonly status: LoggedStatus | null;
  readonly event: WebhookEvent | null;
  readonly bookingId: BookingId | null;
  /** When they were scheduled, ISO 8601 UTC: `from` is in the range, `to` is not. */
  readonly from: string;
  readonly to: string | null;
  /** By when they were scheduled. */
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  readonly after: Cursor | null;
};

/** The deliveries of a key, in the order of their scheduling. */
export function listDeliveries(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  question: DeliveriesQuestion,
): Promise<ListedPage<LoggedDelivery>> {
  const { status, event, from, to, direction, limit, after } = question;
  return thinnedPage<DeliveryDocument, LoggedDelivery>(readModels, collection, {
    find: {
      where: indexedOf(question),
      range: { field: 'scheduledAt', from, ...(to === null ? {} : { to }) },
      sort: { field: 'scheduledAt', direction },
    },
    wanted: (delivery): delivery is LoggedDelivery =>
      isLogged(delivery) &&
      (status === null || delivery.status === status) &&
      (event === null || delivery.event === event),
    placeOf: ({ scheduledAt }) => scheduledAt,
    limit,
    after,
  });
}

/** What an index of the projection begins with. */
function indexedOf({ keyId, event, status, bookingId }: DeliveriesQuestion): NonNullable<Find['where']> {
  if (bookingId !== null) return { keyId, bookingId };
  return { keyId, ...(event === null ? {} : { event }), ...(status === null ? {} : { status }) };
}

/** A delivery of a key that is in the log since `from` (ISO 8601 UTC) or later, else null. */
export async function findDelivery(
  readModels: ReadModelStore,
  collection: string,
  { id, keyId, from }: { readonly id: DeliveryId; readonly keyId: KeyId; readonly from: string },
): Promise<LoggedDelivery | null> {
  const found = (await readModels.load(collection, [id])).get(id);
  const delivery = found?.doc as DeliveryDocument | null | undefined;
  if (delivery?.keyId !== keyId || delivery.scheduledAt < from) return null;
  return isLogged(delivery) ? delivery : null;
}

function isLogged(delivery: DeliveryDocument): delivery is LoggedDelivery {
  return delivery.status !== 'scheduled';
}
