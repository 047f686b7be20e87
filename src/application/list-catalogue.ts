import type { Activity } from '../domain/activity/activity.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import { listingOf } from './listing.ts';
import type { Streams } from './streams.ts';

const DECISION_MS = 10_000;

/** Ids of the activities of which the log did not know it yet; `position` is that of the last event, null for none. */
export type CatalogueChange = {
  readonly listed: readonly string[];
  readonly retired: readonly string[];
  readonly position: Position | null;
};

/**
 * Brings activity streams in line with the catalogue: new and changed entries are listed, those that are gone are retired.
 * What the streams say already appends nothing.
 *
 * @param gone ids that the catalogue does not name, or no more
 * @throws where one of them cannot be changed now; then others may have been
 */
export async function listCatalogue(
  activities: readonly Activity[],
  gone: readonly string[],
  cause: Cause,
  { streams, clock, digest }: { readonly streams: Streams; readonly clock: Clock; readonly digest: Digest },
): Promise<CatalogueChange> {
  let position: Position | null = null;
  const change = async (id: string, command: Parameters<Streams['activities']['handle']>[1]): Promise<string[]> => {
    const reply = await streams.activities.handle(id, command, cause, clock.nowMs() + DECISION_MS);
    if (reply.kind !== 'accepted') throw new Error(`activity ${id} could not be listed: ${JSON.stringify(reply)}`);
    if (reply.position !== null && (position === null || reply.position > position)) position = reply.position;
    return reply.events.length > 0 ? [id] : [];
  };
  const listed = await Promise.all(
    activities.map((activity) => change(activity.id, { type: 'ListActivity', ...listingOf(activity, digest) })),
  );
  const retired = await Promise.all(gone.map((id) => change(id, { type: 'RetireActivity' })));
  return { listed: listed.flat(), retired: retired.flat(), position };
}
