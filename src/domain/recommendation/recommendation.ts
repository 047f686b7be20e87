import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import type { ActivityId, HotelId, LocalDate } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Category, Difficulty, Language } from '../activity/vocabulary.ts';
import type { ArmRef } from '../experiment/experiment.ts';
import type { KeyId } from '../ids.ts';
import type { TravelProfile } from './profile.ts';
import { fromColumns, type RankedCandidate, type RankedColumns } from './ranked.ts';

/** The environment in the answer's summary: the expected weather now, or at noon of the first date if that is later. */
export type Environment = {
  /** ms since the epoch. */
  readonly nowMs: number;
  readonly weather: {
    readonly source: 'open-meteo' | 'climate-normals';
    readonly temperatureC: number;
    readonly rainProbability: number;
    readonly windKmh: number;
  };
};

/**
 * Why the guests get the rates of their hotel: the operator allows the hotel for the key, or the hotel signed a token,
 * which ends at `untilMs` (ms since the epoch, exclusive).
 */
export type HotelGrant = { readonly by: 'key' } | { readonly by: 'token'; readonly untilMs: number };

/** Propensities are whole numbers of millionths. */
export const MILLION = 1_000_000;

/** The candidate that exploration ranked with the ground truth 1. */
export type Lifted = {
  /** In the ranking, from 1. The log may have no row for it: it holds only those that fit. */
  readonly place: number;
  /** The ground truth that was learnt, in thousandths; the logged factor of that place is 1,000. */
  readonly groundTruth: number;
};

/** These types are the storage format. A context log is written once, as one event. */
export type RecommendationEvent = {
  readonly type: 'RecommendationServed';
  readonly data: {
    readonly keyId: KeyId;
    readonly city: CityName;
    readonly language: Language;
    readonly profile: TravelProfile;
    /** The guest's position from the request, rounded to about 100 m. */
    readonly position: { readonly lat: number; readonly lon: number } | null;
    readonly hotelId: HotelId | null;
    /** Absent: the hotel, if any, locates the guests, and gives them no rate. */
    readonly hotelGrant?: HotelGrant;
    readonly filters: {
      readonly indoor: boolean | null;
      readonly difficulty: Difficulty | null;
      readonly maxPriceThbMinor: number | null;
      readonly categories: readonly Category[] | null;
    };
    /** The dates that were asked about; absent: today and the seven days after it. */
    readonly days?: { readonly from: LocalDate; readonly to: LocalDate };
    /** The number of guests; absent: 1. */
    readonly guests?: number;
    readonly limit: number;
    readonly includeFlashDeals: boolean;
    readonly environment: Environment;
    /** Version of the scoring rules (`MODEL`). */
    readonly model: string;
    /** Absent: the default model ranked it. The power tells the visit ratio that a logged ground truth stands for. */
    readonly experiment?: ArmRef & { readonly groundTruthPower: number };
    /** Number of activities that could have been shown. */
    readonly candidates: number;
    /** The first `shown` entries were in the answer, in this order; the rest are the next best, as many as fit. */
    readonly ranked: RankedColumns;
    readonly shown: number;
    /** Probability that the first entry was shown first, in millionths; a million without exploration. */
    readonly propensity: number;
    /** Absent: no candidate was lifted. */
    readonly lifted?: Lifted;
    /** Of the shown entries, by `toEvidenceDigits`; null in logs of version 1. */
    readonly evidence: string | null;
    /** `answerDigest` of what was sent; null in logs of version 1. */
    readonly digest: string | null;
    /** ISO 8601 UTC. */
    readonly at: string;
  };
};

export type ServedFacts = RecommendationEvent['data'];

export type Recommendation = { readonly status: 'none' } | { readonly status: 'served'; readonly facts: ServedFacts };

export type RecommendationCommand = { readonly type: 'RecordRecommendation'; readonly facts: ServedFacts };

export const recommendationDecider: Decider<RecommendationCommand, Recommendation, RecommendationEvent, never> = {
  initial: { status: 'none' },
  /** Log ids are unique per answer, so a second command with the same id is a repetition. */
  decide: ({ facts }, log) =>
    log.status === 'none' ? accept({ type: 'RecommendationServed', data: facts }) : accept(),
  evolve: (_log, { data }) => ({ status: 'served', facts: data }),
};

export const recommendationCodec = codec<RecommendationEvent>('recommendation', {
  RecommendationServed: [withoutExploration],
});

/** In version 1 no answer explored, and the propensity was in thousandths. */
function withoutExploration({ propensityPerMille, ...facts }: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, propensity: Number(propensityPerMille) * (MILLION / 1_000), evidence: null, digest: null };
}

/** The logged candidates with the factors that were learnt: without the lift of exploration. */
export function learntCandidates({ ranked, lifted }: Pick<ServedFacts, 'ranked' | 'lifted'>): RankedCandidate[] {
  return fromColumns(ranked).map((candidate, index) => {
    if (index + 1 !== lifted?.place) return candidate;
    return { ...candidate, factors: { ...candidate.factors, groundTruth: lifted.groundTruth } };
  });
}

/** The rank of a shown activity, from 1; null if it was not shown. */
export function rankOf(
  { ranked, shown }: Pick<ServedFacts, 'ranked' | 'shown'>,
  activityId: ActivityId,
): number | null {
  const index = ranked.ids.slice(0, shown).indexOf(activityId);
  return index < 0 ? null : index + 1;
}
