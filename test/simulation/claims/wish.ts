import type { ActivityId, LocalDate, VenueId } from '../../../src/domain/activity/activity.ts';
import type { AllotmentId, BookingId, ClaimId, Opening } from '../../../src/domain/allotment/allotment.ts';
import type { BookingAsk, ClaimParts } from '../../../src/domain/booking/attempt.ts';
import type { Booking, CommandId, Fingerprint, KeyId } from '../../../src/domain/booking/booking.ts';

/** Before this time no claim is due, from it on every claim is: ms since an epoch of the model's own. */
export const DEADLINE_MS = 1_000;
const ACTIVITY = 'raft' as ActivityId;
const CITY = 'Bangkok';
const CURRENCY = 'THB';
const CANCELLATION = { freeUntilHours: 24, percentKept: 50 };

/** What a request asks for. Requests with the same `booking` carry the same Idempotency-Key. */
export type Wish = {
  readonly booking: string;
  readonly guests: number;
  /** The lead guest's name. */
  readonly guest: string;
  /** The allotment, by its date's name. */
  readonly on: string;
  /** What the requests's node believes of an allotment that is not open yet. */
  readonly capacity: number;
  readonly priceMinor: number;
};

/** Two requests with the same fingerprint are the same wish. Readable here, a keyed digest in production. */
export function fingerprintOf({ guests, guest, on }: Wish): Fingerprint {
  return `${guests} with ${guest} on ${on}` as Fingerprint;
}

export function commandOf({ booking }: Wish): CommandId {
  return `book ${booking}` as CommandId;
}

export function openingOf({ on, capacity, priceMinor }: Wish): Opening {
  return {
    activityId: ACTIVITY,
    city: CITY,
    date: on as LocalDate,
    capacity,
    unitPriceMinor: priceMinor,
    currency: CURRENCY,
    cancellation: CANCELLATION,
    catalogueRevision: 0,
  };
}

/** All that a node works out before an attempt's first step, once it has read the booking's stream. */
export function askOf(wish: Wish, abandonments: number): BookingAsk {
  return {
    booking: wish.booking as BookingId,
    allotment: wish.on as AllotmentId,
    opening: openingOf(wish),
    guests: wish.guests,
    guest: { name: wish.guest, email: `${wish.guest}@example.org`, specialRequests: null },
    guestFingerprint: wish.guest as Fingerprint,
    facts: {
      keyId: 'key' as KeyId,
      command: commandOf(wish),
      fingerprint: fingerprintOf(wish),
      activityId: ACTIVITY,
      venueId: 'river' as VenueId,
      city: CITY,
      category: 'adventure',
      date: wish.on as LocalDate,
      numAdults: wish.guests,
      numChildren: 0,
      language: 'en',
      contextLogId: null,
      webhookUrl: null,
      at: '2026-01-01T00:00:00.000Z',
    },
    voucher: { code: `voucher ${wish.booking}`, validFromMs: 0, validUntilMs: 1 },
    claimDeadlineMs: DEADLINE_MS,
    abandonments,
  };
}

/** Whether a booking is what was wished for, and not another wish under the same Idempotency-Key. */
export function fulfils(booking: Booking, wish: Wish): boolean {
  return (
    booking.status !== 'none' &&
    booking.facts.command === commandOf(wish) &&
    booking.facts.fingerprint === fingerprintOf(wish)
  );
}

/** A claim's id with every part in it, in the clear: what a digest of the parts stands for. */
export function claimId({ booking, command, fingerprint, allotment, size, abandonments }: ClaimParts): ClaimId {
  return `${[booking, command, fingerprint, allotment, size, abandonments].join('/')}` as ClaimId;
}
