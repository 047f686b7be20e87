import type { LocalDate } from '../domain/activity/activity.ts';
import type { Conditions } from '../domain/activity/conditions.ts';
import type { GeoPosition } from '../domain/activity/distance.ts';
import { type Evidence, toEvidenceDigits } from '../domain/recommendation/evidence.ts';
import { RANKED_ROW_BYTES, type RankedCandidate, toColumns } from '../domain/recommendation/ranked.ts';
import type { Lifted, ServedFacts } from '../domain/recommendation/recommendation.ts';
import { MODEL } from '../domain/recommendation/score.ts';
import { MAX_RANKED } from './rank.ts';
import { answerDigest, type ReplayedCandidate } from './replay.ts';
import type { RecommendRequest } from './request.ts';

/** Maximum size of a context log's JSON data. The log's size limits the throughput of recommend. */
export const MAX_BYTES = 3_072;

/** The other fields take at most 1,400 bytes, so rows up to this total size always fit. */
export const GUARANTEED_ROW_BYTES = MAX_BYTES - 1_400;

/** Decimals of logged coordinates, about 100 m: precise enough to evaluate a ranking, too coarse to locate a person. */
const POSITION_DIGITS = 3;

export type RankingOutcome = {
  /** The first date that was considered. */
  readonly from: LocalDate;
  /** The best ones, at most MAX_RANKED, as they were sent. */
  readonly ranked: readonly (ReplayedCandidate & { readonly evidence: Evidence })[];
  /** Number of activities that could have been shown. */
  readonly candidates: number;
  readonly shown: number;
  readonly propensity: number;
  readonly lifted: Lifted | null;
  readonly experiment: ServedFacts['experiment'];
  /** At the requested place: now, or at noon of the first date if that is later. */
  readonly conditions: Conditions;
  readonly nowMs: number;
};

/**
 * The context log of one answer. It always contains every shown candidate, then as many of the others as fit, best first:
 * counterfactual evaluation needs candidates that were not shown.
 */
export function servedFacts(request: RecommendRequest, outcome: RankingOutcome): ServedFacts {
  const { keyId, profile, place, filters, days, guests, limit, includeFlashDeals, language } = request;
  const { from, ranked, candidates, shown, propensity, lifted, experiment, conditions, nowMs } = outcome;
  const answer = ranked.slice(0, shown);
  const factsWith = (logged: readonly RankedCandidate[]): ServedFacts => ({
    keyId,
    city: place.city,
    language,
    profile,
    position: place.position === null ? null : rounded(place.position),
    hotelId: place.hotel?.id ?? null,
    ...(place.hotelGrant === null ? {} : { hotelGrant: place.hotelGrant }),
    filters,
    ...(days === null ? {} : { days }),
    ...(guests === 1 ? {} : { guests }),
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
    ...(experiment === undefined ? {} : { experiment }),
    candidates,
    ranked: toColumns(from, logged),
    shown,
    propensity,
    ...(lifted === null ? {} : { lifted }),
    evidence: toEvidenceDigits(answer.map(({ evidence }) => evidence)),
    digest: answerDigest(answer),
    at: new Date(nowMs).toISOString(),
  });
  const best = ranked.slice(0, MAX_RANKED);
  const rowBytes = best.reduce((sum, row) => sum + bytesOf(row), 0);
  if (rowBytes <= GUARANTEED_ROW_BYTES) return factsWith(best);
  let room = MAX_BYTES - Buffer.byteLength(JSON.stringify(factsWith([])));
  let logged = 0;
  for (const row of best) {
    room -= bytesOf(row);
    if (room < 0 && logged >= shown) break;
    logged++;
  }
  return factsWith(best.slice(0, logged));
}

/** Activity ids are ASCII: one byte per character. */
function bytesOf({ activityId }: RankedCandidate): number {
  return activityId.length + RANKED_ROW_BYTES;
}

function rounded({ lat, lon }: GeoPosition): GeoPosition {
  return { lat: Number(lat.toFixed(POSITION_DIGITS)), lon: Number(lon.toFixed(POSITION_DIGITS)) };
}
