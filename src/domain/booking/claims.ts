import type { LocalDate } from '../activity/activity.ts';
import { type AllotmentId, allotmentId, type ClaimId } from '../allotment/allotment.ts';
import { type Booking, type ClaimRef, type ExistingBooking, guestsOf } from './booking.ts';

/** Which slots a modification needs beside those the booking keeps. */
export type ClaimPlan = {
  /** Slots to claim first; null for none. */
  readonly take: { readonly allotment: AllotmentId; readonly size: number } | null;
  /** What the booking goes on relying on, with the sizes that are left. */
  readonly kept: readonly ClaimRef[];
  readonly dropped: readonly ClaimRef[];
  readonly shrunk: readonly ClaimRef[];
};

/**
 * More guests claim the difference, and never take back a slot whose return is under way; fewer give back from the newest
 * claim on; another date is claimed as a whole, and the same date is no other one.
 */
export function planClaims(
  { facts }: ExistingBooking,
  change: {
    readonly move: { readonly date: LocalDate } | null;
    readonly numAdults: number;
    readonly numChildren: number;
  },
): ClaimPlan {
  const { claims, activityId, date } = facts;
  const guests = guestsOf(change);
  const { move } = change;
  if (move !== null && move.date !== date) {
    return {
      take: { allotment: allotmentId(activityId, move.date), size: guests },
      kept: [],
      dropped: claims,
      shrunk: [],
    };
  }
  const more = guests - guestsOf(facts);
  if (more > 0)
    return { take: { allotment: allotmentId(activityId, date), size: more }, kept: claims, dropped: [], shrunk: [] };
  return { take: null, ...givenBack(claims, guests) };
}

/** True while the booking relies on the claim, or on the guest's record that was made with it: then it is never given up. */
export function holdsClaim(booking: Booking, claim: ClaimId): boolean {
  if (booking.status === 'none') return false;
  return booking.facts.claims.some((held) => held.id === claim) || booking.guestRecords.includes(claim);
}

function givenBack(claims: readonly ClaimRef[], guests: number): Pick<ClaimPlan, 'kept' | 'dropped' | 'shrunk'> {
  const kept: ClaimRef[] = [];
  const dropped: ClaimRef[] = [];
  const shrunk: ClaimRef[] = [];
  let wanted = guests;
  for (const claim of claims) {
    const size = Math.min(claim.size, wanted);
    wanted -= size;
    if (size === 0) {
      dropped.push(claim);
      continue;
    }
    const left = size === claim.size ? claim : { ...claim, size };
    kept.push(left);
    if (left !== claim) shrunk.push(left);
  }
  return { kept, dropped, shrunk };
}
