import type { AgeGroup, Category, TimeOfDay, TravelType } from '../../domain/activity/vocabulary.ts';
import type { Budget } from '../../domain/recommendation/profile.ts';

/**
 * Everything that is said of a recommendation in a language. Each sentence is whole and stands for itself, so that none is
 * put together from words whose forms depend on each other. Percentages are whole numbers, temperatures whole °C.
 */
export type Phrases = {
  /** Between two sentences: nothing where the language writes none. */
  readonly gap: string;
  readonly interest: Readonly<Record<Category, string>>;
  readonly travelType: Readonly<Record<TravelType, string>>;
  readonly ageGroup: Readonly<Record<AgeGroup, string>>;
  /** So many visits by travellers alike, or by anybody. */
  readonly visitsAlike: (count: number) => string;
  readonly visits: (count: number) => string;
  /** Inside, while rain is to be expected outside; or heat. */
  readonly shelterFromRain: (percent: number) => string;
  readonly shelterFromHeat: (temperatureC: number) => string;
  /** Outside, in weather for it. */
  readonly fineWeather: (temperatureC: number, percent: number) => string;
  readonly today: string;
  readonly todayAtItsBest: Readonly<Record<TimeOfDay, string>>;
  readonly onDate: (date: string) => string;
  /** `km` has a decimal at most. */
  readonly near: (km: string) => string;
  readonly budget: Readonly<Record<Budget, string>>;
  readonly flashDeal: (percent: number) => string;
  readonly hotelRate: (percent: number, hotel: string) => string;
  readonly profile: ProfilePhrases;
  readonly environment: EnvironmentPhrases;
};

/** Parts of a list that describes a traveller. */
export type ProfilePhrases = {
  readonly travelType: Readonly<Record<TravelType, string>>;
  readonly interests: (list: string) => string;
  readonly category: Readonly<Record<Category, string>>;
  readonly budget: Readonly<Record<Budget, string>>;
  readonly ageGroup: Readonly<Record<AgeGroup, string>>;
  readonly from: (country: string) => string;
  /** Between the parts. */
  readonly comma: string;
};

export type EnvironmentPhrases = {
  /** `time` is a weekday, date and time of day as the language writes them. */
  readonly now: (city: string, time: string) => string;
  /** Open-Meteo's licence (CC BY 4.0) asks to be named. */
  readonly forecast: (temperatureC: number, percent: number, windKmh: number) => string;
  /** The same from what is usual in a month, since no forecast could be had. */
  readonly usual: (month: string, temperatureC: number, percent: number, windKmh: number) => string;
};
