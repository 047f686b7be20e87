import type { Activity } from '../../domain/activity/activity.ts';
import type { CityName } from '../../domain/activity/cities.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import { nearestActivities } from '../../domain/activity/nearest-activities.ts';
import { type Refused, refused } from '../refusal.ts';

const MOST_SUGGESTED = 5;
const MOST_SHOWN = 80;

type Entry = { readonly activity: Activity; readonly listed: boolean };

/** Entries of the catalogue, from memory. */
export type SearchedCatalogue = {
  get(id: string): Entry | undefined;
  values(): Iterable<Entry>;
  inGroup(city: CityName): Iterable<Entry>;
};

/**
 * The refusal of an activity that is not on sale, with the nearest ones by id and title. It searches the city that the
 * request names, else the city that the id begins with (`bkk-…`), else the catalogue.
 *
 * @param city the city of the request; null if it names none
 */
export function unknownActivity(id: string, city: CityName | null, catalogue: SearchedCatalogue): Refused {
  const unknown = `activity_id ${JSON.stringify(id.slice(0, MOST_SHOWN))} does not exist${city === null ? '' : ` in ${city}`}`;
  const elsewhere = catalogue.get(id);
  if (elsewhere !== undefined && isSuggested(elsewhere))
    return refusedWith(`${unknown}; it is in ${elsewhere.activity.city}.`, [elsewhere.activity]);
  const searched = city ?? findCity(id.slice(0, MOST_SHOWN).split('-')[0] ?? '');
  const entries = searched === null ? catalogue.values() : catalogue.inGroup(searched);
  const near = nearestActivities(id, suggested(entries), MOST_SUGGESTED);
  const [nearest] = near;
  if (nearest === undefined) return refused('ACTIVITY_NOT_FOUND', `${unknown}; take one from inventory.`);
  return refusedWith(`${unknown}; did you mean "${nearest.id}" (${nearest.texts.en.title})?`, near);
}

function refusedWith(sentence: string, near: readonly Activity[]): Refused {
  const alternatives = near.map(({ id, texts }) => ({ activity_id: id, title: texts.en.title }));
  return refused('ACTIVITY_NOT_FOUND', sentence, { alternatives });
}

function* suggested(entries: Iterable<Entry>): Generator<Activity> {
  for (const entry of entries) if (isSuggested(entry)) yield entry.activity;
}

/** Activities for the guests of one hotel are never listed. */
function isSuggested({ activity, listed }: Entry): boolean {
  return listed && activity.exclusiveTo === null;
}
