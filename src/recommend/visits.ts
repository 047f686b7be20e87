import type { Activity } from '../domain/activity/activity.ts';
import { cityFacts } from '../domain/activity/cities.ts';
import { distanceKm, type GeoPosition } from '../domain/activity/distance.ts';
import { midnightMs } from '../domain/activity/schedule.ts';
import type { Setting } from '../domain/activity/vocabulary.ts';
import { perMille, WEIGHTS_PERCENT } from '../domain/recommendation/score.ts';
import { HOUR_MS, MINUTE_MS } from '../eventsourcing/durations.ts';
import type { Forecast, WeatherUnavailable } from '../ports/weather.ts';
import type { CandidateColumns } from './candidate-columns.ts';
import type { CandidateDate, CandidateHours, CityCandidates } from './candidates.ts';
import { planVisit, timeFactor, travelMinutes, type VisitPlan } from './factors/time.ts';
import type { VisitWeather, WeatherOfVisits } from './visit-weather.ts';

/** Not computed yet. */
const UNKNOWN = -1;

/** Who can visit the candidates of a timetable on a date. */
const NOBODY = 0;
const EVERYBODY = 1;
/** Guests whose way is short enough. */
const NEAR_GUESTS = 2;

/** More than the rounding error of a distance, in km. */
const ROUNDING_KM = 0.01;

/**
 * The planned visits of one request, one candidate and date at a time, and how well weather and time fit them, in
 * thousandths. What candidates share is computed once.
 */
export class Visits {
  readonly #dates: readonly CandidateDate[];
  readonly #columns: CandidateColumns;
  /** Numbers of different timetables and visits. */
  readonly #timetables: number;
  readonly #visits: number;
  readonly #position: GeoPosition | null;
  /** When the guest sets out: now, or at the start of the first date if that is later. In ms since the epoch. */
  readonly #setOutMs: number;
  /** No way to a candidate takes longer. */
  readonly #longestWayMs: number;
  readonly #utcOffsetMinutes: number;
  readonly #weatherOf: WeatherOfVisits;
  /** By the indexes of date and timetable. */
  readonly #visitors: Uint8Array;
  /** By the indexes of date and timetable: the visits without travel of guests who set out after the opening. */
  readonly #plans: (VisitPlan | undefined)[];
  /** By the indexes of date and timetable, without travel. */
  readonly #times: Int16Array;
  /** By date: of visits that begin as early as the opening allows, by visit. Shared by all requests with the same weather. */
  readonly #openingWeathers: readonly Int16Array[];
  /** By date: of the visits in `#plans`, by visit. Most rankings read those of today only. */
  readonly #weathers: (Int16Array | undefined)[] = [];
  /** By date, then by visit. */
  readonly #highestOn: (Int32Array | undefined)[] = [];
  /** By visit. */
  #highest: Int32Array | undefined;

  // Of the present candidate:
  #index = 0;
  #timetable = 0;
  #visit = 0;
  #distanceKm: number | null = null;

  // Of the present date:
  #dateIndex = 0;
  #plan: VisitPlan | null = null;

  constructor(
    { city, today, dates }: CityCandidates,
    {
      nowMs,
      weather,
      place: { position },
    }: {
      readonly nowMs: number;
      readonly weather: Forecast | WeatherUnavailable;
      readonly place: { readonly position: GeoPosition | null };
    },
  ) {
    const { name, columns } = city;
    const [first] = dates;
    const [timetables, visits] = [columns.timetables.examples.length, columns.visits.examples.length];
    const { weatherOf, openingWeathers } = city.weatherIn(weather);
    this.#dates = dates;
    this.#columns = columns;
    this.#timetables = timetables;
    this.#visits = visits;
    this.#position = position;
    this.#setOutMs = first === undefined || first.date === today ? nowMs : midnightMs(name, first.date);
    this.#longestWayMs = position === null ? 0 : longestWayMs(position, cityFacts(name), columns.radiusKm);
    this.#utcOffsetMinutes = cityFacts(name).utcOffsetMinutes;
    this.#weatherOf = weatherOf;
    this.#visitors = new Uint8Array(dates.length * timetables);
    this.#plans = Array.from({ length: dates.length * timetables }, () => undefined);
    this.#times = new Int16Array(dates.length * timetables).fill(UNKNOWN);
    this.#openingWeathers = dates.map(openingWeathers);
    let place = 0;
    for (const { hours } of dates) for (const each of hours) this.#visitors[place++] = this.#visitorsIn(each);
  }

  /** Goes to a candidate, by its index. */
  begin(index: number): void {
    this.#index = index;
    this.#timetable = this.#columns.timetables.of[index] as number;
    this.#visit = this.#columns.visits.of[index] as number;
    this.#distanceKm = null;
  }

  /** From the guest to the present candidate; null if the guest's position is unknown. Computed when it is first read. */
  get distanceKm(): number | null {
    if (this.#position === null || this.#distanceKm !== null) return this.#distanceKm;
    const { lats, lons } = this.#columns;
    const [lat, lon] = [lats[this.#index] as number, lons[this.#index] as number];
    this.#distanceKm = distanceKm(this.#position, { lat, lon });
    return this.#distanceKm;
  }

  /** Goes to a date, by its index. False if the candidate is closed, or if the guest arrives after the last entry. */
  isOpenOn(dateIndex: number): boolean {
    const visitors = this.#visitors[this.#placeOn(dateIndex)];
    if (visitors === NOBODY) return false;
    if (visitors === NEAR_GUESTS && this.#arrivalMs >= this.#hoursOn(dateIndex, this.#timetable).lastEntryMs)
      return false;
    this.#dateIndex = dateIndex;
    this.#plan = null;
    return true;
  }

  get plan(): VisitPlan {
    this.#plan ??= this.#planNow();
    return this.#plan;
  }

  get worstWeather(): VisitWeather['worst'] {
    const durationMinutes = this.#columns.visits.durationsMinutes[this.#visit] as number;
    return this.#weatherOf(this.plan.startMs, durationMinutes).worst;
  }

  get weather(): number {
    const [dateIndex, visit] = [this.#dateIndex, this.#visit];
    if (this.#arrivalMs <= this.#hoursOn(dateIndex, this.#timetable).opensAtMs || this.#position === null)
      return this.#weatherWithoutTravel(dateIndex, visit);
    return this.#weatherAt(this.plan.startMs, visit);
  }

  get time(): number {
    if (this.#position === null) return this.#timeWithoutTravel(this.#dateIndex, this.#timetable);
    return perMille(timeFactor(this.plan, { nowMs: this.#setOutMs, distanceKm: this.distanceKm }));
  }

  /** What weather and time add to the weighted factors of the present candidate, on no date more. */
  get highest(): number {
    const visit = this.#visit;
    this.#highest ??= new Int32Array(this.#visits).fill(UNKNOWN);
    const known = this.#highest[visit] as number;
    if (known !== UNKNOWN) return known;
    let highest = 0;
    for (let dateIndex = 0; dateIndex < this.#dates.length; dateIndex++)
      highest = Math.max(highest, this.highestOn(dateIndex));
    this.#highest[visit] = highest;
    return highest;
  }

  /** The same on one date. A longer way never makes the visit earlier, so the time without travel is the highest one. */
  highestOn(dateIndex: number): number {
    const visit = this.#visit;
    const ofDate = this.#highestOn[dateIndex] ?? new Int32Array(this.#visits).fill(UNKNOWN);
    const known = ofDate[visit] as number;
    if (known !== UNKNOWN) return known;
    this.#highestOn[dateIndex] = ofDate;
    const isNever = this.#visitors[this.#placeOn(dateIndex)] === NOBODY;
    const highest = isNever
      ? 0
      : WEIGHTS_PERCENT.weather * this.#highestWeatherOn(dateIndex, visit) +
        WEIGHTS_PERCENT.time * this.#timeWithoutTravel(dateIndex, this.#timetable);
    ofDate[visit] = highest;
    return highest;
  }

  get #arrivalMs(): number {
    return this.#setOutMs + travelMinutes(this.distanceKm) * MINUTE_MS;
  }

  #placeOn(dateIndex: number): number {
    return dateIndex * this.#timetables + this.#timetable;
  }

  /** Call it for open dates only. */
  #hoursOn(dateIndex: number, timetable: number): CandidateHours {
    return this.#dates[dateIndex]?.hours[timetable] as CandidateHours;
  }

  #visitorsIn(hours: CandidateHours | null): number {
    if (hours === null || Math.max(hours.opensAtMs, this.#setOutMs) >= hours.lastEntryMs) return NOBODY;
    return this.#setOutMs + this.#longestWayMs < hours.lastEntryMs ? EVERYBODY : NEAR_GUESTS;
  }

  #planNow(): VisitPlan {
    const [dateIndex, timetable] = [this.#dateIndex, this.#timetable];
    const hours = this.#hoursOn(dateIndex, timetable);
    if (this.#position === null || this.#arrivalMs <= hours.opensAtMs)
      return this.#planWithoutTravel(dateIndex, timetable);
    return this.#planned(hours, this.distanceKm, timetable);
  }

  #planWithoutTravel(dateIndex: number, timetable: number): VisitPlan {
    const hours = this.#hoursOn(dateIndex, timetable);
    if (this.#setOutMs <= hours.opensAtMs) return hours.openingVisit;
    const place = dateIndex * this.#timetables + timetable;
    const plan = this.#plans[place] ?? this.#planned(hours, null, timetable);
    this.#plans[place] = plan;
    return plan;
  }

  /** Not null: `#visitors` excludes dates on which the guest arrives too late. */
  #planned(hours: CandidateHours, distance: number | null, timetable: number): VisitPlan {
    const at = { nowMs: this.#setOutMs, utcOffsetMinutes: this.#utcOffsetMinutes, distanceKm: distance };
    const { bestTimes } = this.#columns.timetables.examples[timetable] as Activity;
    return planVisit(hours, at, bestTimes) as VisitPlan;
  }

  #timeWithoutTravel(dateIndex: number, timetable: number): number {
    const place = dateIndex * this.#timetables + timetable;
    const known = this.#times[place] as number;
    if (known !== UNKNOWN) return known;
    const plan = this.#planWithoutTravel(dateIndex, timetable);
    const time = perMille(timeFactor(plan, { nowMs: this.#setOutMs, distanceKm: null }));
    this.#times[place] = time;
    return time;
  }

  /** Of guests without travel, or who arrive before the opening. */
  #weatherWithoutTravel(dateIndex: number, visit: number): number {
    const isOpening = this.#setOutMs <= this.#hoursOn(dateIndex, this.#timetable).opensAtMs;
    const weathers = isOpening ? (this.#openingWeathers[dateIndex] as Int16Array) : this.#weathersOn(dateIndex);
    const known = weathers[visit] as number;
    if (known !== UNKNOWN) return known;
    const weather = this.#weatherAt(this.#planWithoutTravel(dateIndex, this.#timetable).startMs, visit);
    weathers[visit] = weather;
    return weather;
  }

  #weathersOn(dateIndex: number): Int16Array {
    const found = this.#weathers[dateIndex] ?? new Int16Array(this.#visits).fill(UNKNOWN);
    this.#weathers[dateIndex] = found;
    return found;
  }

  /** Guests with a longer way can begin at each later hour up to the last entry. */
  #highestWeatherOn(dateIndex: number, visit: number): number {
    const { opensAtMs, lastEntryMs } = this.#hoursOn(dateIndex, this.#timetable);
    let highest = this.#weatherWithoutTravel(dateIndex, visit);
    if (this.#longestWayMs === 0 || this.#setOutMs + this.#longestWayMs <= opensAtMs) return highest;
    const { startMs } = this.#planWithoutTravel(dateIndex, this.#timetable);
    for (let laterMs = startMs + HOUR_MS; laterMs < lastEntryMs + HOUR_MS; laterMs += HOUR_MS)
      highest = Math.max(highest, this.#weatherAt(laterMs, visit));
    return highest;
  }

  #weatherAt(startMs: number, visit: number): number {
    const { settings, durationsMinutes } = this.#columns.visits;
    return this.#weatherOf(startMs, durationsMinutes[visit] as number).factors[settings[visit] as Setting];
  }
}

/** By the way over the centre, which no way exceeds. */
function longestWayMs(position: GeoPosition, centre: GeoPosition, radiusKm: number): number {
  return travelMinutes(distanceKm(position, centre) + radiusKm + ROUNDING_KM) * MINUTE_MS;
}
