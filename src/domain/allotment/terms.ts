import { unreachable } from '../../eventsourcing/message.ts';
import type { CancellationPolicy, LocalDate } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import { type Pricing, priceOf } from '../activity/pricing.ts';
import { localDate } from '../activity/schedule.ts';

/** Capacity, price per person and policy of a date by the schedule, from a revision of the catalogue entry. */
export type ScheduledTerms = {
  readonly capacity: number;
  readonly unitPriceMinor: number;
  readonly cancellation: CancellationPolicy;
  readonly catalogueRevision: number;
};

/** A discount on the day itself, until `expiresAtMs` (ms since the epoch, exclusive). */
export type FlashDeal = {
  /** 30 to 50. */
  readonly discountPercent: number;
  readonly expiresAtMs: number;
  readonly by: DealMaker;
};

/** Who decides about the deals of a date: the policy, until an operator sets or ends a deal. */
type DealMaker = 'policy' | 'operator';

/** Capacity, price and deal of a date. */
export type Terms = {
  /** The schedule stored last. */
  readonly schedule: ScheduledTerms;
  /** Set by an operator; null: as the schedule says. */
  readonly setCapacity: number | null;
  readonly setPriceMinor: number | null;
  /** The last deal, until its end is recorded; `dealAt` says whether it applies at an instant. */
  readonly deal: FlashDeal | null;
  readonly dealsBy: DealMaker;
};

/** Events that change an allotment's terms. These types are the storage format. */
export type TermsEvent =
  /** The catalogue entry has changed; this is the new schedule. */
  | { readonly type: 'ScheduleFollowed'; readonly data: ScheduledTerms }
  /** By an operator; null: as the schedule says. */
  | { readonly type: 'CapacitySet'; readonly data: { readonly capacity: number | null } }
  | { readonly type: 'PriceSet'; readonly data: { readonly unitPriceMinor: number | null } }
  /** Replaces any earlier deal. */
  | { readonly type: 'FlashDealStarted'; readonly data: FlashDeal }
  /**
   * The deal expired, or an operator ended it. An operator's end also stops the policy, even without a running deal.
   */
  | { readonly type: 'FlashDealEnded'; readonly data: { readonly because: 'expired' | 'operator' } };

/** The terms of a date without an operator's settings or a deal. */
export function initialTerms<S extends ScheduledTerms>(schedule: S): Terms & { readonly schedule: S } {
  return { schedule, setCapacity: null, setPriceMinor: null, deal: null, dealsBy: 'policy' };
}

/** Folds the terms; shared by the decider and the read model. */
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
 * Capacity and full price per person: the operator's, else those of the newer of the stored and the current schedule.
 */
export function effectiveTerms(
  { schedule, setCapacity, setPriceMinor }: Terms,
  current: ScheduledTerms,
): { readonly capacity: number; readonly unitPriceMinor: number } {
  const { capacity, unitPriceMinor } = newerSchedule(schedule, current);
  return { capacity: setCapacity ?? capacity, unitPriceMinor: setPriceMinor ?? unitPriceMinor };
}

/** Free slots of a date with its own terms, under the current schedule; never below 0. */
export function slotsLeft(terms: Terms & { readonly taken: number }, current: ScheduledTerms): number {
  return Math.max(0, effectiveTerms(terms, current).capacity - terms.taken);
}

export function newerSchedule<S extends Pick<ScheduledTerms, 'catalogueRevision'>>(stored: S, current: S): S {
  return current.catalogueRevision > stored.catalogueRevision ? current : stored;
}

/** A date in a city. */
export type CityDate = { readonly city: CityName; readonly date: LocalDate };

/** The deal that applies at an instant (ms since the epoch): before its end, and only on the day itself. */
export function dealAt(deal: FlashDeal | null, { city, date }: CityDate, nowMs: number): FlashDeal | null {
  return deal !== null && nowMs < deal.expiresAtMs && localDate(city, nowMs) === date ? deal : null;
}

/** Price per guest at an instant. Deal and hotel discount do not add up: the larger one applies. */
export function priceAt(
  unitPriceMinor: number,
  deal: FlashDeal | null,
  hotelPercentOff: number,
  { city, date, currency }: CityDate & { readonly currency: Currency },
  nowMs: number,
): Pricing {
  const dealPercent = dealAt(deal, { city, date }, nowMs)?.discountPercent ?? 0;
  return priceOf({ unitPriceMinor, currency }, Math.max(dealPercent, hotelPercentOff));
}
