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

/** One actor per city ranks its activities. The indexes of the cities are kept between requests, also when an actor is not. */
export function openCities(system: ActorSystem, data: CityData): Cities {
  const indexes: Indexes = new Map();
  // Callers pass supported cities only: `locate` has validated them.
  return system.pool('city', (id) => cityBehavior(id as CityName, data, indexes));
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

function cityBehavior(name: CityName, data: CityData, indexes: Indexes): Behavior<RankingQuery, Ranking> {
  const present = (): CityIndex => {
    const changes = data.catalogue.changesIn(name);
    const known = indexes.get(name);
    if (known?.changes === changes) return known.city;
    const city = new CityIndex(name, data.catalogue.inGroup(name));
    indexes.set(name, { city, changes });
    return city;
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
      indexes.delete(name);
    },
  };
}
