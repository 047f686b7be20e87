import { hotelDiscountMinor } from '../activity/hotel.ts';
import type {
  AllotmentCommand,
  AllotmentId,
  AllotmentRejection,
  BookingId,
  ClaimId,
  Opening,
} from '../allotment/allotment.ts';
import { type GuestCommand, type GuestDetails, guestId } from '../guest/guest.ts';
import type {
  BookingCommand,
  BookingFacts,
  BookingRejection,
  ClaimRef,
  Fingerprint,
  Pricing,
  Voucher,
} from './booking.ts';

/** Abandonments and races after which an attempt gives up. */
const ROUNDS = 5;

/** What goes into a claim's id. Leave one out, and two different takings of slots could pass for one. */
export type ClaimParts = {
  readonly booking: BookingId;
  readonly command: string;
  readonly fingerprint: Fingerprint;
  readonly allotment: AllotmentId;
  readonly size: number;
  readonly abandonments: number;
};

/** Everything one attempt at a booking needs, worked out before its first step. */
export type BookingAsk = {
  readonly booking: BookingId;
  readonly allotment: AllotmentId;
  readonly opening: Opening;
  /** What the guests' hotel takes off the present price, in percent; 0 without one. */
  readonly hotelPercentOff: number;
  readonly guests: number;
  readonly guest: GuestDetails;
  readonly guestFingerprint: Fingerprint;
  readonly facts: Omit<BookingFacts, 'claims' | 'pricing' | 'guest' | 'cancellation'>;
  readonly voucher: Voucher;
  readonly claimDeadlineMs: number;
  /** How many claims the booking's stream had abandoned when it was read. */
  readonly abandonments: number;
};

/** What an attempt wants done next, by which stream. */
export type Step =
  | { readonly to: 'allotment'; readonly id: AllotmentId; readonly command: AllotmentCommand }
  | { readonly to: 'guest'; readonly id: string; readonly command: GuestCommand }
  | { readonly to: 'booking'; readonly id: BookingId; readonly command: BookingCommand }
  | { readonly to: 'read'; readonly id: BookingId };

/** What came of it. `opening` is what the allotment says of itself after a claim; `abandonments` what the booking says. */
export type StepResult =
  | { readonly kind: 'claimed'; readonly opening: Opening }
  | { readonly kind: 'done' }
  | { readonly kind: 'read'; readonly abandonments: number; readonly exists: boolean }
  | {
      readonly kind: 'refused';
      readonly rejection: AllotmentRejection | BookingRejection | { readonly code: 'GUEST_DIFFERS' };
    }
  | { readonly kind: 'erased' };

export type AttemptOutcome =
  | { readonly kind: 'booked' }
  | { readonly kind: 'exhausted'; readonly free: number }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'contended' };

/**
 * One attempt at a booking, step by step: claim the slots, record the guest, then the fact that names the claim. A crash
 * after any step leaves a claim that the reaper finds; only the last step books. A generator without effects: whoever
 * drives it does the steps, in production the actors, in the exhaustive search every interleaving of them
 * (docs/decisions/0002).
 */
export function* bookingAttempt(
  ask: BookingAsk,
  claimId: (parts: ClaimParts) => ClaimId,
): Generator<Step, AttemptOutcome, StepResult> {
  let { abandonments } = ask;
  for (let round = 0; round < ROUNDS; round++) {
    const claim: ClaimRef = {
      allotment: ask.allotment,
      size: ask.guests,
      id: claimId({
        booking: ask.booking,
        command: ask.facts.command,
        fingerprint: ask.facts.fingerprint,
        allotment: ask.allotment,
        size: ask.guests,
        abandonments,
      }),
    };
    const result = yield* attemptWith(claim, ask);
    if (result !== 'claim-lost' && result.kind !== 'exhausted') return result;
    // Neither is told before the booking was looked at: another attempt under the same key may have made it meanwhile.
    const reading: StepResult = yield { to: 'read', id: ask.booking };
    if (reading.kind !== 'read') return { kind: 'contended' };
    if (reading.exists) {
      const known = yield* confirmWith(claim, ask, ask.opening);
      return known === 'claim-lost' ? { kind: 'contended' } : known;
    }
    if (result !== 'claim-lost') return result;
    // A claim is lost only after its abandonment was stored, so the next one gets another id.
    if (reading.abandonments === abandonments) return { kind: 'contended' };
    abandonments = reading.abandonments;
  }
  return { kind: 'contended' };
}

function* attemptWith(claim: ClaimRef, ask: BookingAsk): Generator<Step, AttemptOutcome | 'claim-lost', StepResult> {
  const { booking, opening, guest, guestFingerprint, claimDeadlineMs: deadlineMs } = ask;
  const claimed: StepResult = yield {
    to: 'allotment',
    id: claim.allotment,
    command: { type: 'ClaimSlots', claim: claim.id, booking, size: claim.size, deadlineMs, opening },
  };
  if (claimed.kind === 'refused') {
    return claimed.rejection.code === 'INVENTORY_EXHAUSTED'
      ? { kind: 'exhausted', free: claimed.rejection.free }
      : 'claim-lost';
  }
  if (claimed.kind !== 'claimed') return { kind: 'contended' };
  const recorded: StepResult = yield {
    to: 'guest',
    id: guestId(claim.id),
    command: { type: 'RecordGuest', booking, fingerprint: guestFingerprint, guest },
  };
  if (recorded.kind === 'erased') return 'claim-lost';
  if (recorded.kind !== 'done') return { kind: 'contended' };
  return yield* confirmWith(claim, ask, claimed.opening);
}

function* confirmWith(
  claim: ClaimRef,
  ask: BookingAsk,
  opening: Opening,
): Generator<Step, AttemptOutcome | 'claim-lost', StepResult> {
  const facts: BookingFacts = {
    ...ask.facts,
    claims: [claim],
    guest: ask.guestFingerprint,
    pricing: priceOf(opening, ask.hotelPercentOff),
    cancellation: opening.cancellation,
  };
  const booked: StepResult = yield {
    to: 'booking',
    id: ask.booking,
    command: { type: 'Book', facts, voucher: ask.voucher },
  };
  if (booked.kind === 'done') return { kind: 'booked' };
  if (booked.kind !== 'refused') return { kind: 'contended' };
  switch (booked.rejection.code) {
    case 'CLAIM_ABANDONED':
      return 'claim-lost';
    case 'IDEMPOTENCY_KEY_REUSED':
      return { kind: 'key-reused' };
    default:
      return { kind: 'contended' };
  }
}

/** The price of an allotment at this moment, per person, for guests of a hotel that takes so much off. */
export function priceOf({ unitPriceMinor, currency }: Opening, hotelPercentOff: number): Pricing {
  return { unitPriceMinor, discountMinor: hotelDiscountMinor(unitPriceMinor, hotelPercentOff), currency };
}
