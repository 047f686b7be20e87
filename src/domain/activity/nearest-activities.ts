import { foldName } from '../folded-name.ts';
import type { Activity } from './activity.ts';
import { LANGUAGES } from './vocabulary.ts';

/**
 * Maximum number of activities compared. Comparing one takes about 20 µs the first time, then 5 µs: a refusal must not
 * delay other requests.
 */
const MOST_COMPARED = 1_000;
/** Share of the text's pairs of characters that an id or a title must contain. */
const LEAST_SHARED = 0.6;
/** Maximum number of characters compared. */
const MOST_CHARACTERS = 80;

/** The folded id and titles of an activity, made once for each version of its entry. */
const foldedNames = new WeakMap<Activity, readonly string[]>();

/**
 * Finds the activities with the id or title, in any language, that is most similar to a text: a misspelt id, a title,
 * or a part of one. Compares pairs of characters, which also works in scripts without spaces, and only the first
 * `MOST_COMPARED` activities.
 */
export function nearestActivities(text: string, activities: Iterable<Activity>, most: number): readonly Activity[] {
  const wanted = pairsOf(foldName(text).slice(0, MOST_CHARACTERS));
  if (wanted.length === 0) return [];
  const found: { readonly activity: Activity; readonly score: number }[] = [];
  let compared = 0;
  for (const activity of activities) {
    if (compared++ === MOST_COMPARED) break;
    const score = Math.max(...namesOf(activity).map((name) => likeness(wanted, name)));
    if (score >= LEAST_SHARED) found.push({ activity, score });
  }
  return found
    .toSorted((a, b) => b.score - a.score || (a.activity.id < b.activity.id ? -1 : 1))
    .slice(0, most)
    .map(({ activity }) => activity);
}

function namesOf(activity: Activity): readonly string[] {
  const known = foldedNames.get(activity);
  if (known !== undefined) return known;
  const titles = LANGUAGES.map((language) => activity.texts[language].title);
  const names = [...new Set([activity.id, ...titles].map(foldName))];
  foldedNames.set(activity, names);
  return names;
}

/** The share of the pairs that a name contains. Among names with the same share, a shorter one scores higher. */
function likeness(pairs: readonly string[], name: string): number {
  const shared = pairs.filter((pair) => name.includes(pair)).length;
  return shared / pairs.length - name.length / 10_000;
}

function pairsOf(text: string): readonly string[] {
  return [...new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)))];
}
