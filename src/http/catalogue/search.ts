import type { Activity, ActivityId, VenueId } from '../../domain/activity/activity.ts';
import type { CityName } from '../../domain/activity/cities.ts';
import { type Category, LANGUAGES } from '../../domain/activity/vocabulary.ts';
import { foldName } from '../../domain/folded-name.ts';
import type { Cursor } from '../../ports/read-model-store.ts';

/** Null: everything. */
export type CatalogueSearch = {
  /** All of its words must stand in the titles, the descriptions or the venue's name, in any language. */
  readonly text: string | null;
  readonly category: Category | null;
  readonly city: CityName | null;
  readonly venue: VenueId | null;
  /** Whether activities for a hotel's guests only are found too. */
  readonly exclusive: boolean;
};

type Entry = { readonly activity: Activity; readonly listed: boolean };

/** A page of what was found: matches in titles first, then by id. */
export type FoundPage<E extends Entry> = { readonly items: readonly E[]; readonly next: Cursor | null };

/** Number of entries that are folded before other requests get their turn: about ten milliseconds. */
const BATCH = 100;

/** Activities whose texts stay folded: those of the largest catalogue that is promised, about 5 kB each. */
const MAX_FOLDED = 10_000;

const [IN_TITLE, IN_TEXT] = ['0', '1'];

/** Searches the activities on sale, from memory. */
export async function searchCatalogue<E extends Entry>(
  entries: Iterable<E>,
  search: CatalogueSearch,
  limit: number,
  after: Cursor | null,
): Promise<FoundPage<E>> {
  const words = wordsOf(search.text ?? '');
  const found: { readonly entry: E; readonly rank: string }[] = [];
  let folded = 0;
  for (const entry of entries) {
    const { activity } = entry;
    if (!entry.listed || !fits(activity, search)) continue;
    if (words.length > 0 && !foldedTexts.has(activity) && ++folded % BATCH === 0) await new Promise(setImmediate);
    const rank = rankOf(activity, words);
    if (rank !== null && (after === null || isAfter({ value: rank, id: activity.id }, after)))
      found.push({ entry, rank });
  }
  found.sort((left, right) => (isAfter(cursorOf(left), cursorOf(right)) ? 1 : -1));
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ entry }) => entry),
    next: last === undefined || found.length <= limit ? null : cursorOf(last),
  };
}

/** The words of a search, folded. */
export function wordsOf(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .map(foldName)
    .filter((word) => word !== '');
}

function fits(activity: Activity, { category, city, venue, exclusive }: CatalogueSearch): boolean {
  return (
    (exclusive || activity.exclusiveTo === null) &&
    (category === null || activity.category === category) &&
    (city === null || activity.city === city) &&
    (venue === null || activity.venue.id === venue)
  );
}

/** Null: no match. */
function rankOf(activity: Activity, words: readonly string[]): string | null {
  if (words.length === 0) return IN_TITLE;
  const { titles, all } = foldedTexts.of(activity);
  if (words.every((word) => titles.includes(word))) return IN_TITLE;
  return words.every((word) => all.includes(word)) ? IN_TEXT : null;
}

type Folded = { readonly activity: Activity; readonly titles: string; readonly all: string };

/**
 * Cache: folding costs a hundred times more than a search of the folded text. It holds the first `max` activities that are
 * searched, because a search reads all of them: a cache of the last ones would have none that the next search needs.
 */
export class FoldedTexts {
  readonly #max: number;
  readonly #folded = new Map<ActivityId, Folded>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Number of activities in memory. */
  get size(): number {
    return this.#folded.size;
  }

  /** False if the activity has changed since. */
  has(activity: Activity): boolean {
    return this.#folded.get(activity.id)?.activity === activity;
  }

  of(activity: Activity): Folded {
    const known = this.#folded.get(activity.id);
    if (known?.activity === activity) return known;
    const made = foldTexts(activity);
    if (known !== undefined || this.#folded.size < this.#max) this.#folded.set(activity.id, made);
    return made;
  }
}

const foldedTexts = new FoldedTexts(MAX_FOLDED);

function foldTexts(activity: Activity): Folded {
  const each = LANGUAGES.map((language) => activity.texts[language]);
  const titles = each.map(({ title }) => foldName(title)).join('\n');
  const others = [...each.map(({ description }) => description), activity.venue.name].map(foldName);
  return { activity, titles, all: [titles, ...others].join('\n') };
}

function cursorOf({ entry, rank }: { readonly entry: Entry; readonly rank: string }): Cursor {
  return { value: rank, id: entry.activity.id };
}

function isAfter(left: Cursor, right: Cursor): boolean {
  return left.value === right.value ? left.id > right.id : String(left.value) > String(right.value);
}
