import type { Activity, ActivityId, HotelId, LocalDate } from '../../domain/activity/activity.ts';
import { addDays, type Day, dayOf, localDate } from '../../domain/activity/schedule.ts';
import { notOnSale } from '../../domain/activity/understand-date.ts';
import { type DateSchedule, dateSchedule } from '../../domain/allotment/events.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { type AllotmentId, allotmentIdOf, type KeyId, type Mode, testAllotmentOf } from '../../domain/ids.ts';
import { type FreeDate, freeDates, namedDates } from '../activity/free-dates.ts';
import { unknownActivity } from '../activity/unknown-activity.ts';
import { type AskedHold, readHoldToBook } from '../hold/read-hold.ts';
import { type ContextLog, readContextLog } from '../recommend/read-context-log.ts';
import { type Refused, refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';

/** A request to book, hold or quote, with the ids that it refers to. */
export type ReferringRequest = Omit<OfferRequest, keyof GuestsHotel> & {
  readonly keyId: KeyId;
  /** log_id of the recommendation that led to the request. */
  readonly contextLogId: string | null;
  /** The hold to use: its slots and its price. */
  readonly holdId: string | null;
};

/** An offer, with the context log and the hold that the request refers to; null for none. */
export type RequestedOffer = {
  readonly kind: 'requested';
  readonly offerRequest: OfferRequest;
  readonly offer: Offer;
  readonly contextLog: ContextLog | null;
  readonly hold: AskedHold | null;
};

/** What a caller wants to book or hold. */
export type OfferRequest = {
  readonly mode: Mode;
  readonly activityId: string;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
} & GuestsHotel;

/** The guests' hotel, from the recommendation; null: none. `hotelRates`: they get its rates. */
export type GuestsHotel = { readonly hotelId: HotelId | null; readonly hotelRates: boolean };

export type Offer = {
  readonly kind: 'offer';
  readonly activity: Activity;
  readonly day: Day;
  readonly allotment: AllotmentId;
  readonly schedule: DateSchedule;
  /** Hotel discount on the present price, in percent; 0 without a hotel. */
  readonly hotelPercentOff: number;
};

/** Reads the context log and the hold of a request, and checks the request like `offerOf`. */
export async function requestedOffer(
  request: ReferringRequest,
  context: BookingContext,
): Promise<RequestedOffer | Refused> {
  const { keyId, contextLogId, holdId } = request;
  const contextLog = contextLogId === null ? null : await readContextLog(contextLogId, keyId, context);
  if (contextLog?.kind === 'refused') return contextLog;
  const hold = holdId === null ? null : await readHoldToBook(holdId, request, context);
  if (hold?.kind === 'refused') return hold;
  const offerRequest = { ...request, ...guestsHotel(contextLog, context) };
  const offer = await offerOf(offerRequest, context);
  if (offer.kind === 'refused') return offer;
  // A hold of the previous day is in that day's test allotment.
  const held = hold === null ? offer : { ...offer, allotment: hold.facts.allotment };
  return { kind: 'requested', offerRequest, offer: held, contextLog, hold };
}

/** The rates of a hotel apply while what granted them lasts: the operator's allowance for the key, or the hotel's token. */
export function guestsHotel(contextLog: ContextLog | null, { hotelsOf, clock }: BookingContext): GuestsHotel {
  if (contextLog === null) return { hotelId: null, hotelRates: false };
  const { keyId, hotelId, hotelGrant } = contextLog.facts;
  if (hotelId === null || hotelGrant === undefined) return { hotelId, hotelRates: false };
  const hotelRates = hotelGrant.by === 'token' ? clock.nowMs() < hotelGrant.untilMs : hotelsOf(keyId).includes(hotelId);
  return { hotelId, hotelRates };
}

/** Checks a request against the catalogue and the calendar. Does not read the allotment. */
export async function offerOf(request: OfferRequest, context: BookingContext): Promise<Offer | Refused> {
  const { activityId, date } = request;
  const { catalogue, clock, limits } = context;
  const entry = catalogue.get(activityId);
  if (entry === undefined || !entry.listed) return unknownActivity(activityId, null, catalogue);
  const { activity } = entry;
  const { title } = activity.texts.en;
  if (activity.exclusiveTo !== null && activity.exclusiveTo !== request.hotelId) {
    const message = forGuestsOnly(title, activity.exclusiveTo, context.hotels());
    return refused('ACTIVITY_UNAVAILABLE', message, { alternatives: [] });
  }
  const nowMs = clock.nowMs();
  const today = localDate(activity.city, nowMs);
  const why = notOnSale(date, activity.city, nowMs, limits.daysAhead);
  if (why !== null) {
    const alternatives = otherDates(request, entry, today, context);
    return refused('INVALID_DATE', `booking_date ${date} ${why}.`, { alternatives });
  }
  const day = dayOf(activity, date);
  if (day === null || nowMs >= day.lastEntryMs) {
    const reason = day === null ? `is closed on ${date}` : 'takes no more guests today';
    const alternatives = otherDates(request, entry, date, context);
    const details = `available dates: ${alternatives.map((other) => other.booking_date).join(', ')}`;
    return refused('ACTIVITY_UNAVAILABLE', `${title} ${reason}; ${instead(alternatives)}.`, {
      details,
      alternatives,
    });
  }
  const { id } = activity;
  const schedule = dateSchedule(activity, entry.revision, day);
  const hotelPercentOff = percentOffOf(id, request.hotelRates ? request.hotelId : null, context.hotels());
  return {
    kind: 'offer',
    activity,
    day,
    allotment: allotmentToBook(request.mode, activity, date, nowMs),
    schedule,
    hotelPercentOff,
  };
}

/** The allotment from which a booking of this mode takes its slots at `nowMs` (ms since the epoch). */
export function allotmentToBook(
  mode: Mode,
  { id, city }: Pick<Activity, 'id' | 'city'>,
  date: LocalDate,
  nowMs: number,
): AllotmentId {
  const live = allotmentIdOf(id, date);
  return mode === 'live' ? live : testAllotmentOf(live, localDate(city, nowMs));
}

type Hotels = ReturnType<BookingContext['hotels']>;

function percentOffOf(activityId: ActivityId, hotelId: HotelId | null, hotels: Hotels): number {
  const rates = hotelId === null ? [] : (hotels.get(hotelId)?.rates ?? []);
  return rates.find((rate) => rate.activityId === activityId)?.percentOff ?? 0;
}

/** Error text for an activity that only guests of a hotel can book. */
export function forGuestsOnly(title: string, hotelId: HotelId, hotels: Hotels): string {
  // A node with a newer catalogue may have listed the hotel; then only its id is known here.
  const name = hotels.get(hotelId)?.name ?? hotelId;
  return (
    `${title} is for guests of ${name} only; for a guest call recommend with location.hotel_id "${hotelId}" ` +
    'and pass its log_id as context_log_id, otherwise choose another activity.'
  );
}

/**
 * The refusal for too few free slots, with alternative dates.
 *
 * @param request `slotsTaken`: slots that the booking already has on the date
 */
export function exhausted(
  request: OfferRequest & { readonly slotsTaken?: number },
  { activity, schedule }: Offer,
  free: number,
  context: BookingContext,
): Refused {
  const entry = { activity, revision: schedule.catalogueRevision };
  const alternatives = otherDates(request, entry, addDays(request.date, 1), context);
  const left = free === 0 ? 'no slots' : `only ${free} ${free === 1 ? 'slot' : 'slots'}`;
  const fewer = free === 0 ? '' : ', or fewer guests';
  const { slotsTaken = 0 } = request;
  const wanted = guestsOf(request) - slotsTaken;
  const whom = slotsTaken > 0 ? `${wanted} more` : `${wanted} ${wanted === 1 ? 'guest' : 'guests'}`;
  const message = `${activity.texts.en.title} has ${left} left on ${request.date} for ${whom}; ${instead(alternatives)}${fewer}.`;
  return refused('INVENTORY_EXHAUSTED', message, { details: `available_slots: ${free}`, alternatives });
}

function instead(alternatives: readonly FreeDate[]): string {
  return alternatives.length > 0 ? `choose another date${namedDates(alternatives)}` : 'choose another activity';
}

/** The next dates with enough free slots, also as `booking_date`, the field of the request. */
function otherDates(
  request: OfferRequest,
  entry: { readonly activity: Activity; readonly revision: number },
  from: LocalDate,
  context: BookingContext,
) {
  return freeDates(request.mode, entry, guestsOf(request), from, context).map((free) => ({
    ...free,
    booking_date: free.date,
  }));
}
