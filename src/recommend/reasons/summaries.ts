import type { CityName } from '../../domain/activity/cities.ts';
import type { Conditions } from '../../domain/activity/conditions.ts';
import { localDate } from '../../domain/activity/schedule.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import type { TravelProfile } from '../../domain/recommendation/profile.ts';
import { formatCountry, formatList, formatMonth, formatTime } from './formats.ts';
import { PHRASES } from './languages.ts';

/** Describes the traveller in the language of the answer. */
export function profileSummary(profile: TravelProfile, language: Language): string {
  const { profile: phrases } = PHRASES[language];
  const { travelType, nationality, interests, budget, ageGroup } = profile;
  const categories = interests.map((category) => phrases.category[category]);
  const parts = [
    phrases.travelType[travelType],
    ageGroup === null ? null : phrases.ageGroup[ageGroup],
    nationality === null ? null : phrases.from(formatCountry(nationality, language)),
    categories.length === 0 ? null : phrases.interests(formatList(categories, language)),
    budget === null ? null : phrases.budget[budget],
  ];
  return parts.filter((part) => part !== null).join(phrases.comma);
}

/** Describes city, local time and weather, and whether the weather is a forecast or a climate normal. */
export function environmentSummary(city: CityName, atMs: number, conditions: Conditions, language: Language): string {
  const { sentenceSeparator, environment: phrases } = PHRASES[language];
  const { temperatureC, precipitationProbability, windKmh, source } = conditions;
  const degrees = Math.round(temperatureC);
  const percent = Math.round(precipitationProbability * 100);
  const wind = Math.round(windKmh);
  const weather =
    source === 'climate-normals'
      ? phrases.usual(formatMonth(localDate(city, atMs), language), degrees, percent, wind)
      : phrases.forecast(degrees, percent, wind);
  return `${phrases.now(city, formatTime(atMs, city, language))}${sentenceSeparator}${weather}`;
}
