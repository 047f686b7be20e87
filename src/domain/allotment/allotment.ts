import type { ActivityId, CancellationPolicy, LocalDate } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import type { PersistentMap } from '../persistent-map.ts';

/** One activity on one date: `{activity}-{date}`. */
export type AllotmentId = string & { readonly __brand: 'AllotmentId' };
/** A taking of slots. Made by `claimId` from all that must make it another one. */
export type ClaimId = string & { readonly __brand: 'ClaimId' };
export type BookingId = string & { readonly __brand: 'BookingId' };

export function allotmentId(activityId: ActivityId, date: LocalDate): AllotmentId {
  return `${activityId}-${date}` as AllotmentId;
}

/** What the schedule says of the date at the moment the allotment comes to exist. From then on it stands here. */
export type Opening = {
  readonly activityId: ActivityId;
  readonly city: CityName;
  readonly date: LocalDate;
  readonly capacity: number;
  readonly unitPriceMinor: number;
  readonly currency: Currency;
  readonly cancellation: CancellationPolicy;
  /** How often the catalogue entry had changed when this was read from it. */
  readonly catalogueRevision: number;
};

/** These types are the storage format. */
export type AllotmentEvent =
  | { readonly type: 'AllotmentOpened'; readonly data: Opening }
  | {
      readonly type: 'SlotsClaimed';
      readonly data: {
        readonly claim: ClaimId;
        readonly booking: BookingId;
        readonly size: number;
        readonly deadlineMs: number;
      };
    }
  | { readonly type: 'SlotsReleased'; readonly data: { readonly claim: ClaimId; readonly size: number } };

export type AllotmentCommand =
  | {
      readonly type: 'ClaimSlots';
      readonly claim: ClaimId;
      readonly booking: BookingId;
      /** Guests. */
      readonly size: number;
      /** From this time on (ms since the epoch) the reaper may ask whether the booking came to be. */
      readonly deadlineMs: number;
      readonly opening: Opening;
    }
  | { readonly type: 'ReleaseSlots'; readonly claim: ClaimId };

export type AllotmentRejection =
  | { readonly code: 'INVENTORY_EXHAUSTED'; readonly free: number }
  /** The id was used before: released, or of another size. Such a claim is never made again. */
  | { readonly code: 'CLAIM_SPENT' };

export type Claim = { readonly booking: BookingId; readonly size: number; readonly released: boolean };

export type Allotment =
  | { readonly status: 'unopened' }
  | {
      readonly status: 'open';
      readonly opening: Opening;
      /** Slots taken: the sum of the sizes of the claims not released. */
      readonly taken: number;
      /** Every claim ever made, the released ones too: an id ever seen is never claimed again. */
      readonly claims: PersistentMap<Claim>;
    };

/** Slots that nobody has taken; of an allotment that does not exist yet, all that the schedule offers. */
export function freeSlots(allotment: Allotment, capacityBySchedule: number): number {
  return allotment.status === 'open' ? Math.max(0, allotment.opening.capacity - allotment.taken) : capacityBySchedule;
}
