import type { LocalDate } from '../domain/activity/activity.ts';
import type { Conditions } from '../domain/activity/conditions.ts';
import type { GeoPosition } from '../domain/activity/distance.ts';
import { RANKED_ROW_BYTES, type RankedCandidate, toColumns } from '../domain/recommendation/ranked.ts';
import type { ServedFacts } from '../domain/recommendation/recommendation.ts';
import { MODEL } from '../domain/recommendation/score.ts';
import type { RecommendRequest } from './request.ts';

/** The data of a context log, as JSON: its size is what limits recommend. */
export const MOST_BYTES = 3_072;

/** What stands around the ranking takes at most 1,200 bytes of it, so rows of this size need not be measured. */
export const ROOM_FOR_ROWS = MOST_BYTES - 1_200;

/** So many of the best candidates are logged, where there is room for them. */
export const MOST_LOGGED = 50;

/** Degrees are logged with so many digits, about 100 m: enough to judge a ranking, too little to find somebody. */
const POSITION_DIGITS = 3;

/** What came of a ranking. */
export type Outcome = {
  /** At the city. */
  readonly today: LocalDate;
  readonly ranked: readonly RankedCandidate[];
  readonly shown: number;
  /** At the place, at the moment of asking. */
  readonly conditions: Conditions;
  readonly nowMs: number;
};

/**
 * One answer as its context log keeps it. What was shown is always whole; of the rest as many as the log has room for, the
 * best first, since they are there to ask afterwards what else could have been shown.
 */
export function servedFacts(request: RecommendRequest, outcome: Outcome): ServedFacts {
  const { keyId, profile, place, filters, limit, includeFlashDeals, language } = request;
  const { today, ranked, shown, conditions, nowMs } = outcome;
  const factsWith = (logged: readonly RankedCandidate[]): ServedFacts => ({
    keyId,
    city: place.city,
    language,
    profile,
    position: place.position === null ? null : rounded(place.position),
    hotelId: place.hotel?.id ?? null,
    filters,
    limit,
    includeFlashDeals,
    environment: {
      nowMs,
      weather: {
        source: conditions.source,
        temperatureC: conditions.temperatureC,
        rainProbability: conditions.precipitationProbability,
        windKmh: conditions.windKmh,
      },
    },
    model: MODEL,
    candidates: ranked.length,
    ranked: toColumns(today, logged),
    shown,
    propensityPerMille: 1_000,
    at: new Date(nowMs).toISOString(),
  });
  const best = ranked.slice(0, MOST_LOGGED);
  const rowBytes = best.reduce((sum, row) => sum + bytesOf(row), 0);
  if (rowBytes <= ROOM_FOR_ROWS) return factsWith(best);
  let room = MOST_BYTES - Buffer.byteLength(JSON.stringify(factsWith([])));
  let logged = 0;
  for (const row of best) {
    room -= bytesOf(row);
    if (room < 0 && logged >= shown) break;
    logged++;
  }
  return factsWith(best.slice(0, logged));
}

/** Ids of activities are ASCII: a byte for each character. */
function bytesOf({ activityId }: RankedCandidate): number {
  return activityId.length + RANKED_ROW_BYTES;
}

function rounded({ lat, lon }: GeoPosition): GeoPosition {
  return { lat: Number(lat.toFixed(POSITION_DIGITS)), lon: Number(lon.toFixed(POSITION_DIGITS)) };
}
