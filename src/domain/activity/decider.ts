import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { Activity } from './activity.ts';

/** An entry and what tells it from another one of the same id. */
export type Listing = { readonly activity: Activity; readonly digest: string };

/** These types are the storage format. Listed, updated and retired is what the catalogue's files say, overridden what an operator says. */
export type ActivityEvent =
  | { readonly type: 'ActivityListed'; readonly data: Listing }
  | { readonly type: 'ActivityUpdated'; readonly data: Listing }
  | { readonly type: 'ActivityRetired'; readonly data: Record<string, never> }
  | { readonly type: 'ActivityOverridden'; readonly data: Listing }
  | { readonly type: 'OverrideWithdrawn'; readonly data: Record<string, never> };

/** The first two are the files', the others the operator's. */
export type ActivityCommand =
  | ({ readonly type: 'ListActivity' } & Listing)
  | { readonly type: 'RetireActivity' }
  | ({ readonly type: 'OverrideActivity' } & Listing)
  | { readonly type: 'WithdrawOverride' };

/**
 * What holds now. While it is `overridden` it is the operator's, and `catalogue` is what the files say meanwhile, to which it
 * goes back: null where they do not name it.
 */
export type CatalogueEntry =
  | { readonly status: 'none' }
  | ({ readonly status: 'listed' | 'retired' } & Listing)
  | ({ readonly status: 'overridden'; readonly catalogue: Listing | null } & Listing);

export const activityDecider: Decider<ActivityCommand, CatalogueEntry, ActivityEvent, never> = {
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
        // Also where the catalogue says the same today: it may say something else tomorrow.
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

/** What the files say; null where they do not name the activity, or no more. */
function inCatalogue(entry: CatalogueEntry): Listing | null {
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
  ActivityOverridden: [],
  OverrideWithdrawn: [],
});
