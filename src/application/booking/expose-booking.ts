import { freeUntilMs } from '../../domain/activity/pricing.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import type { UnpaidTaker } from '../../domain/exposure/exposure.ts';
import type { BookingId, KeyId } from '../../domain/ids.ts';
import { refundable } from '../exposure/compare-with-log.ts';
import {
  type Exposed,
  predictExposure,
  type Reserved,
  reserveExposure,
  settleExposure,
} from '../exposure/reserve-exposure.ts';
import type { Refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import type { Offer } from './booking-offer.ts';

type Party = { readonly numAdults: number; readonly numChildren: number };

/** Whose places a booking on request takes until the venue confirms it; null for a booking that is paid at once. */
export function unpaidTaker(
  keyId: KeyId,
  confirmation: 'instant' | 'on_request',
  { exposure }: Pick<BookingContext, 'exposure'>,
): UnpaidTaker | null {
  return confirmation === 'instant' ? null : { keyId, share: exposure.limitsOf(keyId)?.unpaidShare ?? null };
}

/** What a new booking takes of `refundable_guests`. */
export function exposedBy(id: BookingId, party: Party, { schedule, day }: Offer): Exposed {
  return { subject: id, amount: guestsOf(party), endsAtMs: freeUntilMs(schedule.cancellation, day.opensAtMs) };
}

/** What a booking takes of `refundable_guests` after a change. `offer`: of the slots to claim; null for none. */
export function exposedAfter(
  id: BookingId,
  booking: ExistingBooking,
  { party, offer }: { readonly party: Party; readonly offer: Offer | null },
): Exposed | null {
  if (offer !== null) return exposedBy(id, party, offer);
  const counts = refundable(booking);
  return counts === null ? null : { subject: id, ...counts, amount: guestsOf(party) };
}

/** Reserves the guests of a booking that can be cancelled free. Only more guests or another date reserve anything. */
export async function reserveGuests(
  keyId: KeyId,
  exposed: Exposed | null,
  context: BookingContext,
): Promise<Reserved | Refused | null> {
  return exposed === null ? null : reserveExposure(keyId, 'refundableGuests', exposed, context);
}

/** The refusal that `reserveGuests` would give; null for none. */
export async function predictGuests(
  keyId: KeyId,
  exposed: Exposed | null,
  context: BookingContext,
): Promise<Refused | null> {
  return exposed === null ? null : predictExposure(keyId, 'refundableGuests', exposed, context);
}

/** Corrects what a booking takes of `refundable_guests` after it was changed or ended. */
export async function settleGuests(
  id: BookingId,
  booking: ExistingBooking,
  context: Pick<BookingContext, 'exposure' | 'clock'>,
): Promise<void> {
  await settleExposure(booking.facts.keyId, 'refundableGuests', id, refundable(booking), context);
}
