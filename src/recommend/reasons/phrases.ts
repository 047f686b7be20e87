import type { AgeGroup, Category, TimeOfDay, TravelType } from '../../domain/activity/vocabulary.ts';
import type { Budget } from '../../domain/recommendation/profile.ts';

/**
 * All texts about a recommendation in one language. Each phrase is a complete sentence with places for names, numbers and
 * dates, because other words combined at run time would need grammatical agreement. Percentages and temperatures (°C) are integers.
 */
export type Phrases = {
  /** Empty in languages that put nothing between sentences. */
  readonly sentenceSeparator: string;
  /** `name` is the category in the words of `profile.category`. */
  readonly interest: (name: string, category: Category) => string;
  readonly travelType: Readonly<Record<TravelType, string>>;
  readonly ageGroup: Readonly<Record<AgeGroup, string>>;
  /** Number of visits by similar travellers. */
  readonly visitsBySimilar: (count: number) => string;
  /** Number of visits by all travellers. */
  readonly visits: (count: number) => string;
  /** Travellers of the same travel type visited it this many times as often as usual; 1.5 to 10, formatted. */
  readonly moreOftenBySimilar: (times: string) => string;
  /** The same of all travellers. */
  readonly moreOften: (times: string) => string;
  /** Indoor activity while rain is expected. */
  readonly shelterFromRain: (percent: number) => string;
  /** Indoor activity on a hot day. */
  readonly shelterFromHeat: (temperatureC: number) => string;
  /** Outdoor activity in good weather. */
  readonly fineWeather: (temperatureC: number, percent: number) => string;
  readonly today: string;
  readonly todayAtItsBest: Readonly<Record<TimeOfDay, string>>;
  readonly onDate: (date: string) => string;
  /** `km` has at most one decimal. */
  readonly near: (km: string) => string;
  readonly budget: Readonly<Record<Budget, string>>;
  readonly flashDeal: (percent: number) => string;
  readonly hotelRate: (percent: number, hotel: string) => string;
  readonly profile: ProfilePhrases;
  readonly environment: EnvironmentPhrases;
};

/** Parts of the profile summary. */
type ProfilePhrases = {
  readonly travelType: Readonly<Record<TravelType, string>>;
  readonly interests: (list: string) => string;
  readonly category: Readonly<Record<Category, string>>;
  readonly budget: Readonly<Record<Budget, string>>;
  readonly ageGroup: Readonly<Record<AgeGroup, string>>;
  readonly from: (country: string) => string;
  /** Separator between the parts. */
  readonly comma: string;
};

type EnvironmentPhrases = {
  /** `time` is a formatted weekday, date and time of day. */
  readonly now: (city: string, time: string) => string;
  /** Names Open-Meteo, as its licence (CC BY 4.0) requires. */
  readonly forecast: (temperatureC: number, percent: number, windKmh: number) => string;
  /** The climate normals of a month, used when no forecast is available. */
  readonly usual: (month: string, temperatureC: number, percent: number, windKmh: number) => string;
};
