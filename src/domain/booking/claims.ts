import type { LocalDate } from '../activity/activity.ts';
import { type AllotmentId, allotmentIdOf, type ClaimId } from '../ids.ts';
import { type ClaimRef, guestsOf } from './facts.ts';
import type { Booking, ExistingBooking } from './state.ts';

/** Which slots a modification claims, keeps and releases. */
type ClaimPlan = {
  /** Slots to claim before the modification, with the live allotment of the date; null for none. */
  readonly take: { readonly allotment: AllotmentId; readonly size: number } | null;
  /** Claims that the booking keeps, with their remaining sizes. */
  readonly kept: readonly ClaimRef[];
  readonly dropped: readonly ClaimRef[];
  readonly shrunk: readonly ClaimRef[];
};

/**
 * More guests: claim the difference; a slot whose release is pending is never reused. Fewer guests: release slots,
 * newest claims first. Another date: claim all slots there. A move to the current date counts as no move.
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
      take: { allotment: allotmentIdOf(activityId, move.date), size: guests },
      kept: [],
      dropped: claims,
      shrunk: [],
    };
  }
  const more = guests - guestsOf(facts);
  if (more > 0)
    return { take: { allotment: allotmentIdOf(activityId, date), size: more }, kept: claims, dropped: [], shrunk: [] };
  return { take: null, ...reduceClaims(claims, guests) };
}

/** Whether the booking names the claim, or the guest's record made with it; such a claim is never abandoned. */
export function namesClaim(booking: Booking, claim: ClaimId): boolean {
  if (booking.status === 'none') return false;
  return booking.facts.claims.some(({ id }) => id === claim) || booking.guestRecords.includes(claim);
}

function reduceClaims(claims: readonly ClaimRef[], guests: number): Pick<ClaimPlan, 'kept' | 'dropped' | 'shrunk'> {
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
