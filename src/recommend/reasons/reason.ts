import type { LocalDate } from '../../domain/activity/activity.ts';
import type { Hotel } from '../../domain/activity/hotel.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import { timesAsUsual } from '../../domain/recommendation/evidence.ts';
import type { Budget, TravelProfile } from '../../domain/recommendation/profile.ts';
import { WEIGHTS_PERCENT, WHOLE } from '../../domain/recommendation/score.ts';
import type { ScoredActivity } from '../rank.ts';
import { formatDate, formatDecimal } from './formats.ts';
import { PHRASES } from './languages.ts';
import type { Phrases } from './phrases.ts';

/** Maximum number of sentences; the sentence about a discount is added to them. */
const MAX_SENTENCES = 3;

/** Thresholds from which a fact gets a sentence. */
const MENTION_FROM = 0.6;
const RAIN_LIKELY = 0.4;
const RAIN_UNLIKELY = 0.3;
const HEAT_C = 34;
const NEAR_KM = 3;
const LOW_PRICE = 1 / 3;
const HIGH_PRICE = 2 / 3;

/** The request's part of a reason. */
export type ReasonContext = {
  readonly profile: TravelProfile;
  readonly hotel: Hotel | null;
  /** Local date of the city. */
  readonly today: LocalDate;
};

/**
 * Why an activity is recommended: sentences about the facts behind the factors that decided, those that add most to an
 * average score first. There is always at least one: the visit's date. A discount is always mentioned.
 */
export function reasonFor(scored: ScoredActivity, context: ReasonContext, language: Language): string {
  const phrases = PHRASES[language];
  const facts: Fact[] = [];
  addProfile(facts, scored, context, phrases);
  addVisits(facts, scored, phrases, language);
  addWeather(facts, scored, phrases);
  addTime(facts, scored, context, phrases, language);
  addPrice(facts, scored, context, phrases);
  const sentences = facts.map(({ sentence }) => sentence);
  if (scored.deal !== null) sentences.push(phrases.flashDeal(scored.deal.discountPercent));
  if (scored.hotelPercentOff > 0 && context.hotel !== null) {
    sentences.push(phrases.hotelRate(scored.hotelPercentOff, context.hotel.name));
  }
  return sentences.join(phrases.sentenceSeparator);
}

/** A sentence and what its factor adds to an average score, in points of 100. */
type Fact = { readonly sentence: string; readonly strength: number };

/**
 * Inserts a fact, strongest first, and keeps the strongest `MAX_SENTENCES`. Equal facts keep their insertion order, so the
 * factor with the larger weight must be added first.
 */
function add(facts: Fact[], sentence: string, strength: number): void {
  let at = facts.length;
  while (at > 0 && strength > (facts[at - 1]?.strength ?? 0)) at--;
  if (at >= MAX_SENTENCES) return;
  facts.splice(at, 0, { sentence, strength });
  if (facts.length > MAX_SENTENCES) facts.pop();
}

/** What a factor adds to the score of an activity that is average in it, in points of 100. */
function pointsAboveMiddle(scored: ScoredActivity, factor: keyof typeof WEIGHTS_PERCENT): number {
  return ((learnt(scored, factor) - WHOLE / 2) * WEIGHTS_PERCENT[factor]) / WHOLE;
}

function isStrong(scored: ScoredActivity, factor: keyof typeof WEIGHTS_PERCENT): boolean {
  return learnt(scored, factor) >= MENTION_FROM * WHOLE;
}

/** The factor without the lift of exploration, which is no fact about the activity. */
function learnt({ factors, learntGroundTruth }: ScoredActivity, factor: keyof typeof WEIGHTS_PERCENT): number {
  return factor === 'groundTruth' ? learntGroundTruth : factors[factor];
}

/** Mentions the most specific matching field: an interest, else the travel type, else the age group. */
function addProfile(facts: Fact[], scored: ScoredActivity, { profile }: ReasonContext, phrases: Phrases): void {
  const { category, travelTypes, ageGroups } = scored.activity;
  const strength = pointsAboveMiddle(scored, 'profile');
  if (profile.interests.includes(category))
    add(facts, phrases.interest(phrases.profile.category[category], category), strength);
  else if (travelTypes.includes(profile.travelType)) add(facts, phrases.travelType[profile.travelType], strength);
  else if (profile.ageGroup !== null && ageGroups.includes(profile.ageGroup))
    add(facts, phrases.ageGroup[profile.ageGroup], strength);
}

function addVisits(facts: Fact[], scored: ScoredActivity, phrases: Phrases, language: Language): void {
  const { evidence } = scored;
  const visits = Math.round(evidence.visited);
  if (visits === 0 || !isStrong(scored, 'groundTruth')) return;
  add(facts, sentence(), pointsAboveMiddle(scored, 'groundTruth'));

  function sentence(): string {
    const times = timesAsUsual(evidence);
    if (times === null) return evidence.sameType ? phrases.visitsBySimilar(visits) : phrases.visits(visits);
    const shown = formatDecimal(times, language);
    return evidence.sameType ? phrases.moreOftenBySimilar(shown) : phrases.moreOften(shown);
  }
}

function addWeather(facts: Fact[], scored: ScoredActivity, phrases: Phrases): void {
  const { temperatureC, precipitationProbability: rain } = scored.weather;
  const { setting } = scored.activity;
  const [degrees, percent] = [Math.round(temperatureC), Math.round(rain * 100)];
  const strength = pointsAboveMiddle(scored, 'weather');
  if (setting === 'indoor' && rain >= RAIN_LIKELY) add(facts, phrases.shelterFromRain(percent), strength);
  else if (setting === 'indoor' && temperatureC >= HEAT_C) add(facts, phrases.shelterFromHeat(degrees), strength);
  else if (setting !== 'indoor' && rain <= RAIN_UNLIKELY && temperatureC < HEAT_C && isStrong(scored, 'weather'))
    add(facts, phrases.fineWeather(degrees, percent), strength);
}

function addTime(
  facts: Fact[],
  scored: ScoredActivity,
  { today }: ReasonContext,
  phrases: Phrases,
  language: Language,
): void {
  const { date, plan, distanceKm } = scored;
  const strength = pointsAboveMiddle(scored, 'time');
  add(facts, whenTo(), strength);
  if (distanceKm !== null && distanceKm <= NEAR_KM) {
    // Half the strength, so that the sentence follows the date's sentence and precedes weaker facts.
    add(facts, phrases.near(formatDecimal(distanceKm, language)), strength / 2);
  }

  function whenTo(): string {
    if (date !== today) return phrases.onDate(formatDate(date, language));
    return plan.bestTime === null ? phrases.today : phrases.todayAtItsBest[plan.bestTime];
  }
}

function addPrice(facts: Fact[], scored: ScoredActivity, { profile }: ReasonContext, phrases: Phrases): void {
  if (profile.budget === null || !isAt(scored.priceLevel, profile.budget)) return;
  add(facts, phrases.budget[profile.budget], pointsAboveMiddle(scored, 'price'));
}

/** True if the price level matches the budget's sentence: low, middle or high. */
function isAt(level: number, budget: Budget): boolean {
  if (budget === 'budget') return level <= LOW_PRICE;
  return budget === 'luxury' ? level >= HIGH_PRICE : level > LOW_PRICE && level < HIGH_PRICE;
}
