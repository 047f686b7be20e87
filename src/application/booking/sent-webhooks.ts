import { isOfEvent, type LoggedEvent, listDeliveries } from '../../../projections/deliveries/query.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Cursor, ReadModelStore } from '../../ports/read-model-store.ts';
import { deliveryUrl } from '../../webhooks/delivery-log.ts';
import { inLog } from '../webhook/delivery-log.ts';
import type { BookingView } from './read-booking.ts';

const PAGE = 100;
/** Webhooks in a timeline. */
export const MAX_LOGGED = 100;

/** A webhook of a booking that was sent, at least once. */
export type SentWebhook = Pick<LoggedEvent, 'deliveryId' | 'event' | 'attempts' | 'nextAttemptAtMs' | 'status'> & {
  /** Of the last attempt, ISO 8601 UTC. */
  readonly at: string;
  /** Scheme, host and port; the rest of the URL may be secret. Null: unknown. */
  readonly receiver: string | null;
};

type Context = {
  readonly readModels: Pick<ReadModelStore, 'find'>;
  readonly collection: (projection: string) => Promise<string>;
  readonly webhooks: { readonly store: Pick<DecodedEventStore, 'read'> };
};

type Sent = {
  readonly id: BookingView['id'];
  readonly booking: { readonly facts: Pick<BookingView['booking']['facts'], 'keyId'> };
};

/** The newest webhooks of a booking that the delivery log has, in the order of the booking's events. */
export async function loggedWebhooks(
  sent: Sent,
  {
    readModels,
    collection,
    webhooks,
  }: Context & { readonly webhooks: Context['webhooks'] & Parameters<typeof inLog>[1] },
): Promise<readonly SentWebhook[]> {
  const { items } = await listDeliveries(readModels, await collection('deliveries'), {
    ...ofBooking(sent),
    from: inLog(0, webhooks),
    direction: 'desc',
    limit: MAX_LOGGED,
    after: null,
  });
  return inOrder(items.filter(isOfEvent), webhooks.store);
}

/** All webhooks that carried the guest's data, in the order of the booking's events. */
export async function sentWebhooks(
  sent: Sent,
  { readModels, collection, webhooks }: Context,
): Promise<readonly SentWebhook[]> {
  const query = { ...ofBooking(sent), from: '', direction: 'asc', limit: PAGE } as const;
  const name = await collection('deliveries');
  const deliveries: LoggedEvent[] = [];
  let after: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof listDeliveries>> = await listDeliveries(readModels, name, {
      ...query,
      after,
    });
    deliveries.push(...page.items.filter(isOfEvent));
    after = page.next;
  } while (after !== null);
  return inOrder(deliveries, webhooks.store);
}

function ofBooking({ id, booking }: Sent) {
  return { keyId: booking.facts.keyId, bookingId: id, status: null, event: null, to: null } as const;
}

function inOrder(
  deliveries: readonly LoggedEvent[],
  store: Pick<DecodedEventStore, 'read'>,
): Promise<readonly SentWebhook[]> {
  const sorted = deliveries.toSorted((left, right) => left.bookingRevision - right.bookingRevision);
  return Promise.all(sorted.map((delivery) => sentBy(delivery, store)));
}

async function sentBy(delivery: LoggedEvent, store: Pick<DecodedEventStore, 'read'>): Promise<SentWebhook> {
  const { deliveryId, event, status, attempts, nextAttemptAtMs, scheduledAt, endpoint } = delivery;
  const url = endpoint.kind === 'booking' ? endpoint.origin : await deliveryUrl(delivery, store);
  const receiver = url === null ? null : (URL.parse(url)?.origin ?? null);
  const at = attempts.at(-1)?.at ?? scheduledAt;
  return { deliveryId, event, status, attempts, nextAttemptAtMs, at, receiver };
}
