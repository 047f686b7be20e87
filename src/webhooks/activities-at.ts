import type { Activity } from '../domain/activity/activity.ts';
import { activityCodec, activityDecider } from '../domain/activity/decider.ts';
import { fold } from '../eventsourcing/decider.ts';
import { type EventStore, eventsUpTo } from '../ports/event-store.ts';

/** The catalogue entry of an activity at a revision of its stream; null if there was none. */
export type ActivityAt = (id: string, revision: number) => Promise<Activity | null>;

/** Maximum number of cached entries. Most deliveries refer to few activities at their present revision. */
const MAX_CACHED = 1_000;

export function activitiesIn(store: Pick<EventStore, 'read'>): ActivityAt {
  return async (id, revision) => {
    const read = await store.read(`${activityCodec.category}-${id}`);
    const stored = read.kind === 'events' ? eventsUpTo(revision, read.events) : [];
    const entry = fold(
      activityDecider,
      stored.map((event) => activityCodec.decode(event)),
    );
    return entry.status === 'none' ? null : entry.activity;
  };
}

/** Caches entries, which never change at a given revision. Evicts the oldest. */
export function cachedActivities(activityAt: ActivityAt, maxEntries = MAX_CACHED): ActivityAt {
  const cached = new Map<string, Activity>();
  return async (id, revision) => {
    const name = `${id}@${revision}`;
    const known = cached.get(name);
    if (known !== undefined) return known;
    const activity = await activityAt(id, revision);
    if (activity !== null) cached.set(name, activity);
    const [oldest] = cached.keys();
    if (oldest !== undefined && cached.size > maxEntries) cached.delete(oldest);
    return activity;
  };
}
