import { holdIn } from '../../domain/allotment/state.ts';
import type { KeyId } from '../../domain/ids.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import type { OfferRequest } from '../booking/booking-offer.ts';
import { type Refused, refused, serviceUnavailable } from '../refusal.ts';
import { usable } from './explain-hold.ts';
import { type AskedHold, readAllotmentOf, readAskedHold } from './read-hold.ts';

type WishOfKey = Omit<OfferRequest, 'hotelId'> & { readonly keyId: KeyId };

/** The hold that a booking names; refused where it is unknown, or where something else was held. */
export async function holdFor(id: string, wish: WishOfKey, context: BookingContext): Promise<AskedHold | Refused> {
  const asked = await readAskedHold(id, wish.keyId, context);
  if (asked.kind === 'refused') return asked;
  const { facts } = asked;
  const fields = [
    ['activity_id', facts.activityId, wish.activityId],
    ['booking_date', facts.date, wish.date],
    ['num_adults', facts.numAdults, wish.numAdults],
    ['num_children', facts.numChildren, wish.numChildren],
  ] as const;
  const faults = fields
    .filter(([, held, wished]) => held !== wished)
    .map(([name, held, wished]) => `${name} must be ${held}, as it was held; it was ${wished}.`);
  const [first] = faults;
  return first === undefined ? asked : refused('INVALID_REQUEST', first, { details: faults.join(' ') });
}

/** The refusal of a booking whose hold the allotment did not accept. */
export async function whyNotUsable(asked: AskedHold, context: BookingContext): Promise<Refused> {
  const read = await readAllotmentOf(asked.facts, context);
  if (read.kind === 'refused') return read;
  const found = usable(asked.id, holdIn(read.allotment, asked.id), context.clock.nowMs());
  // Only a clock that was set back makes a hold open again.
  return found.kind === 'refused'
    ? found
    : serviceUnavailable('contended', { call: `use of hold-${asked.id}, which is open again` });
}
