import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { Behavior } from '../actors/actor.ts';
import type { ActorPool, ActorSystem } from '../actors/system.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { localDate } from '../domain/activity/schedule.ts';
import { CityIndex, candidatesOf } from './candidates.ts';
import { type Ranking, type RankingData, type RankingQuery, rank } from './rank.ts';

export type Cities = ActorPool<RankingQuery, Ranking>;

/** In-memory read models that the city actors read. Subscriptions keep them current. */
type CityData = RankingData & {
  readonly catalogue: {
    /** All entries of a city, including retired ones. */
    inGroup(city: CityName): Iterable<Pick<ActivityDocument, 'activity' | 'listed' | 'revision'>>;
    /** A number that changes with every change of an entry of the city. */
    changesIn(city: CityName): number;
  };
};

/** One actor per city ranks its activities and keeps its index between requests. */
export function openCities(system: ActorSystem, data: CityData): Cities {
  // Callers pass supported cities only: `locate` has validated them.
  return system.pool('city', (id) => cityBehavior(id as CityName, data));
}

function cityBehavior(name: CityName, data: CityData): Behavior<RankingQuery, Ranking> {
  let known: { readonly city: CityIndex; readonly changes: number } | null = null;
  const present = (): CityIndex => {
    const changes = data.catalogue.changesIn(name);
    if (known?.changes !== changes) known = { city: new CityIndex(name, data.catalogue.inGroup(name)), changes };
    return known.city;
  };
  return {
    // A ranking takes up to some milliseconds: between two of them other requests have their turn.
    maxBatch: 1,
    ready: () => new Promise((resolve) => setImmediate(resolve)),
    async receive(queries) {
      return queries.map((query) => {
        const candidates = candidatesOf(present(), localDate(name, query.nowMs), query.days);
        return rank(candidates, query, data);
      });
    },
    restart() {
      known = null;
    },
  };
}
