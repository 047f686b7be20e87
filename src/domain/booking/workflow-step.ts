import type { CancellationPolicy } from '../activity/activity.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { AllotmentCommand, AllotmentRejection } from '../allotment/commands.ts';
import type { GuestCommand } from '../guest/guest.ts';
import type { AllotmentId, BookingId, ClaimId, Fingerprint } from '../ids.ts';
import type { BookingCommand, BookingRejection } from './commands.ts';
import type { Booking } from './state.ts';

/** The parts of a claim's id. Without any one of them, two different claims could get the same id. */
export type ClaimParts = {
  readonly booking: BookingId;
  readonly command: string;
  readonly fingerprint: Fingerprint;
  readonly allotment: AllotmentId;
  readonly size: number;
  readonly abandonments: number;
};

/** Makes a claim id from its parts. */
export type NameClaim = (parts: ClaimParts) => ClaimId;

/** The next command or read of a workflow, and its stream. */
export type Step =
  | { readonly to: 'allotment'; readonly id: AllotmentId; readonly command: AllotmentCommand }
  | { readonly to: 'guest'; readonly id: string; readonly command: GuestCommand }
  | { readonly to: 'booking'; readonly id: BookingId; readonly command: BookingCommand }
  | { readonly to: 'read'; readonly id: BookingId };

/** The result of a step. */
export type StepResult =
  /** With the price of the claim and the cancellation policy. */
  | { readonly kind: 'claimed'; readonly pricing: Pricing; readonly cancellation: CancellationPolicy }
  | { readonly kind: 'done' }
  | { readonly kind: 'read'; readonly booking: Booking }
  | {
      readonly kind: 'rejected';
      readonly rejection: AllotmentRejection | BookingRejection | { readonly code: 'GUEST_DIFFERS' };
    }
  | { readonly kind: 'erased' };
