import { unreachable } from '../../eventsourcing/message.ts';
import type { CancellationPolicy, LocalDate } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import { type Pricing, priceOf } from '../activity/pricing.ts';
import { localDate } from '../activity/schedule.ts';

/** What the schedule says of a date, by a revision of the activity's catalogue entry. Price per person. */
export type Scheduled = {
  readonly capacity: number;
  readonly unitPriceMinor: number;
  readonly cancellation: CancellationPolicy;
  /** How often the catalogue entry had changed when this was read from it. */
  readonly catalogueRevision: number;
};

/** A discount on the day itself. From `expiresAtMs` (ms since the epoch) on it no longer counts. */
export type FlashDeal = {
  /** 30 to 50. */
  readonly discountPercent: number;
  readonly expiresAtMs: number;
  readonly by: DealMaker;
};

/** Who decides about the deals of a date: the policy, until an operator has spoken. */
export type DealMaker = 'policy' | 'operator';

/** On what terms a date is sold. */
export type Terms = {
  /** As it was followed last. */
  readonly schedule: Scheduled;
  /** The operator's; null: the schedule's. */
  readonly setCapacity: number | null;
  readonly setPriceMinor: number | null;
  /** The deal that was started last, until its end is recorded. Whether it counts at a moment says `dealAt`. */
  readonly deal: FlashDeal | null;
  readonly dealsBy: DealMaker;
};

/** The events of an allotment by which its terms change; the storage format of these. */
export type TermsEvent =
  /** The catalogue entry has changed since: from here on this is what the schedule says. */
  | { readonly type: 'ScheduleFollowed'; readonly data: Scheduled }
  /** By an operator; null: back to the schedule's. */
  | { readonly type: 'CapacitySet'; readonly data: { readonly capacity: number | null } }
  | { readonly type: 'PriceSet'; readonly data: { readonly unitPriceMinor: number | null } }
  /** In the place of any deal before it. */
  | { readonly type: 'FlashDealStarted'; readonly data: FlashDeal }
  /** Its time is over, or an operator wants none: also where there is none, and then the policy starts none either. */
  | { readonly type: 'FlashDealEnded'; readonly data: { readonly because: 'expired' | 'operator' } };

/** As the schedule says, and nobody has said anything else. */
export function termsBySchedule(schedule: Scheduled): Terms {
  return { schedule, setCapacity: null, setPriceMinor: null, deal: null, dealsBy: 'policy' };
}

/** The terms after an event; decider and read model fold them by the same rule. */
export function evolveTerms<T extends Terms>(terms: T, event: TermsEvent): T {
  switch (event.type) {
    case 'ScheduleFollowed':
      return { ...terms, schedule: { ...terms.schedule, ...event.data } };
    case 'CapacitySet':
      return { ...terms, setCapacity: event.data.capacity };
    case 'PriceSet':
      return { ...terms, setPriceMinor: event.data.unitPriceMinor };
    case 'FlashDealStarted':
      return { ...terms, deal: event.data, dealsBy: event.data.by === 'operator' ? 'operator' : terms.dealsBy };
    case 'FlashDealEnded':
      return { ...terms, deal: null, dealsBy: event.data.because === 'operator' ? 'operator' : terms.dealsBy };
    default:
      return unreachable(event);
  }
}

/**
 * Capacity and full price per person: the operator's, else those of the newer schedule, the one that was followed last or
 * the present one.
 */
export function standing(
  { schedule, setCapacity, setPriceMinor }: Terms,
  present: Scheduled,
): { readonly capacity: number; readonly unitPriceMinor: number } {
  const { capacity, unitPriceMinor } = newerSchedule(schedule, present);
  return { capacity: setCapacity ?? capacity, unitPriceMinor: setPriceMinor ?? unitPriceMinor };
}

export function newerSchedule<S extends Pick<Scheduled, 'catalogueRevision'>>(known: S, present: S): S {
  return present.catalogueRevision > known.catalogueRevision ? present : known;
}

/** One activity's date, where it is. */
export type Place = { readonly city: CityName; readonly date: LocalDate };

/** The deal that counts for who books at a moment (ms since the epoch): before its end, and only on the day itself. */
export function dealAt(deal: FlashDeal | null, { city, date }: Place, nowMs: number): FlashDeal | null {
  return deal !== null && nowMs < deal.expiresAtMs && localDate(city, nowMs) === date ? deal : null;
}

/**
 * What one guest pays who books at a moment. A deal and what a hotel takes off do not add up: the larger of the two counts.
 */
export function presentPrice(
  unitPriceMinor: number,
  deal: FlashDeal | null,
  hotelPercentOff: number,
  { city, date, currency }: Place & { readonly currency: Currency },
  nowMs: number,
): Pricing {
  const dealPercent = dealAt(deal, { city, date }, nowMs)?.discountPercent ?? 0;
  return priceOf({ unitPriceMinor, currency }, Math.max(dealPercent, hotelPercentOff));
}
