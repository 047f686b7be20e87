import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { Activity } from './activity.ts';

/** These types are the storage format. `digest` tells whether a catalogue entry differs from what was listed last. */
export type ActivityEvent =
  | { readonly type: 'ActivityListed'; readonly data: { readonly activity: Activity; readonly digest: string } }
  | { readonly type: 'ActivityUpdated'; readonly data: { readonly activity: Activity; readonly digest: string } }
  | { readonly type: 'ActivityRetired'; readonly data: Record<string, never> };

export type ActivityCommand =
  | { readonly type: 'ListActivity'; readonly activity: Activity; readonly digest: string }
  | { readonly type: 'RetireActivity' };

export type CatalogueEntry =
  | { readonly status: 'none' }
  | { readonly status: 'listed' | 'retired'; readonly activity: Activity; readonly digest: string };

export const activityDecider: Decider<ActivityCommand, CatalogueEntry, ActivityEvent, never> = {
  initial: { status: 'none' },
  decide(command, entry) {
    switch (command.type) {
      case 'ListActivity': {
        const { activity, digest } = command;
        if (entry.status === 'none') return accept({ type: 'ActivityListed', data: { activity, digest } });
        if (entry.status === 'listed' && entry.digest === digest) return accept();
        return accept({ type: 'ActivityUpdated', data: { activity, digest } });
      }
      case 'RetireActivity':
        return entry.status === 'listed' ? accept({ type: 'ActivityRetired', data: {} }) : accept();
      default:
        return unreachable(command);
    }
  },
  evolve(entry, event) {
    switch (event.type) {
      case 'ActivityListed':
      case 'ActivityUpdated':
        return { status: 'listed', ...event.data };
      case 'ActivityRetired':
        return entry.status === 'none' ? entry : { ...entry, status: 'retired' };
      default:
        return unreachable(event);
    }
  },
};

/** Version 1 knew no hotels: everybody could book everything. */
const openToEverybody: Upcaster = (facts) => ({
  ...facts,
  // The parser of this boundary: version 1 was written with an activity in it.
  activity: { ...(facts['activity'] as Omit<Activity, 'exclusiveTo'>), exclusiveTo: null } satisfies Activity,
});

export const activityCodec = codec<ActivityEvent>('activity', {
  ActivityListed: [openToEverybody],
  ActivityUpdated: [openToEverybody],
  ActivityRetired: [],
});
