import { EVERYBODY, type GroundTruthDocument, type Sums, sumOf } from '../../projections/groundtruth/read-model.ts';
import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { Activity, CancellationPolicy } from '../domain/activity/activity.ts';
import { cityFacts } from '../domain/activity/cities.ts';
import { conditionsAt } from '../domain/activity/conditions.ts';
import { distanceKm } from '../domain/activity/distance.ts';
import { type ExchangeRates, highestWithinThb } from '../domain/activity/exchange.ts';
import type { Currency } from '../domain/activity/money.ts';
import { midnightMs, termsOn } from '../domain/activity/schedule.ts';
import { dealAt, effectiveTerms, type FlashDeal, newerSchedule, priceAt } from '../domain/allotment/terms.ts';
import { type Fade, fadeAt } from '../domain/learning/fading.ts';
import type { Evidence } from '../domain/recommendation/evidence.ts';
import type { RankedCandidate } from '../domain/recommendation/ranked.ts';
import { type RankingModel, withPower } from '../domain/recommendation/ranking-model.ts';
import { perMille, scoreCenti } from '../domain/recommendation/score.ts';
import { MINUTE_MS } from '../eventsourcing/durations.ts';
import type { Forecast, WeatherUnavailable } from '../ports/weather.ts';
import { type GroupedModes, withTestSlots } from './allotments-of-mode.ts';
import type { Candidate, CandidateDate, CityCandidates } from './candidates.ts';
import { groundTruthFactor, USUAL } from './factors/ground-truth.ts';
import { priceFactor, priceLevel } from './factors/price.ts';
import { profileFactor } from './factors/profile.ts';
import { planVisit, timeFactor, travelMinutes, type VisitPlan } from './factors/time.ts';
import { weatherFactor } from './factors/weather.ts';
import type { RecommendRequest } from './request.ts';
import { type VisitWeather, type WeatherOfVisits, weatherOfVisits } from './visit-weather.ts';

/** The request's part of a ranking's input. */
export type RankingQuery = Pick<
  RecommendRequest,
  'mode' | 'profile' | 'place' | 'filters' | 'days' | 'guests' | 'includeFlashDeals'
> & {
  readonly model: RankingModel;
  readonly nowMs: number;
  readonly weather: Forecast | WeatherUnavailable;
};

/** The current read models that a ranking uses. */
export type RankingData = GroupedModes & {
  readonly groundTruth: { get(id: string): GroundTruthDocument | undefined };
  readonly exchangeRates: () => ExchangeRates;
};

/** An activity on its best date, with its score and the facts behind the reason text. */
export type ScoredActivity = RankedCandidate & {
  readonly activity: Activity;
  readonly unitPriceMinor: number;
  /** The unit price minus the larger of the flash deal's and the hotel's discount. */
  readonly presentPriceMinor: number;
  /** 0 without a hotel rate, or if the flash deal's discount is at least as large. */
  readonly hotelPercentOff: number;
  /** Null without a deal, if the request excludes deals, or if the hotel's discount is larger. */
  readonly deal: FlashDeal | null;
  readonly cancellation: CancellationPolicy;
  /** 0-100, in hundredths. */
  readonly scoreCenti: number;
  readonly plan: VisitPlan;
  readonly distanceKm: number | null;
  readonly weather: VisitWeather['worst'];
  /** Rank of the full price among the city's prices, in [0,1]. */
  readonly priceLevel: number;
  readonly evidence: Evidence;
  /** The ground truth that was learnt, in thousandths. `factors.groundTruth` differs from it if exploration lifted the activity. */
  readonly learntGroundTruth: number;
};

type Discount = Pick<ScoredActivity, 'hotelPercentOff' | 'deal'> & { readonly discountMinor: number };
const NO_VISITS: Sums = { visited: [], expected: [] };
/** Less would be shown as no visit; a withdrawal leaves a rounding error above 0. */
const LEAST_VISITS = 0.05;
const NO_DISCOUNT: Discount = { discountMinor: 0, hotelPercentOff: 0, deal: null };

/**
 * The scores of one request, one candidate and date at a time. Its fields hold the present ones, so that the thousands of
 * candidates that the answer does not show make few objects; `scored` copies them.
 */
export class Scoring {
  readonly #city: CityCandidates;
  readonly #query: RankingQuery;
  readonly #data: RankingData;
  /** The allotment of a candidate on a date, by their indexes, in the caller's mode. */
  readonly #allotmentOf: AllotmentOf;
  /** When the guest sets out: now, or at the start of the first date if that is later. In ms since the epoch. */
  readonly #setOutMs: number;
  readonly #utcOffsetMinutes: number;
  /** Index of the travel type's sums, and what the sums are multiplied by. */
  readonly #sum: number;
  readonly #fade: Fade;
  readonly #percentOff: ReadonlyMap<string, number>;
  readonly #weatherOf: WeatherOfVisits;
  readonly #highestPrices = new Map<Currency, number>();
  /** By the indexes of date and timetable: the visits of guests who arrive before the opening, or without travel. */
  readonly #plans: (VisitPlan | null | undefined)[];

  // Of the present candidate:
  #index = 0;
  #candidate!: Candidate;
  #distanceKm: number | null = null;
  #visits: GroundTruthDocument | undefined;
  #profile = 0;
  #groundTruth = 0;

  // Of the present date:
  #date!: CandidateDate;
  #plan!: VisitPlan;
  #document: InventoryDocument | null = null;
  #unitPriceMinor = 0;
  #discount = NO_DISCOUNT;

  constructor(city: CityCandidates, query: RankingQuery, data: RankingData) {
    const { name } = city.city;
    const [first] = city.dates;
    const { hotel, hotelGrant } = query.place;
    const rates = hotelGrant === null ? [] : (hotel?.rates ?? []);
    this.#city = city;
    this.#query = query;
    this.#data = data;
    this.#allotmentOf = query.mode === 'live' ? liveAllotments(city, data) : testAllotments(city, data);
    this.#setOutMs = first === undefined || first.date === city.today ? query.nowMs : midnightMs(name, first.date);
    this.#utcOffsetMinutes = cityFacts(name).utcOffsetMinutes;
    this.#sum = sumOf(query.profile.travelType);
    this.#fade = fadeAt(query.nowMs);
    this.#percentOff = new Map(rates.map(({ activityId, percentOff }) => [activityId, percentOff]));
    this.#plans = Array.from({ length: city.dates.length * city.city.timetables }, () => undefined);
    this.#weatherOf = weatherOfVisits((hourMs) => conditionsAt(query.weather, name, hourMs));
  }

  /** Goes to a candidate, by its index. */
  begin(index: number): void {
    const candidate = this.#city.city.candidates[index] as Candidate;
    const { activity } = candidate;
    const { position } = this.#query.place;
    this.#index = index;
    this.#candidate = candidate;
    this.#distanceKm = position === null ? null : distanceKm(position, activity.venue);
    this.#visits = this.#data.groundTruth.get(activity.id);
    this.#profile = perMille(profileFactor(activity, this.#query.profile));
    this.#groundTruth = this.#groundTruthNow();
  }

  /** A score that the candidate exceeds on no date. */
  get highestCenti(): number {
    return scoreCenti({
      profile: this.#profile,
      groundTruth: this.#groundTruth,
      weather: 1_000,
      time: 1_000,
      price: 1_000,
    });
  }

  /**
   * Goes to a date of the candidate, by its index. False if it is closed, has too few free slots, costs more than the maximum, or closes
   * before the guest can arrive.
   */
  isFreeOn(dateIndex: number, maxPriceThbMinor: number | null): boolean {
    const { activity, revision } = this.#candidate;
    const date = this.#city.dates[dateIndex] as CandidateDate;
    const plan = this.#planOn(date, dateIndex);
    if (plan === null) return false;
    const document = this.#allotmentOf(this.#index, dateIndex);
    let terms = termsOn(activity, date.date);
    if (document !== null) {
      const current = { ...terms, cancellation: activity.cancellation, catalogueRevision: revision };
      terms = effectiveTerms(document, current);
    }
    if ((document?.taken ?? 0) + this.#query.guests > terms.capacity) return false;
    this.#date = date;
    this.#plan = plan;
    this.#document = document;
    this.#unitPriceMinor = terms.unitPriceMinor;
    this.#discount = this.#discountNow();
    if (maxPriceThbMinor === null) return true;
    return terms.unitPriceMinor - this.#discount.discountMinor <= this.#highestPrice(maxPriceThbMinor);
  }

  /** Of the present candidate and date. 0-100, in hundredths. */
  get scoreCenti(): number {
    return scoreCenti(this.#factors());
  }

  /** The present candidate and date. */
  scored(): ScoredActivity {
    const { activity, revision } = this.#candidate;
    const { date } = this.#date;
    const { discountMinor, hotelPercentOff, deal } = this.#discount;
    const unitPriceMinor = this.#unitPriceMinor;
    const factors = this.#factors();
    const stored = this.#document?.schedule;
    const current = { cancellation: activity.cancellation, catalogueRevision: revision };
    return {
      activityId: activity.id,
      date,
      activity,
      unitPriceMinor,
      presentPriceMinor: unitPriceMinor - discountMinor,
      hotelPercentOff,
      deal,
      cancellation: (stored === undefined ? current : newerSchedule(stored, current)).cancellation,
      factors,
      scoreCenti: scoreCenti(factors),
      plan: this.#plan,
      distanceKm: this.#distanceKm,
      weather: this.#weatherOf(this.#plan.startMs, activity.durationMinutes).worst,
      priceLevel: this.#level(),
      evidence: this.#evidence(),
      learntGroundTruth: this.#groundTruth,
    };
  }

  #groundTruthNow(): number {
    const factor = this.#visits === undefined ? USUAL : groundTruthFactor(this.#visits, this.#sum, this.#fade);
    return withPower(perMille(factor), this.#query.model.groundTruthPower);
  }

  #evidence(): Evidence {
    const { visited, expected } = this.#visits?.lasting ?? NO_VISITS;
    const { lasting } = this.#fade;
    const sameType = (visited[this.#sum] ?? 0) * lasting >= LEAST_VISITS;
    const sum = sameType ? this.#sum : EVERYBODY;
    return { visited: (visited[sum] ?? 0) * lasting, expected: (expected[sum] ?? 0) * lasting, sameType };
  }

  #factors(): ScoredActivity['factors'] {
    const { activity } = this.#candidate;
    const { pleasantness: outside } = this.#weatherOf(this.#plan.startMs, activity.durationMinutes);
    const discount = this.#discount.discountMinor / this.#unitPriceMinor;
    return {
      profile: this.#profile,
      groundTruth: this.#groundTruth,
      weather: perMille(weatherFactor(activity.setting, outside)),
      time: perMille(timeFactor(this.#plan, { nowMs: this.#setOutMs, distanceKm: this.#distanceKm })),
      price: perMille(priceFactor(this.#query.profile.budget, this.#level(), discount)),
    };
  }

  #level(): number {
    const { activity, level } = this.#candidate;
    if (this.#unitPriceMinor === activity.priceMinor) return level;
    return priceLevel(this.#unitPriceMinor, this.#city.city.pricesMinor);
  }

  /** Null if the activity is closed, or if the guest arrives after the last entry. */
  #planOn(date: CandidateDate, dateIndex: number): VisitPlan | null {
    const { timetable, activity } = this.#candidate;
    const hours = date.hours[timetable] ?? null;
    if (hours === null) return null;
    const at = { nowMs: this.#setOutMs, utcOffsetMinutes: this.#utcOffsetMinutes };
    const travelMs = travelMinutes(this.#distanceKm) * MINUTE_MS;
    if (travelMs > 0 && this.#setOutMs + travelMs > hours.opensAtMs)
      return planVisit(hours, { ...at, distanceKm: this.#distanceKm }, activity.bestTimes);
    const place = dateIndex * this.#city.city.timetables + timetable;
    const known = this.#plans[place];
    if (known !== undefined) return known;
    const plan = planVisit(hours, { ...at, distanceKm: null }, activity.bestTimes);
    this.#plans[place] = plan;
    return plan;
  }

  /** The larger one of the hotel's and the flash deal's discount. */
  #discountNow(): Discount {
    const { nowMs, includeFlashDeals } = this.#query;
    const eligibleDeal = includeFlashDeals ? (this.#document?.deal ?? null) : null;
    const hotel = this.#percentOff.get(this.#candidate.activity.id) ?? 0;
    if (eligibleDeal === null && hotel === 0) return NO_DISCOUNT;
    const { city, currency } = this.#candidate.activity;
    const on = { city, currency, date: this.#date.date };
    const { discountMinor } = priceAt(this.#unitPriceMinor, eligibleDeal, hotel, on, nowMs);
    const activeDeal = dealAt(eligibleDeal, on, nowMs);
    const deal = activeDeal !== null && activeDeal.discountPercent >= hotel ? activeDeal : null;
    return { discountMinor, hotelPercentOff: deal === null ? hotel : 0, deal };
  }

  /** The maximum in the currency of the present activity. */
  #highestPrice(maxPriceThbMinor: number): number {
    const { currency } = this.#candidate.activity;
    const known = this.#highestPrices.get(currency);
    if (known !== undefined) return known;
    const highest = highestWithinThb(maxPriceThbMinor, currency, this.#data.exchangeRates());
    this.#highestPrices.set(currency, highest);
    return highest;
  }
}

type AllotmentOf = (index: number, dateIndex: number) => InventoryDocument | null;

function liveAllotments({ city, dates }: CityCandidates, { allotments }: RankingData): AllotmentOf {
  const known = dates.map((date) => city.allotmentsOn(date, allotments));
  return (index, dateIndex) => known[dateIndex]?.[index] ?? null;
}

function testAllotments({ city, today, dates }: CityCandidates, data: RankingData): AllotmentOf {
  const live = dates.map((date) => city.allotmentsOn(date, data.allotments));
  const ofTests = dates.map((date) => city.testAllotmentsOn(date, today, data.testAllotments));
  return (index, dateIndex) => withTestSlots(live[dateIndex]?.[index], ofTests[dateIndex]?.[index]) ?? null;
}
