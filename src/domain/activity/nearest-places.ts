import { foldName } from '../folded-name.ts';
import { nearestNames } from '../nearest-name.ts';
import { CITY_NAMES, type CityName } from './cities.ts';
import { findPlace, namesWithin, PLACE_NAMES, withoutRegions } from './find-place.ts';

/** The error for a text that does not name a single city, and all cities, with the possible ones first. */
export type UnknownPlace = { readonly sentence: string; readonly cities: readonly CityName[] };

/** Shorter names, mostly codes, are not suggested: too many words are one typing error away. */
const SHORTEST_SUGGESTED = 4;
const MOST_SUGGESTED = 3;
const MOST_PARTS = 4;

/** The names that can be suggested, by their folded form. */
const suggestable = new Map<string, Named>();
for (const [name, city] of PLACE_NAMES) {
  const key = foldName(name);
  if (key.length >= SHORTEST_SUGGESTED && !suggestable.has(key)) suggestable.set(key, { name, city });
}
const suggestableKeys = [...suggestable.keys()];

/**
 * The error for a field that does not name a single supported city, with suggestions.
 *
 * @param field `city` or `location.city`
 */
export function unknownPlace(field: string, text: string): UnknownPlace {
  const given = `${field} ${JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text)}`;
  const place = findPlace(text);
  if (place.kind === 'several' && place.cities.length > 1) {
    const sentence = `${given} names no single city; send one of ${place.cities.join(', ')}.`;
    return { sentence, cities: first(place.cities) };
  }
  const near = place.kind === 'several' ? place.cities.map((city) => ({ name: city, city })) : nearestPlaces(text);
  const cities = first(near.map(({ city }) => city));
  if (near.length === 0) {
    return { sentence: `${given} is not in the service area; it must be one of ${CITY_NAMES.join(', ')}.`, cities };
  }
  const shown = near.map(({ name, city }) => (name === city ? `"${name}"` : `"${name}" (${city})`));
  return { sentence: `${given} is not a known place; did you mean ${shown.join(' or ')}?`, cities };
}

type Named = { readonly name: string; readonly city: CityName };

/** The known places nearest to an unknown text: truncated or misspelt ones, and ones beside unknown words. */
function nearestPlaces(text: string): readonly Named[] {
  const parts = [text, withoutRegions(text), ...text.split(/[,、，;/()]+/, MOST_PARTS)];
  const unknown = parts.filter((part) => findPlace(part).kind === 'unknown').map(foldName);
  const searched = [...new Set(unknown)].filter((part) => part.length >= SHORTEST_SUGGESTED);
  const misspelt = searched.flatMap((part) => nearestNames(part, suggestableKeys, part.length > 5 ? 2 : 1));
  const cut = searched.flatMap((part) => suggestableKeys.filter((key) => key.startsWith(part)));
  const contained = namesWithin(text).filter(({ isRegion }) => !isRegion);
  const near = [
    ...[...cut, ...misspelt].flatMap((key) => suggestable.get(key) ?? []),
    ...contained.flatMap(({ cities }) => cities.map((city) => ({ name: city, city }))),
  ];
  const cities = [...new Set(near.map(({ city }) => city))].slice(0, MOST_SUGGESTED);
  return cities.flatMap((city) => near.find((each) => each.city === city) ?? []);
}

/** All cities, some of them first. */
function first(some: readonly CityName[]): readonly CityName[] {
  return [...new Set([...some, ...CITY_NAMES])];
}
