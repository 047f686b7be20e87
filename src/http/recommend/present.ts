import { cityFacts } from '../../domain/activity/cities.ts';
import { type ExchangeRates, unitsPerUsd } from '../../domain/activity/exchange.ts';
import { type Currency, toDecimal } from '../../domain/activity/money.ts';
import { localDate } from '../../domain/activity/schedule.ts';
import { WHOLE } from '../../domain/recommendation/score.ts';
import type { ScoredActivity } from '../../recommend/rank.ts';
import { type ReasonContext, reasonFor } from '../../recommend/reasons/reason.ts';
import { environmentSummary, profileSummary } from '../../recommend/reasons/summaries.ts';
import type { Recommended } from '../../recommend/recommend.ts';
import type { RecommendRequest } from '../../recommend/request.ts';
import { presentPolicy } from '../cancellation-policy.ts';
import { imagesOf } from '../picture/picture-url.ts';

/** The recommendations of the public contract, in the language of the request. */
export function presentRecommendations(
  { profile, place, language }: RecommendRequest,
  { logId, shown, conditions, conditionsMs, rates, nowMs }: Recommended,
  publicUrl: string,
) {
  const context = { profile, hotel: place.hotel, today: localDate(place.city, nowMs), publicUrl };
  return {
    recommendations: shown.map((scored) => presentScored(scored, context, language)),
    context: {
      log_id: logId,
      user_profile_summary: profileSummary(profile, language),
      environment_summary: environmentSummary(place.city, conditionsMs, conditions, language),
      ...(place.hotel === null ? {} : { hotel_rate: place.hotelGrant !== null }),
      ...(rates === null ? {} : { exchange_rates: presentRates(rates, cityFacts(place.city).currency) }),
    },
  };
}

function presentRates(rates: ExchangeRates, currency: Currency) {
  const shown = (['THB', currency] as const).map((name) => [name, unitsPerUsd(name, rates)] as const);
  return { as_of: rates.asOf, units_per_usd: Object.fromEntries(shown) };
}

function presentScored(
  scored: ScoredActivity,
  context: ReasonContext & { readonly publicUrl: string },
  language: RecommendRequest['language'],
) {
  const { activity, date, unitPriceMinor, presentPriceMinor, deal, cancellation, factors, scoreCenti } = scored;
  const { title, description } = activity.texts[language];
  return {
    id: activity.id,
    title,
    description,
    category: activity.category,
    price: toDecimal(presentPriceMinor, activity.currency),
    currency: activity.currency,
    relevance_score: scoreCenti / 100,
    recommendation_reason: reasonFor(scored, context, language),
    is_flash_deal: deal !== null,
    ...(deal === null ? {} : { original_price: toDecimal(unitPriceMinor, activity.currency) }),
    images: imagesOf(activity, context.publicUrl),
    venue_id: activity.venue.id,
    confirmation: activity.confirmation,
    score_breakdown: {
      profile: factors.profile / WHOLE,
      ground_truth: factors.groundTruth / WHOLE,
      weather: factors.weather / WHOLE,
      time: factors.time / WHOLE,
      price: factors.price / WHOLE,
    },
    available_date: date,
    lat: activity.venue.lat,
    lon: activity.venue.lon,
    cancellation_policy: presentPolicy(cancellation, language),
  };
}
