import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import type { ActivityId, HotelId } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Category, Difficulty, Language } from '../activity/vocabulary.ts';
import type { KeyId } from '../booking/booking.ts';
import type { TravelProfile } from './profile.ts';
import type { RankedColumns } from './ranked.ts';

/** What the answer's summary told of the surroundings: the weather as expected at the moment of asking. */
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
    /** Where the guest was said to be, rounded to about 100 m. */
    readonly position: { readonly lat: number; readonly lon: number } | null;
    readonly hotelId: HotelId | null;
    readonly filters: {
      readonly indoor: boolean | null;
      readonly difficulty: Difficulty | null;
      readonly maxPriceThbMinor: number | null;
      readonly categories: readonly Category[] | null;
    };
    readonly limit: number;
    readonly includeFlashDeals: boolean;
    readonly environment: Environment;
    /** Which rules made the scores of the factors (`MODEL`). */
    readonly model: string;
    /** How many activities could have been shown. */
    readonly candidates: number;
    /** The first `shown` were in the answer, in this order; the rest are the next best, as many as the event has room for. */
    readonly ranked: RankedColumns;
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
  const index = ranked.ids.slice(0, shown).indexOf(activityId);
  return index < 0 ? null : index + 1;
}
