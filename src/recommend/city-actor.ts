import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { Behavior } from '../actors/actor.ts';
import type { ActorPool, ActorSystem } from '../actors/system.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { localDate } from '../domain/activity/schedule.ts';
import { type CityCandidates, candidatesOf } from './candidates.ts';
import { type Ranking, type RankingData, type RankingQuery, rank } from './rank.ts';

/** Rankings per actor turn. A ranking does no I/O. */
const MAX_BATCH = 16;

export type Cities = ActorPool<RankingQuery, Ranking>;

/** In-memory read models that the city actors read. Subscriptions keep them current. */
type CityData = RankingData & {
  readonly catalogue: {
    /** All entries of a city, including retired ones. */
    inGroup(city: CityName): Iterable<Pick<ActivityDocument, 'activity' | 'listed' | 'revision'>>;
    /** A counter that changes with every change of an entry. */
    changes(): number;
  };
};

/** One actor per city ranks its activities and caches the candidates between requests. */
export function openCities(system: ActorSystem, data: CityData): Cities {
  // Callers pass supported cities only: `locate` has validated them.
  return system.pool('city', (id) => cityBehavior(id as CityName, data));
}

function cityBehavior(city: CityName, data: CityData): Behavior<RankingQuery, Ranking> {
  let cached: { readonly changes: number; readonly candidates: CityCandidates } | null = null;
  const candidatesAt = (nowMs: number): CityCandidates => {
    const today = localDate(city, nowMs);
    const changes = data.catalogue.changes();
    if (cached?.changes === changes && cached.candidates.today === today) return cached.candidates;
    cached = { changes, candidates: candidatesOf(city, today, data.catalogue.inGroup(city)) };
    return cached.candidates;
  };
  return {
    maxBatch: MAX_BATCH,
    async receive(queries) {
      return queries.map((query) => rank(candidatesAt(query.nowMs), query, data));
    },
    restart() {
      cached = null;
    },
  };
}
