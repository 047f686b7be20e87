import type { CancellationPolicy } from '../activity/activity.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { AllotmentCommand, AllotmentRejection, UnpaidShare } from '../allotment/commands.ts';
import { claimPricing, type OpenAllotment } from '../allotment/state.ts';
import { type GuestCommand, guestId } from '../guest/guest.ts';
import type { AllotmentId, BookingId, ClaimId, Fingerprint } from '../ids.ts';
import type { SpendingCommand, SpendingId, SpendingRejection } from '../spending/spending.ts';
import type { BookingCommand, BookingRejection } from './commands.ts';
import type { Booking } from './state.ts';

/** The parts of a claim's id. Without any one of them, two different claims could get the same id. */
export type ClaimParts = {
  readonly bookingId: BookingId;
  readonly commandId: string;
  readonly fingerprint: Fingerprint;
  readonly allotmentId: AllotmentId;
  readonly size: number;
  readonly abandonments: number;
};

/** Makes a claim id from its parts. */
export type ClaimIdOf = (parts: ClaimParts) => ClaimId;

/** The next command or read of a workflow, and its stream. */
export type Step =
  | { readonly to: 'allotment'; readonly id: AllotmentId; readonly command: AllotmentCommand }
  | { readonly to: 'guest'; readonly id: string; readonly command: GuestCommand }
  | { readonly to: 'booking'; readonly id: BookingId; readonly command: BookingCommand }
  | { readonly to: 'spending'; readonly id: SpendingId; readonly command: SpendingCommand }
  | { readonly to: 'read'; readonly id: BookingId };

/** The slots are claimed, at this price and with this policy. */
export type Claimed = {
  readonly kind: 'claimed';
  readonly pricing: Pricing;
  readonly cancellation: CancellationPolicy;
};

/** The result of a step. `erased`: the guest stream was erased, so its claim has been abandoned. */
export type StepResult =
  | Claimed
  | { readonly kind: 'done' }
  | { readonly kind: 'read'; readonly booking: Booking }
  | {
      readonly kind: 'rejected';
      readonly rejection:
        | AllotmentRejection
        | BookingRejection
        | SpendingRejection
        | { readonly code: 'GUEST_DIFFERS' };
    }
  | { readonly kind: 'erased' };

/** A workflow begins a new round after an abandoned claim or a lost race. After the last round it ends as `contended`. */
export const MAX_ROUNDS = 5;

/** A workflow that ends without a result: too many races, or an unexpected answer. */
export const CONTENDED = { kind: 'contended' } as const;

/** The slots are free, but the total of all guests is not the expected one. Nothing was stored. */
export type PriceChanged = { readonly kind: 'price-changed'; readonly totalMinor: number };

/** The key's holds and bookings on request may take no more places of the date. Nothing was stored. */
export type OverShare = { readonly kind: 'over-share'; readonly refusal: UnpaidShare };

/** The reaper abandoned the claim during the workflow; another claim is needed. */
export type ClaimLost = 'claim-lost';

/** The allotment no longer knows whether the claim's id is spent. `releases`: the number of its releases. */
export type ClaimForgotten = { readonly kind: 'claim-forgotten'; readonly releases: number };

/** What a workflow knows when it claims. */
export type Knowledge = {
  /** Number of abandoned claims in the booking's stream when it was read. */
  readonly abandonments: number;
  /** Number of the allotment's releases that was known before. */
  readonly releasesSeen: number;
};

/** Whether another claim is needed, after a read of the booking. */
export function needsAnotherClaim(
  result: ClaimLost | ClaimForgotten | { readonly kind: string },
): result is ClaimLost | ClaimForgotten {
  return result === 'claim-lost' || result.kind === 'claim-forgotten';
}

/**
 * What is known for the next claim, after a read of the booking. Null if nothing has changed. ClaimAbandoned is stored
 * before a claim is released: so if the read came after the releases, none of them released the claim of its count.
 */
export function knowledgeAfter(
  lost: ClaimLost | ClaimForgotten,
  { abandoned }: Booking,
  before: Knowledge,
): Knowledge | null {
  const abandonments = abandoned.length;
  if (lost !== 'claim-lost') return { abandonments, releasesSeen: lost.releases };
  return abandonments === before.abandonments ? null : { ...before, abandonments };
}

/** The step result of a command that the allotment accepted. */
export function claimedBy(allotment: OpenAllotment, command: AllotmentCommand): StepResult {
  if (command.type !== 'ClaimSlots' && command.type !== 'TakeHold') return { kind: 'done' };
  const { cancellation } = allotment.schedule;
  return { kind: 'claimed', pricing: claimPricing(allotment, command), cancellation };
}

/** Records the guest in the stream named after the claim; null on success. */
export function* recordGuest(
  claimId: ClaimId,
  { bookingId, fingerprint, guest }: Omit<GuestCommand, 'type'>,
): Generator<Step, ClaimLost | typeof CONTENDED | null, StepResult> {
  const command = { type: 'RecordGuest', bookingId, fingerprint, guest } as const;
  const recorded: StepResult = yield { to: 'guest', id: guestId(claimId), command };
  if (recorded.kind === 'erased') return 'claim-lost';
  return recorded.kind === 'done' ? null : CONTENDED;
}
