import { Elysia } from 'elysia';
import { unknownActivity } from '../../application/activity/unknown-activity.ts';
import { refused } from '../../application/refusal.ts';
import type { VenueId } from '../../domain/activity/activity.ts';
import { CITY_NAMES } from '../../domain/activity/cities.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { presentCity, presentDetails, presentHotel, presentSummary } from './present.ts';
import * as schema from './schema.ts';
import { searchCatalogue } from './search.ts';

/** Either suffices: agents that only recommend and agents that only read inventory need the catalogue. */
const READERS = { permission: ['recommend', 'inventory'] } as const;

/** The activities on sale to everybody, cities and hotels. No route shows activities for a hotel's guests only. */
export function catalogueRoutes(context: HttpContext) {
  const { catalogue, hotels } = context;
  return new Elysia({ name: 'catalogue', tags: ['Inventory'] })
    .use(access(context))
    .get(
      '/api/b2a/activities',
      async ({ query, language, call }) => {
        const city = query.city === undefined ? null : findCity(query.city);
        const venue = query.venue === undefined ? null : (query.venue as VenueId);
        if (venue !== null && ![...catalogue.values()].some(({ activity }) => activity.venue.id === venue)) {
          const message = `venue ${JSON.stringify(venue)} does not exist; send a venue_id from inventory.`;
          return call.refuse(refused('INVALID_REQUEST', message));
        }
        const { items, next } = await searchCatalogue(
          city === null ? catalogue.values() : catalogue.inGroup(city),
          { text: query.q ?? null, category: query.category ?? null, city, venue, exclusive: false },
          query.limit ?? schema.DEFAULT_LIMIT,
          readCursor(query.cursor),
        );
        return success({
          items: items.map(({ activity }) => presentSummary(activity, language ?? 'en')),
          next_cursor: writeCursor(next),
        });
      },
      {
        apiKey: READERS,
        language: true,
        positioned: 'candidates',
        query: schema.ACTIVITIES_QUERY,
        response: schema.ACTIVITIES_ANSWER,
        detail: schema.ACTIVITIES_DETAIL,
      },
    )
    .get(
      '/api/b2a/activities/:activity_id',
      ({ params, key, language, call }) => {
        const entry = catalogue.get(params.activity_id);
        if (entry === undefined || !entry.listed || entry.activity.exclusiveTo !== null)
          return call.refuse(unknownActivity(params.activity_id, null, catalogue));
        return success(presentDetails(entry, key.mode, language ?? 'en', context));
      },
      {
        apiKey: READERS,
        language: true,
        positioned: 'candidates',
        params: schema.ACTIVITY_PATH,
        response: schema.DETAILS_ANSWER,
        detail: schema.DETAILS_DETAIL,
      },
    )
    .get(
      '/api/b2a/cities',
      () => success({ items: CITY_NAMES.map((city) => presentCity(city, context)), next_cursor: null }),
      { apiKey: READERS, response: schema.CITIES_ANSWER, detail: schema.CITIES_DETAIL },
    )
    .get(
      '/api/b2a/hotels',
      ({ query }) => {
        const city = query.city === undefined ? null : findCity(query.city);
        const after = readCursor(query.cursor)?.id ?? '';
        const found = [...hotels().values()]
          .filter((hotel) => (city === null || hotel.city === city) && hotel.id > after)
          .sort((left, right) => (left.id < right.id ? -1 : 1));
        const items = found.slice(0, query.limit ?? schema.DEFAULT_LIMIT);
        const last = items.at(-1);
        const next = last === undefined || items.length === found.length ? null : { value: '', id: last.id };
        return success({ items: items.map(presentHotel), next_cursor: writeCursor(next) });
      },
      { apiKey: READERS, query: schema.HOTELS_QUERY, response: schema.HOTELS_ANSWER, detail: schema.HOTELS_DETAIL },
    );
}
