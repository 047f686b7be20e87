import type { LocalDate } from '../../domain/activity/activity.ts';
import type { Hotel } from '../../domain/activity/hotel.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import type { Budget, TravelProfile } from '../../domain/recommendation/profile.ts';
import { WEIGHTS_PERCENT, WHOLE } from '../../domain/recommendation/score.ts';
import type { Scored } from '../rank.ts';
import { shownDate, shownDecimal } from './formats.ts';
import { PHRASES } from './languages.ts';
import type { Phrases } from './phrases.ts';

/** At most so many sentences, and what is taken off the price beside them. */
const SENTENCES = 3;

/** From these values on a fact is worth a sentence. */
const WORTH_TELLING = 0.6;
const RAIN_LIKELY = 0.4;
const RAIN_UNLIKELY = 0.3;
const HEAT_C = 34;
const NEAR_KM = 3;
const LOW_PRICE = 1 / 3;
const HIGH_PRICE = 2 / 3;

/** Who asked, and when. */
export type Asker = {
  readonly profile: TravelProfile;
  readonly hotel: Hotel | null;
  /** At the city. */
  readonly today: LocalDate;
};

/**
 * Why an activity is recommended: the facts behind its strongest factors, the strongest first, in whole sentences. There is
 * always at least one, since every activity can be visited on some date. What is taken off the price is always told.
 */
export function reasonFor(scored: Scored, asker: Asker, language: Language): string {
  const phrases = PHRASES[language];
  const facts: Fact[] = [];
  addProfile(facts, scored, asker, phrases);
  addVisits(facts, scored, phrases);
  addWeather(facts, scored, phrases);
  addTime(facts, scored, asker, phrases, language);
  addPrice(facts, scored, asker, phrases);
  const sentences = facts.map(({ sentence }) => sentence);
  if (scored.deal !== null) sentences.push(phrases.flashDeal(scored.deal.discountPercent));
  if (scored.hotelPercentOff > 0 && asker.hotel !== null) {
    sentences.push(phrases.hotelRate(scored.hotelPercentOff, asker.hotel.name));
  }
  return sentences.join(phrases.gap);
}

/** A sentence, and how much of the score is behind it: points of 100. */
type Fact = { readonly sentence: string; readonly strength: number };

/**
 * Adds a fact in its place, the strongest first, where it is among those that are told. Of equal ones that of the weightier
 * factor comes first: the one that is added first.
 */
function add(facts: Fact[], sentence: string, strength: number): void {
  let at = facts.length;
  while (at > 0 && strength > (facts[at - 1]?.strength ?? 0)) at--;
  if (at >= SENTENCES) return;
  facts.splice(at, 0, { sentence, strength });
  if (facts.length > SENTENCES) facts.pop();
}

/** Points that a factor brings. */
function points(scored: Scored, factor: keyof typeof WEIGHTS_PERCENT): number {
  return (scored.factors[factor] * WEIGHTS_PERCENT[factor]) / WHOLE;
}

function isWorthTelling(scored: Scored, factor: keyof typeof WEIGHTS_PERCENT): boolean {
  return scored.factors[factor] >= WORTH_TELLING * WHOLE;
}

/** The part of a traveller's description that is told by the most: an interest, else the kind of journey, else the age. */
function addProfile(facts: Fact[], scored: Scored, { profile }: Asker, phrases: Phrases): void {
  const { category, travelTypes, ageGroups } = scored.activity;
  const strength = points(scored, 'profile');
  if (profile.interests.includes(category)) add(facts, phrases.interest[category], strength);
  else if (travelTypes.includes(profile.travelType)) add(facts, phrases.travelType[profile.travelType], strength);
  else if (profile.ageGroup !== null && ageGroups.includes(profile.ageGroup))
    add(facts, phrases.ageGroup[profile.ageGroup], strength);
}

function addVisits(facts: Fact[], scored: Scored, phrases: Phrases): void {
  const { alike, all } = scored.visits;
  if (all === 0 || !isWorthTelling(scored, 'groundTruth')) return;
  const sentence = alike > 0 ? phrases.visitsAlike(alike) : phrases.visits(all);
  add(facts, sentence, points(scored, 'groundTruth'));
}

function addWeather(facts: Fact[], scored: Scored, phrases: Phrases): void {
  const { temperatureC, precipitationProbability: rain } = scored.weather;
  const { setting } = scored.activity;
  const [degrees, percent] = [Math.round(temperatureC), Math.round(rain * 100)];
  const strength = points(scored, 'weather');
  if (setting === 'indoor' && rain >= RAIN_LIKELY) add(facts, phrases.shelterFromRain(percent), strength);
  else if (setting === 'indoor' && temperatureC >= HEAT_C) add(facts, phrases.shelterFromHeat(degrees), strength);
  else if (setting !== 'indoor' && rain <= RAIN_UNLIKELY && temperatureC < HEAT_C && isWorthTelling(scored, 'weather'))
    add(facts, phrases.fineWeather(degrees, percent), strength);
}

function addTime(facts: Fact[], scored: Scored, { today }: Asker, phrases: Phrases, language: Language): void {
  const { date, plan, distanceKm } = scored;
  const strength = points(scored, 'time');
  add(facts, whenTo(), strength);
  if (distanceKm !== null && distanceKm <= NEAR_KM) {
    // Nearness is a fifth of the factor; told after it, and before what counts less.
    add(facts, phrases.near(shownDecimal(distanceKm, language)), strength / 2);
  }

  function whenTo(): string {
    if (date !== today) return phrases.onDate(shownDate(date, language));
    return plan.bestTime === null ? phrases.today : phrases.todayAtItsBest[plan.bestTime];
  }
}

function addPrice(facts: Fact[], scored: Scored, { profile }: Asker, phrases: Phrases): void {
  if (profile.budget === null || !isAt(scored.priceLevel, profile.budget)) return;
  add(facts, phrases.budget[profile.budget], points(scored, 'price'));
}

/** Whether a price level is what the sentence about a budget says: low, in the middle, or high. */
function isAt(level: number, budget: Budget): boolean {
  if (budget === 'budget') return level <= LOW_PRICE;
  return budget === 'luxury' ? level >= HIGH_PRICE : level > LOW_PRICE && level < HIGH_PRICE;
}
