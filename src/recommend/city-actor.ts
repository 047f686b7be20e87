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

/** Maximum number of date ranges for which an actor caches candidates; it evicts the oldest one first. */
const MAX_CACHED = 16;

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
  const cached = new Map<string, CityCandidates>();
  let [changes, today] = [-1, ''];
  const candidatesFor = ({ nowMs, days }: RankingQuery): CityCandidates => {
    const changesNow = data.catalogue.changes();
    const todayNow = localDate(city, nowMs);
    if (changesNow !== changes || todayNow !== today) cached.clear();
    const range = days === null ? '' : `${days.from} ${days.to}`;
    const known = cached.get(range);
    if (known !== undefined) return known;
    const [oldest] = cached.keys();
    if (cached.size >= MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    const candidates = candidatesOf(city, todayNow, data.catalogue.inGroup(city), days);
    cached.set(range, candidates);
    [changes, today] = [changesNow, todayNow];
    return candidates;
  };
  return {
    maxBatch: MAX_BATCH,
    async receive(queries) {
      return queries.map((query) => rank(candidatesFor(query), query, data));
    },
    restart() {
      cached.clear();
    },
  };
}
