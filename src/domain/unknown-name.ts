import { typingErrors } from './nearest-name.ts';

/** What the name is called in the sentence. */
type Kind = 'field' | 'parameter';

/** Longer names are cut in sentences and have no nearest name: the search is quadratic in their length. */
const MAX_SHOWN = 60;

/**
 * The sentence about a name that a request must not have: the nearest known name, else all known names beside it.
 *
 * @param parent path of the object that contains it, with list indexes: `seasons[0]`; empty for the request itself
 * @param known all known names of the request, as paths without list indexes: `location.city`, `seasons.price`
 */
export function unknownName(kind: Kind, parent: string, name: string, known: readonly string[]): string {
  const path = parent === '' ? name : `${parent}.${name}`;
  const shown = JSON.stringify(path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path);
  if (known.includes(path)) {
    const { parent: owner, name: member } = split(path);
    return `unknown ${kind} ${shown}; send "${member}" inside the object "${owner}".`;
  }
  const place = parent.replace(/\[\d+\]/g, '');
  const nearest = name.length > MAX_SHOWN ? null : nearestPath(name, place, known);
  if (nearest !== null) {
    const found = split(nearest);
    const suggested = found.parent === place && parent !== '' ? `${parent}.${found.name}` : nearest;
    return `unknown ${kind} ${shown}; did you mean "${suggested}"?`;
  }
  const beside = known.map(split).filter((each) => each.parent === place);
  if (beside.length === 0) return `unknown ${kind} ${shown}; this request takes no ${kind}s.`;
  return `unknown ${kind} ${shown}; the ${kind}s here are ${beside.map((each) => each.name).join(', ')}.`;
}

/** The nearest known name, beside the unknown one or in another object; null if none is near. */
function nearestPath(name: string, place: string, known: readonly string[]): string | null {
  let best: { readonly path: string; readonly distance: number } | null = null;
  for (const path of known) {
    const candidate = split(path);
    const distance = distanceBetween(name, candidate.name) + (candidate.parent === place ? 0 : ELSEWHERE);
    if (distance < (best?.distance ?? FAR)) best = { path, distance };
  }
  return best?.path ?? null;
}

/** Distances: typing errors are whole numbers, the other kinds of nearness lie between them. */
const [SYNONYM, SYNONYM_OF_LAST_WORD, SHARED_WORDS, PREFIX, FAR] = [0.5, 2.1, 3, 3.1, 5];
const ELSEWHERE = 0.4;

/** Words of other APIs, in the form of `wordsOf` without the spaces, with the names of this one that they may mean. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  adult: ['min_slots'],
  child: ['num_children'],
  comment: ['special_requests'],
  count: ['limit'],
  country: ['nationality'],
  day: ['date', 'booking_date'],
  destination: ['city'],
  end: ['date_to', 'to'],
  enddate: ['date_to'],
  from: ['date'],
  group: ['travel_type'],
  groupsize: ['guests', 'num_adults'],
  guest: ['guests', 'num_adults', 'min_slots'],
  kid: ['num_children'],
  lng: ['lon'],
  location: ['city'],
  mail: ['user_email', 'contact_email'],
  max: ['limit'],
  message: ['special_requests'],
  note: ['special_requests'],
  offset: ['cursor'],
  page: ['cursor'],
  participant: ['guests', 'num_adults'],
  party: ['guests', 'num_adults'],
  partysize: ['guests', 'num_adults'],
  pax: ['guests', 'num_adults'],
  people: ['guests', 'num_adults'],
  person: ['guests', 'num_adults'],
  place: ['city'],
  preview: ['dry_run'],
  quantity: ['num_adults'],
  query: ['q'],
  quote: ['dry_run'],
  result: ['limit'],
  search: ['q'],
  simulate: ['dry_run'],
  size: ['limit'],
  slot: ['min_slots', 'num_adults'],
  spot: ['min_slots', 'num_adults'],
  test: ['dry_run'],
  ticket: ['num_adults'],
  top: ['limit'],
  topk: ['limit'],
  town: ['city'],
  traveler: ['guests', 'num_adults'],
  traveller: ['guests', 'num_adults'],
  type: ['category', 'travel_type'],
  until: ['date_to', 'to'],
  what: ['category'],
  when: ['date', 'booking_date'],
  where: ['city'],
};

/** Words that say too little to be shared alone. */
const GENERIC: ReadonlySet<string> = new Set(['id', 'is', 'max', 'min', 'num', 'number', 'of', 'the', 'to', 'user']);

/** `FAR` or more: not near. */
function distanceBetween(name: string, candidate: string): number {
  const [words, others] = [wordsOf(name), wordsOf(candidate)];
  const [joined, other] = [words.join(''), others.join('')];
  if (joined === other) return 0;
  const errors = typingErrors(joined, other);
  if (errors <= (joined.length > 4 ? 2 : 1)) return errors;
  if (isSynonym(joined, candidate)) return SYNONYM;
  // The last word says what the name is: `guest_name` is a name.
  if (isSynonym(words.at(-1) ?? '', candidate)) return SYNONYM_OF_LAST_WORD;
  const shared = words.filter((word) => others.includes(word));
  if (shared.some((word) => !GENERIC.has(word)) || (shared.length > 0 && shared.length === words.length))
    return SHARED_WORDS - shared.length / new Set([...words, ...others]).size;
  const short = Math.min(joined.length, other.length);
  return short >= 3 && (joined.startsWith(other) || other.startsWith(joined)) ? PREFIX : FAR;
}

function isSynonym(word: string, candidate: string): boolean {
  return Object.hasOwn(SYNONYMS, word) && SYNONYMS[word]?.includes(candidate) === true;
}

/** The words of `numAdults`, `num-adults` or `NUM ADULTS`, in lower case and the singular. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words
    .filter((word) => word !== '')
    .map((word) => (word === 'children' ? 'child' : word.length > 3 ? word.replace(/s$/, '') : word));
}

function split(path: string): { readonly parent: string; readonly name: string } {
  const at = path.lastIndexOf('.');
  return { parent: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) };
}
