import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import type { ActivityId, LocalDate } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Category, Difficulty, Language } from '../activity/vocabulary.ts';
import type { KeyId } from '../booking/booking.ts';
import type { TravelProfile } from './profile.ts';

/** The five factors of a score, each in thousandths of [0,1], before weighting; in the order of the specification. */
export type FactorsPerMille = readonly [
  profile: number,
  groundTruth: number,
  weather: number,
  time: number,
  price: number,
];

/** A candidate as compact as a log of them must be: the size of this event is what limits recommend. */
export type RankedCandidate = readonly [
  activityId: ActivityId,
  /** For which date price and availability hold. */
  date: LocalDate,
  /** 0-100, in hundredths. */
  scoreCenti: number,
  factors: FactorsPerMille,
];

/** What decided about the weather and time factors, so that the answer can be worked out again. */
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

/** These types are the storage format. One event: a context log is written once and only read afterwards. */
export type RecommendationEvent = {
  readonly type: 'RecommendationServed';
  readonly data: {
    readonly keyId: KeyId;
    readonly city: CityName;
    readonly language: Language;
    readonly profile: TravelProfile;
    readonly position: { readonly lat: number; readonly lon: number } | null;
    readonly hotelId: string | null;
    readonly filters: {
      readonly indoor: boolean | null;
      readonly difficulty: Difficulty | null;
      readonly maxPriceThbMinor: number | null;
      readonly categories: readonly Category[] | null;
    };
    readonly limit: number;
    readonly includeFlashDeals: boolean;
    readonly environment: Environment;
    /** Which ranking model and version made the scores. */
    readonly model: string;
    /** How many activities could have been shown. */
    readonly candidates: number;
    /** The first `shown` were in the answer, in this order; the rest are the next best. */
    readonly ranked: readonly RankedCandidate[];
    readonly shown: number;
    /** The chance with which the first was shown first; 1 where nothing was sampled. In thousandths. */
    readonly propensityPerMille: number;
    /** ISO 8601 UTC. */
    readonly at: string;
  };
};

export type ServedFacts = RecommendationEvent['data'];

export type Recommendation = { readonly status: 'none' } | { readonly status: 'served'; readonly facts: ServedFacts };

export type RecommendationCommand = { readonly type: 'RecordRecommendation'; readonly facts: ServedFacts };

export const recommendationDecider: Decider<RecommendationCommand, Recommendation, RecommendationEvent, never> = {
  initial: { status: 'none' },
  /** Log ids are fresh for each answer, so a second command of the same id is a repetition of the first. */
  decide: ({ facts }, log) =>
    log.status === 'none' ? accept({ type: 'RecommendationServed', data: facts }) : accept(),
  evolve: (_log, { data }) => ({ status: 'served', facts: data }),
};

export const recommendationCodec = codec<RecommendationEvent>('recommendation', { RecommendationServed: [] });

/** The place of an activity among those shown, from 1; null where it was not shown. */
export function rankOf(
  { ranked, shown }: Pick<ServedFacts, 'ranked' | 'shown'>,
  activityId: ActivityId,
): number | null {
  const index = ranked.slice(0, shown).findIndex(([id]) => id === activityId);
  return index < 0 ? null : index + 1;
}
