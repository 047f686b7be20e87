import type { ActivityId, LocalDate, VenueId } from '../../../src/domain/activity/activity.ts';
import type { AllotmentId, BookingId, ClaimId, Opening } from '../../../src/domain/allotment/allotment.ts';
import type { BookingAsk, ClaimParts } from '../../../src/domain/booking/attempt.ts';
import type { Booking, CommandId, Fingerprint, KeyId } from '../../../src/domain/booking/booking.ts';

/**
 * Every claim is due from this time on (ms since an epoch of the model's own), one made after it at once: a deadline of
 * its own would allow it less.
 */
export const DEADLINE_MS = 1_000;

/** What a request asks for. Requests for the same `booking` carry the same Idempotency-Key. */
export type Wish = {
  readonly booking: string;
  readonly guests: number;
  /** The lead guest's name. */
  readonly guest: string;
  /** The allotment wished for. */
  readonly on: string;
  /** What the request's node would open the allotment with. The price is per guest, in minor units. */
  readonly capacity: number;
  readonly unitPriceMinor: number;
};

const BOOK = 'book' as CommandId;
const ACTIVITY = 'rafting' as ActivityId;

/** All that a node works out before an attempt's first step, once it has read the booking's stream. */
export function askOf(wish: Wish, abandonments: number): BookingAsk {
  return {
    booking: wish.booking as BookingId,
    allotment: wish.on as AllotmentId,
    opening: openingOf(wish),
    hotelPercentOff: 0,
    guests: wish.guests,
    guest: { name: wish.guest, email: `${wish.guest}@example.org`, specialRequests: null },
    guestFingerprint: wish.guest as Fingerprint,
    facts: {
      keyId: 'key' as KeyId,
      command: BOOK,
      fingerprint: fingerprintOf(wish),
      activityId: ACTIVITY,
      venueId: 'river' as VenueId,
      city: 'Bangkok',
      category: 'adventure',
      date: wish.on as LocalDate,
      numAdults: wish.guests,
      numChildren: 0,
      language: 'en',
      attribution: null,
      webhookUrl: null,
      at: '2026-01-01T00:00:00.000Z',
    },
    voucher: { code: `voucher of ${wish.booking}`, validFromMs: 0, validUntilMs: 1 },
    claimDeadlineMs: DEADLINE_MS,
    abandonments,
  };
}

/** Whether a booking is what was wished for, and not another wish under the same Idempotency-Key. */
export function fulfils(booking: Booking, wish: Wish): boolean {
  return (
    booking.status !== 'none' && booking.facts.command === BOOK && booking.facts.fingerprint === fingerprintOf(wish)
  );
}

/** A claim's id with all its parts in the clear; in production it is a digest of them. */
export function claimId({ booking, command, fingerprint, allotment, size, abandonments }: ClaimParts): ClaimId {
  return `${booking}(${command} ${fingerprint}: ${size}@${allotment})#${abandonments}` as ClaimId;
}

/** In the clear too: the lead guest, how many more, and when. */
export function fingerprintOf({ guests, guest, on }: Wish): Fingerprint {
  return `${guest}+${guests - 1}@${on}` as Fingerprint;
}

function openingOf({ on, capacity, unitPriceMinor }: Wish): Opening {
  return {
    activityId: ACTIVITY,
    city: 'Bangkok',
    date: on as LocalDate,
    capacity,
    unitPriceMinor,
    currency: 'THB',
    cancellation: { freeUntilHours: 24, percentKept: 50 },
    catalogueRevision: 0,
  };
}
