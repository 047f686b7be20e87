import { sumOf } from '../../projections/groundtruth/read-model.ts';
import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { Activity, CancellationPolicy } from '../domain/activity/activity.ts';
import { type ExchangeRates, highestWithinThb } from '../domain/activity/exchange.ts';
import type { Currency } from '../domain/activity/money.ts';
import { dealAt, type FlashDeal, newerSchedule, priceAt } from '../domain/allotment/terms.ts';
import { type Fade, fadeAt } from '../domain/learning/fading.ts';
import type { Evidence } from '../domain/recommendation/evidence.ts';
import type { RankedCandidate } from '../domain/recommendation/ranked.ts';
import { type RankingModel, withPower } from '../domain/recommendation/ranking-model.ts';
import { perMille, scoreCenti, scoreOfWeighted, WEIGHTS_PERCENT, WHOLE } from '../domain/recommendation/score.ts';
import type { Forecast, WeatherUnavailable } from '../ports/weather.ts';
import type { GroupedModes } from './allotments-of-mode.ts';
import type { Candidate, CandidateColumns } from './candidate-columns.ts';
import type { CandidateDate, CityCandidates } from './candidates.ts';
import type { DateSlots } from './date-slots.ts';
import { USUAL } from './factors/ground-truth.ts';
import { priceFactor, priceLevel } from './factors/price.ts';
import { profileFactor } from './factors/profile.ts';
import type { VisitPlan } from './factors/time.ts';
import type { GroundTruths, Learnt } from './learnt.ts';
import type { RecommendRequest } from './request.ts';
import type { VisitWeather } from './visit-weather.ts';
import { Visits } from './visits.ts';

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
  readonly groundTruth: GroundTruths;
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

type Repriced = { has(index: number): boolean };
type Discount = Pick<ScoredActivity, 'hotelPercentOff' | 'deal'> & { readonly discountMinor: number };
/** Not computed yet. */
const UNKNOWN = -1;
const NO_DISCOUNT: Discount = { discountMinor: 0, hotelPercentOff: 0, deal: null };

/**
 * The scores of one request, one candidate and date at a time. Its fields hold the present ones, so that the thousands of
 * candidates that the answer does not show make few objects; `scored` copies them.
 */
export class Scoring {
  readonly #city: CityCandidates;
  readonly #query: RankingQuery;
  readonly #data: RankingData;
  readonly #columns: CandidateColumns;
  /** By date, in the caller's mode. */
  readonly #slots: readonly DateSlots[];
  readonly #learnt: Learnt;
  /** Index of the travel type's sums, and what the sums are multiplied by. */
  readonly #sum: number;
  readonly #fade: Fade;
  /** The hotel's discounts, by candidate. */
  readonly #percentOff: ReadonlyMap<number, number>;
  readonly #visits: Visits;
  readonly #highestPrices = new Map<Currency, number>();
  /** By kind of candidate, in thousandths. */
  readonly #profiles: Int16Array;
  /** The price factors of the catalogue's prices, in thousandths. */
  readonly #priceFactors: Int16Array;
  /** By date: whether it is today, and the candidates with another price or a deal. */
  readonly #isToday: readonly boolean[];
  readonly #repriced: readonly (readonly Repriced[])[];
  /** The ground-truth factor without evidence, in thousandths. */
  readonly #usual: number;

  // Of the present candidate:
  #index = 0;
  #groundTruth = UNKNOWN;

  // Of the present date:
  #dateIndex = 0;
  #unitPriceMinor = 0;
  #discount = NO_DISCOUNT;

  constructor(city: CityCandidates, query: RankingQuery, data: RankingData) {
    const { hotel, hotelGrant } = query.place;
    const rates = hotelGrant === null ? [] : (hotel?.rates ?? []);
    this.#city = city;
    this.#query = query;
    this.#data = data;
    const { columns } = city.city;
    this.#columns = columns;
    this.#slots = city.dates.map((date) =>
      query.mode === 'live' ? city.city.slotsOn(date, data) : city.city.testSlotsOn(date, city.today, data),
    );
    this.#learnt = city.city.groundTruthIn(data.groundTruth);
    this.#sum = sumOf(query.profile.travelType);
    this.#fade = fadeAt(query.nowMs);
    this.#percentOff = new Map(
      rates.flatMap(({ activityId, percentOff }) => {
        const index = city.city.indexOf(activityId);
        return index === undefined ? [] : [[index, percentOff] as const];
      }),
    );
    this.#priceFactors = city.city.priceFactors(query.profile.budget);
    this.#isToday = city.dates.map(({ date }) => date === city.today);
    this.#repriced = this.#slots.map(({ repriced, deals }) =>
      [repriced, deals, this.#percentOff].filter(({ size }) => size > 0),
    );
    const { examples } = columns.kinds;
    this.#profiles = new Int16Array(examples.length);
    for (let kind = 0; kind < examples.length; kind++)
      this.#profiles[kind] = perMille(profileFactor(examples[kind] as Activity, query.profile));
    this.#usual = withPower(perMille(USUAL), query.model.groundTruthPower);
    this.#visits = new Visits(city, query);
  }

  /** Goes to a candidate, by its index. */
  begin(index: number): void {
    this.#index = index;
    this.#groundTruth = UNKNOWN;
    this.#visits.begin(index);
  }

  /** Goes to the candidate's first date on which it is free. False if there is none. */
  isFree(maxPriceThbMinor: number | null): boolean {
    for (let dateIndex = 0; dateIndex < this.#slots.length; dateIndex++)
      if (this.isFreeOn(dateIndex, maxPriceThbMinor)) return true;
    return false;
  }

  /** A score that the candidate does not exceed. Call it on its first free date: of later ones only if that is not today. */
  get highestCenti(): number {
    const index = this.#index;
    const isToday = this.#isToday[this.#dateIndex] === true;
    const isRepriced = isToday ? this.#isRepricedOn(this.#dateIndex) : this.#isRepriced();
    const price = isRepriced ? WHOLE : (this.#priceFactors[index] as number);
    return scoreOfWeighted(
      this.#profile * WEIGHTS_PERCENT.profile +
        this.#groundTruthNow() * WEIGHTS_PERCENT.groundTruth +
        (isToday ? this.#visits.highestOn(this.#dateIndex) : this.#visits.highest) +
        price * WEIGHTS_PERCENT.price,
    );
  }

  /**
   * Goes to a date of the candidate, by its index. False if it is closed, has too few free slots, costs more than the maximum, or closes
   * before the guest can arrive.
   */
  isFreeOn(dateIndex: number, maxPriceThbMinor: number | null): boolean {
    const { free, pricesMinor } = this.#slots[dateIndex] as DateSlots;
    if (this.#query.guests > (free[this.#index] as number)) return false;
    if (!this.#visits.isOpenOn(dateIndex)) return false;
    this.#dateIndex = dateIndex;
    this.#unitPriceMinor = pricesMinor[this.#index] as number;
    this.#discount = this.#discountNow();
    if (maxPriceThbMinor === null) return true;
    return this.#unitPriceMinor - this.#discount.discountMinor <= this.#highestPrice(maxPriceThbMinor);
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
    const stored = this.#allotment?.schedule;
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
      plan: this.#visits.plan,
      distanceKm: this.#visits.distanceKm,
      weather: this.#visits.worstWeather,
      priceLevel: this.#level(),
      evidence: this.#learnt.evidence(this.#index, this.#sum, this.#fade),
      learntGroundTruth: this.#groundTruthNow(),
    };
  }

  get #candidate(): Candidate {
    return this.#city.city.candidates[this.#index] as Candidate;
  }

  get #date(): CandidateDate {
    return this.#city.dates[this.#dateIndex] as CandidateDate;
  }

  get #allotment(): InventoryDocument | undefined {
    return this.#slots[this.#dateIndex]?.documents.get(this.#index);
  }

  get #profile(): number {
    return this.#profiles[this.#columns.kinds.of[this.#index] as number] as number;
  }

  #groundTruthNow(): number {
    if (this.#groundTruth !== UNKNOWN) return this.#groundTruth;
    const isLearnt = this.#learnt.documents[this.#index] !== undefined;
    this.#groundTruth = isLearnt ? this.#learntGroundTruth() : this.#usual;
    return this.#groundTruth;
  }

  #learntGroundTruth(): number {
    const factor = perMille(this.#learnt.factor(this.#index, this.#sum, this.#fade));
    return withPower(factor, this.#query.model.groundTruthPower);
  }

  #isRepricedOn(dateIndex: number): boolean {
    for (const repriced of this.#repriced[dateIndex] ?? []) if (repriced.has(this.#index)) return true;
    return false;
  }

  #isRepriced(): boolean {
    for (let dateIndex = 0; dateIndex < this.#repriced.length; dateIndex++)
      if (this.#isRepricedOn(dateIndex)) return true;
    return false;
  }

  #factors(): ScoredActivity['factors'] {
    const discount = this.#discount.discountMinor / this.#unitPriceMinor;
    return {
      profile: this.#profile,
      groundTruth: this.#groundTruthNow(),
      weather: this.#visits.weather,
      time: this.#visits.time,
      price: perMille(priceFactor(this.#query.profile.budget, this.#level(), discount)),
    };
  }

  #level(): number {
    if (this.#unitPriceMinor === this.#columns.pricesMinor[this.#index])
      return this.#columns.levels[this.#index] as number;
    return priceLevel(this.#unitPriceMinor, this.#city.city.pricesMinor);
  }

  /** The larger one of the hotel's and the flash deal's discount. */
  #discountNow(): Discount {
    const { nowMs, includeFlashDeals } = this.#query;
    const { deals } = this.#slots[this.#dateIndex] as DateSlots;
    const eligibleDeal = includeFlashDeals && deals.size > 0 ? (deals.get(this.#index) ?? null) : null;
    const hotel = this.#percentOff.size === 0 ? 0 : (this.#percentOff.get(this.#index) ?? 0);
    if (eligibleDeal === null && hotel === 0) return NO_DISCOUNT;
    const { city, currency } = this.#candidate.activity;
    const on = { city, currency, date: this.#date.date };
    const { discountMinor } = priceAt(this.#unitPriceMinor, eligibleDeal, hotel, on, nowMs);
    const activeDeal = dealAt(eligibleDeal, on, nowMs);
    const deal = activeDeal !== null && activeDeal.discountPercent >= hotel ? activeDeal : null;
    return { discountMinor, hotelPercentOff: deal === null ? hotel : 0, deal };
  }

  /** The maximum in the currency of the present candidate. */
  #highestPrice(maxPriceThbMinor: number): number {
    const { of, examples } = this.#columns.kinds;
    const { currency } = examples[of[this.#index] as number] as Activity;
    const known = this.#highestPrices.get(currency);
    if (known !== undefined) return known;
    const highest = highestWithinThb(maxPriceThbMinor, currency, this.#data.exchangeRates());
    this.#highestPrices.set(currency, highest);
    return highest;
  }
}
