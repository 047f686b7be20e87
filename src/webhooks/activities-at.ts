import type { Activity } from '../domain/activity/activity.ts';
import { activityCodec, activityDecider } from '../domain/activity/decider.ts';
import { type StreamReader, stateAt } from './stream-state.ts';

/** The catalogue entry of an activity at a revision of its stream; null if there was none. */
export type ActivityAt = (id: string, revision: number) => Promise<Activity | null>;

/** Maximum number of cached entries. Most deliveries refer to few activities at their present revision. */
const MAX_CACHED = 1_000;

export function activitiesIn(store: StreamReader): ActivityAt {
  return async (id, revision) => {
    const entry = await stateAt(`${activityCodec.category}-${id}`, revision, activityDecider, store);
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
