import type { Activity } from '../domain/activity/activity.ts';
import { cityFacts } from '../domain/activity/cities.ts';
import { conditionsAt } from '../domain/activity/conditions.ts';
import { midnightMs } from '../domain/activity/schedule.ts';
import { type Factors, perMille } from '../domain/recommendation/score.ts';
import { MINUTE_MS } from '../eventsourcing/durations.ts';
import type { Forecast, WeatherUnavailable } from '../ports/weather.ts';
import type { CandidateColumns } from './candidate-columns.ts';
import type { CityCandidates } from './candidates.ts';
import { planVisit, timeFactor, travelMinutes, type VisitPlan } from './factors/time.ts';
import { weatherFactor } from './factors/weather.ts';
import { type VisitWeather, type WeatherOfVisits, weatherOfVisits } from './visit-weather.ts';

/** Not computed yet. */
const UNKNOWN = -1;

/**
 * The planned visits of one request, one candidate and date at a time, and how well weather and time fit them, in
 * thousandths. What candidates share is computed once.
 */
export class Visits {
  readonly #city: CityCandidates;
  readonly #columns: CandidateColumns;
  /** When the guest sets out: now, or at the start of the first date if that is later. In ms since the epoch. */
  readonly #setOutMs: number;
  readonly #utcOffsetMinutes: number;
  readonly #weatherOf: WeatherOfVisits;
  /** By the indexes of date and timetable: the visits of guests who arrive before the opening, or without travel. */
  readonly #plans: (VisitPlan | null | undefined)[];
  /** Of the visits in `#plans`: by the indexes of date and timetable, without travel. */
  readonly #times: Int16Array;
  /** Of the visits in `#plans`: by the indexes of date and visit. */
  readonly #weathers: Int16Array;
  /** Without travel, by the index of the visit. */
  readonly #highest: (Pick<Factors, 'weather' | 'time'> | undefined)[];

  // Of the present candidate:
  #index = 0;
  #distanceKm: number | null = null;
  #travelMs = 0;

  // Of the present date:
  #dateIndex = 0;
  #plan!: VisitPlan;
  /** Whether the plan is one of `#plans`. */
  #isShared = false;

  constructor(
    city: CityCandidates,
    { nowMs, weather }: { readonly nowMs: number; readonly weather: Forecast | WeatherUnavailable },
  ) {
    const { name, columns } = city.city;
    const [first] = city.dates;
    const [dates, timetables] = [city.dates.length, columns.timetables.examples.length];
    this.#city = city;
    this.#columns = columns;
    this.#setOutMs = first === undefined || first.date === city.today ? nowMs : midnightMs(name, first.date);
    this.#utcOffsetMinutes = cityFacts(name).utcOffsetMinutes;
    this.#weatherOf = weatherOfVisits((hourMs) => conditionsAt(weather, name, hourMs));
    this.#plans = Array.from({ length: dates * timetables }, () => undefined);
    this.#times = new Int16Array(dates * timetables).fill(UNKNOWN);
    this.#weathers = new Int16Array(dates * columns.visits.examples.length).fill(UNKNOWN);
    this.#highest = columns.visits.examples.map(() => undefined);
  }

  /** Goes to a candidate, by its index. */
  begin(index: number, distanceKm: number | null): void {
    this.#index = index;
    this.#distanceKm = distanceKm;
    this.#travelMs = travelMinutes(distanceKm) * MINUTE_MS;
  }

  /** Goes to a date, by its index. False if the candidate is closed, or if the guest arrives after the last entry. */
  isOpenOn(dateIndex: number): boolean {
    const plan = this.#planOn(dateIndex);
    if (plan === null) return false;
    this.#dateIndex = dateIndex;
    this.#plan = plan;
    return true;
  }

  get plan(): VisitPlan {
    return this.#plan;
  }

  get worstWeather(): VisitWeather['worst'] {
    return this.#weatherOf(this.#plan.startMs, this.#example.durationMinutes).worst;
  }

  get weather(): number {
    const { of, examples } = this.#columns.visits;
    const place = this.#dateIndex * examples.length + (of[this.#index] as number);
    const known = this.#isShared ? (this.#weathers[place] as number) : UNKNOWN;
    if (known !== UNKNOWN) return known;
    const { setting, durationMinutes } = this.#example;
    const { pleasantness: outside } = this.#weatherOf(this.#plan.startMs, durationMinutes);
    const weather = perMille(weatherFactor(setting, outside));
    if (this.#isShared) this.#weathers[place] = weather;
    return weather;
  }

  get time(): number {
    const { of, examples } = this.#columns.timetables;
    const place = this.#dateIndex * examples.length + (of[this.#index] as number);
    const isKept = this.#isShared && this.#distanceKm === null;
    const known = isKept ? (this.#times[place] as number) : UNKNOWN;
    if (known !== UNKNOWN) return known;
    const time = perMille(timeFactor(this.#plan, { nowMs: this.#setOutMs, distanceKm: this.#distanceKm }));
    if (isKept) this.#times[place] = time;
    return time;
  }

  /** The factors without travel that the candidate exceeds on no date. Leaves the present date. */
  highest(): Pick<Factors, 'weather' | 'time'> {
    const visit = this.#columns.visits.of[this.#index] as number;
    const known = this.#highest[visit];
    if (known !== undefined) return known;
    const highest = { weather: 0, time: 0 };
    for (let dateIndex = 0; dateIndex < this.#city.dates.length; dateIndex++) {
      if (!this.isOpenOn(dateIndex)) continue;
      highest.weather = Math.max(highest.weather, this.weather);
      highest.time = Math.max(highest.time, this.time);
    }
    this.#highest[visit] = highest;
    return highest;
  }

  /** An activity with the setting and duration of the candidate. */
  get #example(): Activity {
    const { of, examples } = this.#columns.visits;
    return examples[of[this.#index] as number] as Activity;
  }

  #planOn(dateIndex: number): VisitPlan | null {
    const { of, examples } = this.#columns.timetables;
    const timetable = of[this.#index] as number;
    const place = dateIndex * examples.length + timetable;
    const travelMs = this.#travelMs;
    const known = this.#plans[place];
    this.#isShared = true;
    if (travelMs === 0 && known !== undefined) return known;
    const hours = this.#city.dates[dateIndex]?.hours[timetable] ?? null;
    if (hours === null) return null;
    const at = { nowMs: this.#setOutMs, utcOffsetMinutes: this.#utcOffsetMinutes };
    const { bestTimes } = examples[timetable] as Activity;
    if (travelMs > 0 && this.#setOutMs + travelMs > hours.opensAtMs) {
      this.#isShared = false;
      return planVisit(hours, { ...at, distanceKm: this.#distanceKm }, bestTimes);
    }
    if (known !== undefined) return known;
    const plan = planVisit(hours, { ...at, distanceKm: null }, bestTimes);
    this.#plans[place] = plan;
    return plan;
  }
}
