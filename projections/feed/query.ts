import type { PublicEventId, WebhookEvent } from '../../src/domain/delivery/delivery.ts';
import type { KeyId } from '../../src/domain/ids.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { START } from '../../src/eventsourcing/message.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { FeedDocument } from './read-model.ts';

type FeedQuery = {
  readonly keyId: KeyId;
  /** Start of the retention period, ISO 8601 UTC. */
  readonly from: string;
  /** The last event that the caller has processed; null to start at the beginning. */
  readonly after: PublicEventId | null;
  readonly limit: number;
};

type FeedPage =
  | { readonly kind: 'page'; readonly items: readonly FeedDocument[]; readonly more: boolean }
  /** The key has no event with the id `after`. */
  | { readonly kind: 'unknown-event' };

/**
 * The events of a key in log order, up to the projection's checkpoint. Documents after the checkpoint are left out: they
 * are written in any order, and a caller that continues after a later event would never see an earlier one.
 */
export async function readFeed(
  readModels: Pick<ReadModelStore, 'positions' | 'checkpoint' | 'load' | 'find'>,
  collection: string,
  { keyId, from, after, limit }: FeedQuery,
): Promise<FeedPage> {
  const checkpoint = readModels.positions.format((await readModels.checkpoint(collection)) ?? START);
  const last = after === null ? null : ((await readModels.load(collection, [after])).get(after)?.doc as Stored);
  if (after !== null && last?.keyId !== keyId) return { kind: 'unknown-event' };
  const isKept = last !== null && last !== undefined && last.at >= from;
  const start = isKept ? last : ((await lastBefore(readModels, collection, keyId, from)) ?? last);
  const page = await readModels.find(collection, {
    where: { keyId },
    range: { field: 'at', from },
    sort: { field: 'position', direction: 'asc' },
    limit,
    ...(start === null || start === undefined ? {} : { after: { value: start.position, id: start.eventId } }),
  });
  const items = documentsOf(page).filter(({ position }) => position <= checkpoint);
  return { kind: 'page', items, more: page.next !== null && items.length === page.items.length };
}

/** Longer than the time by which two events can be in the log in another order than that of their times. */
const DISORDER_MS = DAY_MS;

/** An event before all kept ones: a page that begins after it reads no long row of events that are not kept any more. */
async function lastBefore(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  keyId: KeyId,
  from: string,
): Promise<FeedDocument | null> {
  const page = await readModels.find(collection, {
    where: { keyId },
    range: { field: 'at', to: new Date(Date.parse(from) - DISORDER_MS).toISOString() },
    sort: { field: 'at', direction: 'desc' },
    limit: 1,
  });
  return documentsOf(page)[0] ?? null;
}

type PastEventsQuery = {
  readonly keyId: KeyId;
  readonly events: readonly WebhookEvent[];
  /** Range of the time when they were scheduled or omitted, ISO 8601 UTC: `from` is inclusive, `to` exclusive. */
  readonly from: string;
  readonly to: string | null;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** The events of a key, filtered by kind and time, oldest first. */
export async function listPastEvents(
  readModels: ReadModelStore,
  collection: string,
  { keyId, events, from, to, limit, after }: PastEventsQuery,
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

/** Only the projection's fold writes documents to this collection. */
function documentsOf({ items }: { readonly items: readonly { readonly doc: object }[] }): readonly FeedDocument[] {
  return items.map(({ doc }) => doc as FeedDocument);
}
