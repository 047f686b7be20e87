import type { Activity } from '../../../src/domain/activity/activity.ts';
import type { ScoredActivity } from '../../../src/recommend/rank.ts';
import { anActivity, date } from '../../support/examples.ts';

export const [TODAY, NOW] = [date('2026-11-21'), Date.parse('2026-11-21T03:00:00Z')];

/** The aquarium today at 10:00, with weather and visits that give no sentence of their own. */
export function scoredActivity(change: Partial<ScoredActivity> = {}, activity: Partial<Activity> = {}): ScoredActivity {
  const shown = anActivity(activity);
  return {
    activityId: shown.id,
    date: TODAY,
    activity: shown,
    cancellation: shown.cancellation,
    unitPriceMinor: 99_000,
    presentPriceMinor: 99_000,
    hotelPercentOff: 0,
    deal: null,
    factors: { profile: 1_000, groundTruth: 500, weather: 700, time: 1_000, price: 500 },
    scoreCenti: 7_590,
    plan: { startMs: NOW, bestTime: null },
    distanceKm: null,
    weather: { temperatureC: 30, precipitationProbability: 0.35 },
    priceLevel: 0.5,
    evidence: { visited: 0, expected: 0, sameType: false },
    learntGroundTruth: change.factors?.groundTruth ?? 500,
    ...change,
  };
}
