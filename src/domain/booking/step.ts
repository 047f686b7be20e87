import type { CancellationPolicy } from '../activity/activity.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { AllotmentCommand, AllotmentId, AllotmentRejection, BookingId, ClaimId } from '../allotment/allotment.ts';
import type { GuestCommand } from '../guest/guest.ts';
import type { Booking, BookingCommand, BookingRejection, Fingerprint } from './booking.ts';

/** What goes into a claim's id. Leave one out, and two different takings of slots could pass for one. */
export type ClaimParts = {
  readonly booking: BookingId;
  readonly command: string;
  readonly fingerprint: Fingerprint;
  readonly allotment: AllotmentId;
  readonly size: number;
  readonly abandonments: number;
};

/** How the parts become an id. */
export type NameClaim = (parts: ClaimParts) => ClaimId;

/** What an attempt wants done next, by which stream. */
export type Step =
  | { readonly to: 'allotment'; readonly id: AllotmentId; readonly command: AllotmentCommand }
  | { readonly to: 'guest'; readonly id: string; readonly command: GuestCommand }
  | { readonly to: 'booking'; readonly id: BookingId; readonly command: BookingCommand }
  | { readonly to: 'read'; readonly id: BookingId };

/** What came of it. */
export type StepResult =
  /** At what price, as it stands in the claim, and by which policy. */
  | { readonly kind: 'claimed'; readonly pricing: Pricing; readonly cancellation: CancellationPolicy }
  | { readonly kind: 'done' }
  | { readonly kind: 'read'; readonly booking: Booking }
  | {
      readonly kind: 'refused';
      readonly rejection: AllotmentRejection | BookingRejection | { readonly code: 'GUEST_DIFFERS' };
    }
  | { readonly kind: 'erased' };
