import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { Activity } from './activity.ts';

/** An activity and the hash of its content. */
export type ListedActivity = { readonly activity: Activity; readonly digest: string };

/** These types are the storage format. Catalogue files cause listed, updated and retired; operators cause overrides. */
export type ActivityEvent =
  | { readonly type: 'ActivityListed'; readonly data: ListedActivity }
  | { readonly type: 'ActivityUpdated'; readonly data: ListedActivity }
  | { readonly type: 'ActivityRetired'; readonly data: Record<string, never> }
  | { readonly type: 'ActivityOverridden'; readonly data: ListedActivity }
  | { readonly type: 'OverrideWithdrawn'; readonly data: Record<string, never> };

/** Catalogue files cause the first two, operators the others. */
export type ActivityCommand =
  | ({ readonly type: 'ListActivity' } & ListedActivity)
  | { readonly type: 'RetireActivity' }
  | ({ readonly type: 'OverrideActivity' } & ListedActivity)
  | { readonly type: 'WithdrawOverride' };

/**
 * The current entry. `overridden`: the operator's version applies, and `catalogue` holds the version of the catalogue
 * files, which applies again after the override is withdrawn; null if the files do not contain it.
 */
export type ActivityState =
  | { readonly status: 'none' }
  | ({ readonly status: 'listed' | 'retired' } & ListedActivity)
  | ({ readonly status: 'overridden'; readonly catalogue: ListedActivity | null } & ListedActivity);

export const activityDecider: Decider<ActivityCommand, ActivityState, ActivityEvent, never> = {
  initial: { status: 'none' },
  decide(command, entry) {
    switch (command.type) {
      case 'ListActivity': {
        const { activity, digest } = command;
        if (entry.status === 'none') return accept({ type: 'ActivityListed', data: { activity, digest } });
        if (inCatalogue(entry)?.digest === digest) return accept();
        return accept({ type: 'ActivityUpdated', data: { activity, digest } });
      }
      case 'RetireActivity':
        return inCatalogue(entry) === null ? accept() : accept({ type: 'ActivityRetired', data: {} });
      case 'OverrideActivity': {
        const { activity, digest } = command;
        if (entry.status === 'overridden' && entry.digest === digest) return accept();
        // Also if the catalogue's content is the same now: it may change later.
        return accept({ type: 'ActivityOverridden', data: { activity, digest } });
      }
      case 'WithdrawOverride':
        return entry.status === 'overridden' ? accept({ type: 'OverrideWithdrawn', data: {} }) : accept();
      default:
        return unreachable(command);
    }
  },
  evolve(entry, event) {
    switch (event.type) {
      case 'ActivityListed':
      case 'ActivityUpdated':
        return entry.status === 'overridden'
          ? { ...entry, catalogue: event.data }
          : { status: 'listed', ...event.data };
      case 'ActivityRetired':
        if (entry.status === 'none') return entry;
        return entry.status === 'overridden' ? { ...entry, catalogue: null } : { ...entry, status: 'retired' };
      case 'ActivityOverridden':
        return { status: 'overridden', ...event.data, catalogue: inCatalogue(entry) };
      case 'OverrideWithdrawn': {
        if (entry.status !== 'overridden') return entry;
        const { catalogue, activity, digest } = entry;
        return catalogue === null ? { status: 'retired', activity, digest } : { status: 'listed', ...catalogue };
      }
      default:
        return unreachable(event);
    }
  },
};

/** The version of the catalogue files; null if they do not contain the activity. */
function inCatalogue(entry: ActivityState): ListedActivity | null {
  switch (entry.status) {
    case 'none':
    case 'retired':
      return null;
    case 'listed':
      return { activity: entry.activity, digest: entry.digest };
    case 'overridden':
      return entry.catalogue;
    default:
      return unreachable(entry);
  }
}

/** Version 1 had no hotels: everybody could book every activity. */
const openToEverybody: Upcaster = (facts) => ({
  ...facts,
  // Parser: events of version 1 contain an activity.
  activity: { ...(facts['activity'] as Omit<Activity, 'exclusiveTo'>), exclusiveTo: null } satisfies Activity,
});

export const activityCodec = codec<ActivityEvent>('activity', {
  ActivityListed: [openToEverybody],
  ActivityUpdated: [openToEverybody],
  ActivityRetired: [],
  ActivityOverridden: [],
  OverrideWithdrawn: [],
});
