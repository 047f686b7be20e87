import { Type } from 'typebox';
import { type Refused, refused, serviceUnavailable } from '../../application/refusal.ts';
import { CITY_NAMES } from '../../domain/activity/cities.ts';
import { toMinor } from '../../domain/activity/money.ts';
import { AGE_GROUPS, CATEGORIES, DIFFICULTIES, TRAVEL_TYPES } from '../../domain/activity/vocabulary.ts';
import { BUDGETS } from '../../domain/recommendation/profile.ts';
import { languageOfCountry, parseCountry } from '../../recommend/countries.ts';
import { type Located, type Location, locate } from '../../recommend/place.ts';
import type { NothingFound, Relaxation } from '../../recommend/rank.ts';
import { recommend } from '../../recommend/recommend.ts';
import type { RecommendRequest } from '../../recommend/request.ts';
import type { HttpContext } from '../context.ts';
import { RECOMMEND } from '../declarations/recommend.ts';
import { endpoint } from '../endpoint.ts';
import { type AcrossRule, form, optional, required } from '../form.ts';
import { freshCandidates } from '../freshness.ts';
import { preferredLanguage } from '../language.ts';
import { presentRecommendations } from '../present-recommendations.ts';

const DEFAULT_LIMIT = 10;
const THB = 'THB';

const oneOf = <const Name extends string>(names: readonly Name[]) =>
  Type.Union(names.map((name) => Type.Literal(name)));
const CATEGORY_LIST = Type.Array(oneOf(CATEGORIES), { maxItems: 50 });
const CATEGORY_RULE = `a list of any of ${CATEGORIES.join(', ')}`;
const OBJECT = Type.Object({});
const PROFILE = 'INVALID_PROFILE';
const LOCATION = 'INVALID_LOCATION';

/** In the order of the specification. */
const FIELDS = {
  user_profile: required(OBJECT, 'an object with at least travel_type', PROFILE),
  'user_profile.travel_type': required(oneOf(TRAVEL_TYPES), `one of ${TRAVEL_TYPES.join(', ')}`, PROFILE),
  'user_profile.nationality': optional(
    Type.Refine(Type.String({ maxLength: 2 }), (text) => parseCountry(text) !== null),
    'a country code of ISO 3166-1 alpha-2, like DE',
    PROFILE,
  ),
  'user_profile.interests': optional(CATEGORY_LIST, CATEGORY_RULE, PROFILE),
  'user_profile.budget': optional(oneOf(BUDGETS), `one of ${BUDGETS.join(', ')}`, PROFILE),
  'user_profile.age_group': optional(oneOf(AGE_GROUPS), `one of ${AGE_GROUPS.join(', ')}`, PROFILE),
  location: required(OBJECT, 'an object with city, or lat and lon, or hotel_id', LOCATION),
  'location.city': optional(Type.String({ minLength: 1, maxLength: 80 }), 'the name of a city', LOCATION),
  'location.lat': optional(Type.Number({ minimum: -90, maximum: 90 }), 'degrees from -90 to 90', LOCATION),
  'location.lon': optional(Type.Number({ minimum: -180, maximum: 180 }), 'degrees from -180 to 180', LOCATION),
  'location.hotel_id': optional(Type.String({ minLength: 1, maxLength: 80 }), 'the id of a hotel', LOCATION),
  filters: optional(OBJECT, 'an object'),
  'filters.is_indoor': optional(Type.Boolean({ description: 'True: indoor activities only.' }), 'true or false'),
  'filters.difficulty': optional(oneOf(DIFFICULTIES), `one of ${DIFFICULTIES.join(', ')}`),
  'filters.max_price': optional(
    Type.Refine(
      Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }),
      (amount) => typeof amount === 'number' && toMinor(amount, THB) !== null,
    ),
    'an amount in baht above 0, with at most two decimals',
  ),
  'filters.categories': optional(CATEGORY_LIST, CATEGORY_RULE),
  limit: optional(Type.Integer({ minimum: 1, maximum: 20, default: DEFAULT_LIMIT }), 'a whole number from 1 to 20'),
  include_flash_deals: optional(Type.Boolean({ default: true }), 'true or false'),
};

/** The fields of a request for recommendations. */
function recommendForm(located: Locator) {
  const members = ['location', 'location.city', 'location.lat', 'location.lon', 'location.hotel_id'] as const;
  return form(FIELDS, Object.fromEntries(members.map((member) => [member, locationRule(member, located)])));
}

/** POST /api/b2a/recommend */
export function recommendations(context: HttpContext) {
  const locatedBy = locatedOnce(context);
  return endpoint(context, RECOMMEND, recommendForm(locatedBy), async ({ caller, fields, headers, cause }) => {
    const located = locatedBy(fields);
    // The form's rules have refused every location that is not one.
    if (located?.kind !== 'place') return refused(LOCATION, located?.fault.sentence ?? 'location is not sound.');
    const nationality = parseCountry(fields['user_profile.nationality'] ?? '');
    const maxPrice = fields['filters.max_price'];
    const request: RecommendRequest = {
      keyId: caller.keyId,
      profile: {
        // Required by the form.
        travelType: fields['user_profile.travel_type'] ?? 'solo',
        nationality,
        interests: [...new Set(fields['user_profile.interests'])],
        budget: fields['user_profile.budget'],
        ageGroup: fields['user_profile.age_group'],
      },
      place: located.place,
      filters: {
        indoor: fields['filters.is_indoor'] === true ? true : null,
        difficulty: fields['filters.difficulty'],
        maxPriceThbMinor: maxPrice === null ? null : toMinor(maxPrice, THB),
        categories: noneAsNull([...new Set(fields['filters.categories'])]),
      },
      limit: fields.limit ?? DEFAULT_LIMIT,
      includeFlashDeals: fields.include_flash_deals ?? true,
      language: preferredLanguage(headers.get('accept-language')) ?? languageOfCountry(nationality) ?? 'en',
    };
    await freshCandidates(headers, context);
    const answer = await recommend(request, cause, context);
    if (answer.kind === 'unavailable') return serviceUnavailable(answer.reason);
    if (answer.kind === 'nothing') return nothingFound(request, answer, context);
    const { position } = answer;
    return {
      kind: 'data',
      data: presentRecommendations(request, answer),
      ...(position === null ? {} : { headers: { 'x-position': position } }),
    };
  });
}

type Locator = (values: Readonly<Record<string, unknown>>) => Located | null;

/** The rules of all members, and then the answer, ask the same of the same fields: it is worked out once. */
function locatedOnce({ hotels }: Pick<HttpContext, 'hotels'>): Locator {
  let last: { readonly values: object; readonly located: Located | null } | null = null;
  return (values) => {
    if (last?.values === values) return last.located;
    const location = soundLocation(values);
    last = { values, located: location === null ? null : locate(location, hotels()) };
    return last.located;
  };
}

/** What is wrong with this member of the location, where each by itself is sound. */
function locationRule(member: string, locatedBy: Locator): AcrossRule {
  return (values) => {
    const located = locatedBy(values);
    if (located?.kind !== 'fault' || located.fault.member !== member) return null;
    const { sentence, offersCities } = located.fault;
    const alternatives = CITY_NAMES.map((city) => ({ city }));
    return { code: LOCATION, sentence, ...(offersCities && { alternatives }) };
  };
}

/** Null where a member has a fault of its own, which is told instead. */
function soundLocation(values: Readonly<Record<string, unknown>>): Location | null {
  const { 'location.city': city, 'location.lat': lat, 'location.lon': lon, 'location.hotel_id': hotelId } = values;
  const sound = isTextOrNull(city) && isTextOrNull(hotelId) && isDegreesOrNull(lat, 90) && isDegreesOrNull(lon, 180);
  return sound ? { city, lat, lon, hotelId } : null;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value.length >= 1 && value.length <= 80);
}

function isDegreesOrNull(value: unknown, most: number): value is number | null {
  return value === null || (typeof value === 'number' && Math.abs(value) <= most);
}

/** An empty list of categories is no wish: it would leave nothing. */
function noneAsNull<Item>(items: readonly Item[]): readonly Item[] | null {
  return items.length === 0 ? null : items;
}

const FILTER_FIELDS = {
  indoor: 'filters.is_indoor',
  difficulty: 'filters.difficulty',
  maxPriceThbMinor: 'filters.max_price',
  categories: 'filters.categories',
} as const satisfies Record<Relaxation['filter'], string>;

/** Nothing matches: which filter to leave out, or which city to look at instead. */
function nothingFound(
  { place }: RecommendRequest,
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
  const message = `There is nothing to do in ${city} within the next 7 days; choose another city.`;
  return refused('NO_ACTIVITIES', message, { alternatives: others.map((name) => ({ city: name })) });
}
