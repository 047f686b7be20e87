import type { WebhookEvent } from '../../src/domain/apikey/apikey.ts';
import type { KeyId } from '../../src/domain/booking/booking.ts';
import type { PublicEventId } from '../../src/domain/delivery/delivery.ts';
import { START } from '../../src/eventsourcing/message.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { FeedDocument } from './read-model.ts';

export type FeedQuestion = {
  readonly keyId: KeyId;
  /** Where the feed begins now, ISO 8601 UTC. */
  readonly from: string;
  /** The event that the caller took last; null: from the beginning. */
  readonly after: PublicEventId | null;
  readonly limit: number;
};

export type FeedPage =
  | { readonly kind: 'page'; readonly items: readonly FeedDocument[]; readonly more: boolean }
  /** `after` is no event of this key. */
  | { readonly kind: 'unknown-event' };

/**
 * The events of a key in the order of the log. Only as far as all of them are there: documents are written one by one,
 * and who reads on behind a later one would never see an earlier one that was still missing.
 */
export async function readFeed(
  readModels: Pick<ReadModelStore, 'checkpoint' | 'load' | 'find'>,
  collection: string,
  { keyId, from, after, limit }: FeedQuestion,
): Promise<FeedPage> {
  const upTo = (await readModels.checkpoint(collection)) ?? START;
  const last = after === null ? null : ((await readModels.load(collection, [after])).get(after)?.doc as Stored);
  if (after !== null && last?.keyId !== keyId) return { kind: 'unknown-event' };
  const page = await readModels.find(collection, {
    where: { keyId },
    range: { field: 'at', from },
    sort: { field: 'position', direction: 'asc' },
    limit,
    ...(last === null || last === undefined ? {} : { after: { value: last.position, id: last.eventId } }),
  });
  const items = documentsOf(page).filter(({ position }) => position <= upTo);
  return { kind: 'page', items, more: page.next !== null && items.length === page.items.length };
}

export type PastQuestion = {
  readonly keyId: KeyId;
  readonly events: readonly WebhookEvent[];
  /** When they were scheduled or omitted, ISO 8601 UTC: `from` is in the range, `to` is not. */
  readonly from: string;
  readonly to: string | null;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** The events of a key of some kinds and of a time, the oldest first. */
export async function listPastEvents(
  readModels: ReadModelStore,
  collection: string,
  { keyId, events, from, to, limit, after }: PastQuestion,
): Promise<{ readonly items: readonly FeedDocument[]; readonly next: Cursor | null }> {
  const page = await readModels.find(collection, {
    where: { keyId, event: events },
    range: { field: 'at', from, ...(to === null ? {} : { to }) },
    sort: { field: 'at', direction: 'asc' },
    limit,
    ...(after === null ? {} : { after }),
  });
  return { items: documentsOf(page), next: page.next };
}

type Stored = FeedDocument | null | undefined;

/** The documents of this collection are what its projection's fold returned. */
function documentsOf({ items }: { readonly items: readonly { readonly doc: object }[] }): readonly FeedDocument[] {
  return items.map(({ doc }) => doc as FeedDocument);
}
