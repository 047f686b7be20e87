import type { CancellationPolicy } from '../../domain/activity/activity.ts';
import { amounts, freeUntilMs, type Pricing } from '../../domain/activity/pricing.ts';
import type { Confirmation, Language } from '../../domain/activity/vocabulary.ts';
import { type Allotment, currentSchedule, freeSlots, quotePrice } from '../../domain/allotment/state.ts';
import { overShare } from '../../domain/allotment/unpaid.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { BookingId } from '../../domain/ids.ts';
import { overUnpaidShare } from '../exposure/refusals.ts';
import { holdIn, usableHold } from '../hold/read-hold.ts';
import { noReply, type Refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import { type Offer, type ReferringRequest, type RequestedOffer, requestedOffer } from './booking-offer.ts';
import { type ExpectedTotal, expectedTotalIn, priceChanged } from './expected-total.ts';
import { exposedBy, predictGuests, unpaidTaker } from './expose-booking.ts';
import { predictSpendingLimit, spendingGuard } from './spending-limits.ts';

export type Quote = {
  readonly kind: 'quote';
  readonly availableSlots: number;
  readonly guests: number;
  readonly pricing: Pricing;
  readonly confirmation: Confirmation;
  readonly cancellation: CancellationPolicy;
  /** End of free cancellation, ms since the epoch. */
  readonly freeUntilMs: number;
  /** Of a booking by the same request. */
  readonly language: Language;
};

/** `language` of the answer to a booking. Null: the language of the context log, else English. */
type QuoteRequest = ReferringRequest & { readonly language: Language | null };

/**
 * The present price and the free slots, including those of the caller's hold. Like a booking, refuses a total other
 * than the expected one. Writes nothing.
 */
export async function quoteBooking(
  request: QuoteRequest & ExpectedTotal,
  context: BookingContext,
): Promise<Quote | Refused> {
  const requested = await requestedOffer(request, context);
  if (requested.kind === 'refused') return requested;
  const { currency } = requested.offer.schedule;
  const expected = expectedTotalIn(request, currency);
  if (expected.kind === 'refused') return expected;
  const quote = await quoteOf(request, requested, context);
  if (quote.kind === 'refused' || expected.minor === null) return quote;
  const { totalMinor } = amounts(quote.pricing, quote.guests);
  return totalMinor === expected.minor ? quote : priceChanged(request, quote.guests, totalMinor, currency);
}

async function quoteOf(
  request: QuoteRequest,
  requested: RequestedOffer,
  context: BookingContext,
): Promise<Quote | Refused> {
  const { hold, offer, contextLog } = requested;
  const { schedule, hotelPercentOff } = offer;
  const deadlineMs = context.clock.nowMs() + context.limits.responseMs;
  const reply = await context.streams.allotments.read(offer.allotment, deadlineMs);
  if (reply.kind !== 'state') return noReply(reply);
  const { cancellation } = currentSchedule(reply.state, schedule);
  const quote = {
    kind: 'quote',
    guests: guestsOf(request),
    confirmation: offer.activity.confirmation,
    cancellation,
    freeUntilMs: freeUntilMs(cancellation, offer.day.opensAtMs),
    language: request.language ?? contextLog?.facts.language ?? 'en',
  } as const;
  const free = freeSlots(reply.state, schedule);
  const nowMs = context.clock.nowMs();
  const held = hold === null ? null : usableHold(hold.id, holdIn(reply.state, hold)?.hold, nowMs);
  if (held?.kind === 'refused') return held;
  const pricing = held?.hold.pricing ?? quotePrice(reply.state, schedule, { hotelPercentOff, nowMs });
  const guard = spendingGuard(request.keyId, new Date(nowMs).toISOString(), context);
  const exposed = exposedBy(UNBOOKED, request, offer);
  const overLimit =
    (await predictSpendingLimit(pricing, quote.guests, guard, context)) ??
    predictShare(request, { offer, held: held !== null }, reply.state, context) ??
    (await predictGuests(request.keyId, exposed, context));
  return overLimit ?? { ...quote, availableSlots: free + (held?.hold.size ?? 0), pricing };
}

/** A quote has no booking yet. */
const UNBOOKED = '' as BookingId;

/** The refusal that the places of a booking on request would get; null for none. A hold's places count already. */
function predictShare(
  request: QuoteRequest,
  { offer, held }: { readonly offer: Offer; readonly held: boolean },
  allotment: Allotment,
  context: BookingContext,
): Refused | null {
  const taker = unpaidTaker(request.keyId, offer.activity.confirmation, context);
  if (taker === null || held) return null;
  const over = overShare(taker, guestsOf(request), allotment, offer.schedule, context.clock.nowMs());
  return over === null ? null : overUnpaidShare(over);
}
