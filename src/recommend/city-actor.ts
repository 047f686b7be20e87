import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { Behavior } from '../actors/actor.ts';
import type { ActorPool, ActorSystem } from '../actors/system.ts';
import { CITY_NAMES, type CityName } from '../domain/activity/cities.ts';
import { localDate } from '../domain/activity/schedule.ts';
import { defaultModel } from '../domain/recommendation/ranking-model.ts';
import { CityIndex, candidatesOf } from './candidates.ts';
import { type Ranking, type RankingData, type RankingQuery, rank } from './rank.ts';
import { NO_FILTERS } from './request.ts';

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

/** Cities of at least so many activities are prepared at the start. The index of a smaller one takes a few milliseconds. */
const LARGE_CITY = 500;
const PREPARE_MS = 60_000;

/**
 * The cities rank for so long before other work has its turn. Rankings of one turn are stored by one group commit: a ranking of a
 * small city takes less time than its commit.
 */
export const RANKING_MS = 5;

/**
 * One actor per city ranks its activities. The indexes of the cities are kept between requests, also when an actor is not.
 *
 * @param elapsedMs of a clock that only goes forward
 */
export function openCities(system: ActorSystem, data: CityData, elapsedMs = () => performance.now()): Cities {
  const indexes: Indexes = new Map();
  const ready = turnsOf(elapsedMs);
  // Callers pass supported cities only: `locate` has validated them.
  return system.pool('city', (id) => cityBehavior(id as CityName, data, indexes, ready));
}

/** Resolves at once for `RANKING_MS`, then after other work had its turn. */
function turnsOf(elapsedMs: () => number): () => Promise<void> {
  let endsAtMs = -Infinity;
  let next: Promise<void> | null = null;
  return () => {
    if (elapsedMs() < endsAtMs) return Promise.resolve();
    next ??= new Promise((resolve) => {
      setImmediate(() => {
        next = null;
        endsAtMs = elapsedMs() + RANKING_MS;
        resolve();
      });
    });
    return next;
  };
}

/** Like `openCities`. Answers one request in each large city first, so that no guest waits for its index. */
export async function openPreparedCities(system: ActorSystem, data: CityData): Promise<Cities> {
  const cities = openCities(system, data);
  const { clock } = system;
  for (const city of CITY_NAMES) {
    let activities = 0;
    for (const _ of data.catalogue.inGroup(city)) if (++activities === LARGE_CITY) break;
    if (activities < LARGE_CITY) continue;
    const query: RankingQuery = {
      mode: 'live',
      profile: { travelType: 'couple', nationality: null, interests: [], budget: null, ageGroup: null },
      place: { city, position: null, hotel: null, hotelGrant: null },
      filters: NO_FILTERS,
      days: null,
      guests: 1,
      includeFlashDeals: true,
      model: defaultModel(0),
      nowMs: clock.nowMs(),
      weather: { kind: 'unavailable', reason: 'off' },
    };
    // Without a reply the first guest waits.
    await cities.ask(city, query, clock.nowMs() + PREPARE_MS);
  }
  return cities;
}

/** With the number of changes of the catalogue that an index was made of. */
type Indexes = Map<CityName, { readonly city: CityIndex; readonly changes: number }>;

function cityBehavior(
  name: CityName,
  data: CityData,
  indexes: Indexes,
  ready: () => Promise<void>,
): Behavior<RankingQuery, Ranking> {
  const present = (): CityIndex => {
    const changes = data.catalogue.changesIn(name);
    const known = indexes.get(name);
    if (known?.changes === changes) return known.city;
    const city = new CityIndex(name, data.catalogue.inGroup(name));
    indexes.set(name, { city, changes });
    return city;
  };
  return {
    maxBatch: 1,
    ready,
    async receive(queries) {
      return queries.map((query) => {
        const candidates = candidatesOf(present(), localDate(name, query.nowMs), query.days);
        return rank(candidates, query, data);
      });
    },
    restart() {
      indexes.delete(name);
    },
  };
}
