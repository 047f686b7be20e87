import { foldName } from '../folded-name.ts';
import { CITY_NAMES, type CityName, isCityName } from './cities.ts';
import { ALL_DISTRICTS } from './districts.ts';
import { CITY_ALIASES, PLACE_WORDS, REGIONS, SHARED_NAMES } from './place-names.ts';

/** What a text names: one city, several possible cities, or no known place. */
export type FoundPlace =
  | { readonly kind: 'city'; readonly city: CityName }
  | { readonly kind: 'several'; readonly cities: readonly CityName[] }
  | { readonly kind: 'unknown' };

/** A known name: the cities that it can mean. A region needs a city or a district beside it. */
type Name = { readonly cities: readonly CityName[]; readonly isRegion: boolean };

const names = new Map<string, Name>();
add(
  CITY_NAMES,
  (city) => [city, ...CITY_ALIASES[city].split(', ')],
  (city) => [city],
);
add(
  ALL_DISTRICTS,
  (district) => district.names,
  ({ city }) => [city],
);
add(
  Object.entries(SHARED_NAMES),
  ([shared]) => shared.split(', '),
  ([, cities]) => cities,
);
add(
  Object.entries(REGIONS),
  ([region]) => region.split(', '),
  ([, cities]) => cities,
  true,
);
const placeWords: ReadonlySet<string> = new Set(PLACE_WORDS.split(', ').map(foldName));

/** Every name that means exactly one city, as it is written, with that city. */
export const PLACE_NAMES: readonly (readonly [name: string, city: CityName])[] = [
  ...CITY_NAMES.flatMap((city) => [city, ...CITY_ALIASES[city].split(', ')].map((name) => [name, city] as const)),
  ...ALL_DISTRICTS.flatMap((district) => district.names.map((name) => [name, district.city] as const)),
];

/** The supported city that a text names, or null. A district, island or town is understood as its city. */
export function findCity(text: string): CityName | null {
  // Fast path: most callers send the canonical name.
  if (isCityName(text)) return text;
  const place = findPlace(text);
  return place.kind === 'city' ? place.city : null;
}

/**
 * Understands a name in eight languages, alone or beside its country, its city or a word such as "island":
 * "Ubud, Bali, Indonesia", "泰国曼谷", "Thành phố Đà Nẵng". Every part of the text must be known, and all must agree.
 */
export function findPlace(text: string): FoundPlace {
  const known = names.get(foldName(text));
  const parts = known === undefined ? partsOf(text) : [known];
  if (parts === null || parts.length === 0) return { kind: 'unknown' };
  const agreed = parts.map(({ cities }) => cities).reduce((left, right) => left.filter((city) => right.includes(city)));
  const [city, another] = agreed;
  const isPlace = parts.some(({ isRegion }) => !isRegion);
  if (isPlace && city !== undefined && another === undefined) return { kind: 'city', city };
  if (agreed.length > 0) return { kind: 'several', cities: agreed };
  const places = parts.filter(({ isRegion }) => !isRegion);
  return { kind: 'several', cities: [...new Set((isPlace ? places : parts).flatMap(({ cities }) => cities))] };
}

/** The known names in a text. Skips unknown parts, and words such as "island" that do not change the place. */
export function namesWithin(text: string): readonly Name[] {
  const atoms = atomsOf(text);
  const found: Name[] = [];
  for (let start = 0; start < atoms.length; ) {
    const [end] = endsOf(atoms, start);
    const name = end === undefined ? undefined : names.get(joined(atoms, start, end));
    if (name !== undefined) found.push(name);
    start = end ?? start + 1;
  }
  return found;
}

/** The text without the regions and words that can stand beside a place: "Bangkk city, Thailand" is "Bangkk". */
export function withoutRegions(text: string): string {
  const isBeside = (word: string): boolean => placeWords.has(word) || names.get(word)?.isRegion === true;
  return text
    .split(/[\s,、，;/()]+/)
    .filter((word) => !isBeside(foldName(word)))
    .join(' ');
}

function add<Row>(
  rows: readonly Row[],
  namesOf: (row: Row) => readonly string[],
  citiesOf: (row: Row) => readonly CityName[],
  isRegion = false,
): void {
  for (const row of rows) {
    for (const name of namesOf(row)) {
      const key = foldName(name);
      if (!names.has(key)) names.set(key, { cities: citiesOf(row), isRegion });
    }
  }
}

/** Reads a text as a sequence of known names and words; null if a part of it is neither. */
function partsOf(text: string): readonly Name[] | null {
  const atoms = atomsOf(text);
  /** Positions from which the rest of the text cannot be read. */
  const failed = new Set<number>();
  const read = (start: number): readonly Name[] | null => {
    if (start === atoms.length) return [];
    if (failed.has(start)) return null;
    for (const end of endsOf(atoms, start)) {
      const rest = read(end);
      if (rest === null) continue;
      const name = names.get(joined(atoms, start, end));
      return name === undefined ? rest : [name, ...rest];
    }
    failed.add(start);
    return null;
  };
  return read(0);
}

/** The ends of the known names and words that begin at an atom, the longest first. */
function endsOf(atoms: readonly string[], start: number): readonly number[] {
  const ends: number[] = [];
  for (let end = Math.min(start + LONGEST_NAME, atoms.length); end > start; end--) {
    const key = joined(atoms, start, end);
    if (names.has(key) || placeWords.has(key)) ends.push(end);
  }
  return ends;
}

function joined(atoms: readonly string[], start: number, end: number): string {
  return atoms.slice(start, end).join('');
}

/** The number of atoms in the longest known name. */
const LONGEST_NAME = 24;
/** Latin words, and single characters of the scripts that are written without spaces. */
const ATOM = /[\p{Script=Latin}\p{N}]+|\p{L}\p{M}*|\p{M}/gu;

function atomsOf(text: string): readonly string[] {
  return text.split(SEPARATOR).flatMap((word) => foldName(word).match(ATOM) ?? []);
}

const SEPARATOR = /[^\p{L}\p{M}\p{N}]+/u;
