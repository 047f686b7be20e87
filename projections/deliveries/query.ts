import type { WebhookEvent } from '../../src/domain/apikey/apikey.ts';
import type { BookingId, KeyId } from '../../src/domain/booking/booking.ts';
import type { DeliveryId } from '../../src/domain/delivery/delivery.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
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

export type DeliveriesPage = { readonly items: readonly LoggedDelivery[]; readonly next: Cursor | null };

/** The deliveries of a key, in the order of their scheduling. */
export async function listDeliveries(
  readModels: ReadModelStore,
  collection: string,
  question: DeliveriesQuestion,
): Promise<DeliveriesPage> {
  const { keyId, status, event, bookingId, from, to, direction, limit, after } = question;
  const page = await readModels.find(collection, {
    where: {
      keyId,
      status: status ?? LOGGED_STATUSES,
      ...(event === null ? {} : { event }),
      ...(bookingId === null ? {} : { bookingId }),
    },
    range: { field: 'scheduledAt', from, ...(to === null ? {} : { to }) },
    sort: { field: 'scheduledAt', direction },
    limit,
    ...(after === null ? {} : { after }),
  });
  // The documents of this collection are what its projection's fold returned, and the question names only these statuses.
  return { items: page.items.map(({ doc }) => doc as LoggedDelivery), next: page.next };
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
