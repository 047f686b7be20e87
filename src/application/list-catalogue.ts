import type { Activity } from '../domain/activity/activity.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import { listingOf } from './listing.ts';
import type { Streams } from './streams.ts';

const DECISION_MS = 10_000;

export type CatalogueChange = { readonly listed: number; readonly retired: number; readonly position: Position | null };

/**
 * Brings the activity streams in line with the catalogue: new and changed entries are listed, those that are gone are
 * retired. An unchanged catalogue appends nothing.
 *
 * @param known ids of the activities listed so far
 */
export async function listCatalogue(
  activities: readonly Activity[],
  known: Iterable<string>,
  cause: Cause,
  { streams, clock, digest }: { readonly streams: Streams; readonly clock: Clock; readonly digest: Digest },
): Promise<CatalogueChange> {
  let position: Position | null = null;
  const change = async (id: string, command: Parameters<Streams['activities']['handle']>[1]): Promise<boolean> => {
    const reply = await streams.activities.handle(id, command, cause, clock.nowMs() + DECISION_MS);
    if (reply.kind !== 'accepted') throw new Error(`activity ${id} could not be listed: ${JSON.stringify(reply)}`);
    if (reply.position !== null && (position === null || reply.position > position)) position = reply.position;
    return reply.events.length > 0;
  };
  const present = new Set<string>(activities.map((activity) => activity.id));
  const listings = await Promise.all(
    activities.map((activity) => change(activity.id, { type: 'ListActivity', ...listingOf(activity, digest) })),
  );
  const gone = [...known].filter((id) => !present.has(id));
  const retirements = await Promise.all(gone.map((id) => change(id, { type: 'RetireActivity' })));
  const changed = (results: readonly boolean[]): number => results.filter(Boolean).length;
  return { listed: changed(listings), retired: changed(retirements), position };
}
