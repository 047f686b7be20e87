import type { Activity } from '../domain/activity/activity.ts';
import { activityCodec, activityDecider } from '../domain/activity/decider.ts';
import { fold } from '../eventsourcing/decider.ts';
import type { EventStore } from '../ports/event-store.ts';

/** The catalogue entry of an activity as it was at a revision; null where there was none. */
export type ActivityAt = (id: string, revision: number) => Promise<Activity | null>;

/** How many entries are kept: most deliveries tell of a few activities as they are now. */
const MOST_KEPT = 1_000;

export function activitiesIn(store: Pick<EventStore, 'read'>): ActivityAt {
  return async (id, revision) => {
    const read = await store.read(`${activityCodec.category}-${id}`);
    const stored = read.kind === 'events' ? read.events.slice(0, revision + 1) : [];
    const entry = fold(
      activityDecider,
      stored.map((event) => activityCodec.decode(event)),
    );
    return entry.status === 'none' ? null : entry.activity;
  };
}

/** The same, kept in memory: what stood at a revision never changes. Those that were read first go first. */
export function keptActivities(activityAt: ActivityAt, most = MOST_KEPT): ActivityAt {
  const kept = new Map<string, Activity>();
  return async (id, revision) => {
    const name = `${id}@${revision}`;
    const known = kept.get(name);
    if (known !== undefined) return known;
    const activity = await activityAt(id, revision);
    if (activity !== null) kept.set(name, activity);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size > most) kept.delete(oldest);
    return activity;
  };
}
