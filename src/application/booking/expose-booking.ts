import { freeUntilMs } from '../../domain/activity/pricing.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import type { Exposed } from '../../domain/exposure/counter.ts';
import type { UnpaidTaker } from '../../domain/exposure/exposure.ts';
import type { BookingId, KeyId } from '../../domain/ids.ts';
import { refundable } from '../exposure/compare-with-log.ts';
import { predictExposure, reserveExposure, settleExposure } from '../exposure/reserve-exposure.ts';
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

/** Whether a run of a workflow may have made or changed the booking. */
const MAY_COUNT: ReadonlySet<string> = new Set(['booked', 'processing', 'modified', 'contended', 'unavailable']);

/**
 * Runs a workflow while the booking's guests that can be cancelled free are reserved; returns them if nothing was stored.
 * `exposed`: null if they do not become more.
 */
export async function withGuestsReserved<Result extends { readonly outcome: { readonly kind: string } }>(
  keyId: KeyId,
  exposed: Exposed | null,
  drive: () => Promise<Result>,
  context: BookingContext,
): Promise<{ readonly kind: 'driven'; readonly result: Result } | Refused> {
  const reserved = exposed === null ? null : await reserveExposure(keyId, 'refundableGuests', exposed, context);
  if (reserved?.kind === 'refused') return reserved;
  const result = await drive();
  if (!MAY_COUNT.has(result.outcome.kind)) await reserved?.giveBack();
  return { kind: 'driven', result };
}

/** The refusal that a reservation would get; null for none. */
export async function predictGuests(
  keyId: KeyId,
  exposed: Exposed | null,
  context: BookingContext,
): Promise<Refused | null> {
  return exposed === null ? null : predictExposure(keyId, 'refundableGuests', exposed, context);
}

/** Corrects what a booking takes of `refundable_guests` after a request that began at `beganMs` changed or ended it. */
export async function settleGuests(
  subject: BookingId,
  booking: ExistingBooking,
  context: Pick<BookingContext, 'exposure' | 'clock' | 'limits'>,
  beganMs?: number,
): Promise<void> {
  const settling = { subject, counts: refundable(booking) };
  await settleExposure(booking.facts.keyId, 'refundableGuests', settling, context, beganMs);
}
