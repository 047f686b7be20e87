import { Elysia } from 'elysia';
import { noReply, type Refused, refused } from '../../application/refusal.ts';
import { CITY_NAMES, type CityName } from '../../domain/activity/cities.ts';
import { toMinor } from '../../domain/activity/money.ts';
import { languageOfCountry, parseCountry } from '../../recommend/countries.ts';
import { grantedTo } from '../../recommend/place.ts';
import type { NothingFound, Relaxation } from '../../recommend/rank.ts';
import { recommend } from '../../recommend/recommend.ts';
import type { AskedDays, RecommendRequest } from '../../recommend/request.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { dateIn } from '../dates.ts';
import { locatorOf } from './location.ts';
import { presentRecommendations } from './present.ts';
import * as schema from './schema.ts';

export function recommendRoutes(context: HttpContext) {
  const locatedBy = locatorOf(context);
  return new Elysia({ name: 'recommend', tags: ['Recommendations'] }).use(access(context)).post(
    '/api/b2a/recommend',
    async ({ body, key, language, call }) => {
      const located = locatedBy(body);
      // Only possible if the hotels have changed since the request was validated.
      if (located?.kind !== 'place')
        return call.refuse(refused('INVALID_LOCATION', located?.fault.sentence ?? 'location is not valid.'));
      const { user_profile: profile, filters = {} } = body;
      const nationality = parseCountry(profile.nationality ?? '');
      const search: RecommendRequest = {
        keyId: key.keyId,
        mode: key.mode,
        profile: {
          travelType: profile.travel_type,
          nationality,
          interests: [...new Set(profile.interests)],
          budget: profile.budget ?? null,
          ageGroup: profile.age_group ?? null,
        },
        place: grantedTo(key.hotelIds, located.place),
        filters: {
          indoor: filters.is_indoor === true ? true : null,
          difficulty: filters.difficulty ?? null,
          maxPriceThbMinor:
            filters.max_price === undefined ? null : toMinor(filters.max_price, schema.MAX_PRICE_CURRENCY),
          categories: noneAsNull([...new Set(filters.categories)]),
        },
        days: daysOf(body, located.place.city, context),
        guests: body.guests ?? 1,
        limit: body.limit ?? schema.DEFAULT_LIMIT,
        includeFlashDeals: body.include_flash_deals ?? true,
        exploration: key.exploration,
        language: language ?? languageOfCountry(nationality) ?? 'en',
      };
      const answer = await recommend(search, call.cause, context);
      if (answer.kind === 'unavailable') return call.refuse(noReply(answer));
      if (answer.kind === 'nothing') return call.refuse(nothingFound(search, answer, context));
      return call.reply(answer, (found) => presentRecommendations(search, found, context.publicUrl()), commandHeaders);
    },
    {
      apiKey: 'recommend',
      language: true,
      positioned: 'candidates',
      body: schema.recommendBody(locatedBy, context),
      response: schema.RECOMMENDED_ANSWER,
      detail: schema.RECOMMEND_DETAIL,
    },
  );
}

/** Null if the request names no date. Without `date` the first one is today, without `date_to` the last is the first. */
function daysOf(
  { date, date_to: last }: { readonly date?: string; readonly date_to?: string },
  city: CityName,
  context: HttpContext,
): AskedDays | null {
  if (date === undefined && last === undefined) return null;
  const from = dateIn(city, date ?? 'today', context);
  return { from, to: last === undefined ? from : dateIn(city, last, context) };
}

/** Treats an empty list as no filter: as a filter it would match nothing. */
function noneAsNull<Item>(items: readonly Item[]): readonly Item[] | null {
  return items.length === 0 ? null : items;
}

const FILTER_FIELDS = {
  indoor: 'filters.is_indoor',
  difficulty: 'filters.difficulty',
  maxPriceThbMinor: 'filters.max_price',
  categories: 'filters.categories',
} as const satisfies Record<Relaxation['filter'], string>;

/** Names the filters that exclude everything, or the cities that have activities. */
function nothingFound(
  { place, days, guests }: RecommendRequest,
  { relaxations, unfiltered }: NothingFound,
  { catalogue }: HttpContext,
): Refused {
  const { city } = place;
  const [helpful] = relaxations;
  if (helpful !== undefined) {
    const alternatives = relaxations.map(({ filter, activities }) => ({
      leave_out: FILTER_FIELDS[filter],
      activities,
    }));
    const found = `${helpful.activities} ${helpful.activities === 1 ? 'activity matches' : 'activities match'} then`;
    const message = `Nothing in ${city} matches all filters; leave out ${FILTER_FIELDS[helpful.filter]}: ${found}.`;
    return refused('NO_ACTIVITIES', message, { alternatives });
  }
  if (unfiltered > 0) {
    const message = `Nothing in ${city} matches the filters, and no single one of them is the cause; leave out several: without any there are ${unfiltered}.`;
    return refused('NO_ACTIVITIES', message);
  }
  const listed = [...catalogue.values()].filter((entry) => entry.listed).map(({ activity }) => activity.city);
  const others = CITY_NAMES.filter((name) => name !== city && listed.includes(name));
  const when = days === null ? 'within the next 7 days' : `from ${days.from} to ${days.to}`;
  const whom = guests === 1 ? '' : ` for ${guests} guests`;
  const instead = days === null && guests === 1 ? '' : 'other dates, fewer guests or ';
  const message = `There is nothing to do in ${city} ${when}${whom}; choose ${instead}another city.`;
  return refused('NO_ACTIVITIES', message, { alternatives: others.map((name) => ({ city: name })) });
}
