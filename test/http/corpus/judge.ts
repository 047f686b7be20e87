import { TODAY } from '../../support/service.ts';
import type { Reply } from './ask.ts';
import { factsOf } from './ask.ts';
import { changed, type Entry, type Members, type Understood } from './entry.ts';

export function isUnderstood(entry: Entry): entry is Entry & Understood {
  return 'taken' in entry;
}

/** Whether the entry's request, or the corrected one after a refusal, should change bookings or holds. */
export function books(entry: Entry): boolean {
  const quotes = isUnderstood(entry) ? entry.taken['dry_run'] === true : nextOf(entry)['dry_run'] === true;
  return movesMoney(entry) && !quotes;
}

export function movesMoney({ in: operation }: Entry): boolean {
  return ['book', 'hold', 'modify', 'cancel', 'tool:book'].includes(operation);
}

/** What the answer took otherwise than the entry says; null if it took all as it says. */
export function misunderstood({ in: operation, taken, read = {} }: Entry & Understood, data: Members): string | null {
  const facts = factsOf(operation, data);
  for (const [name, value] of Object.entries(taken)) {
    const fact = facts[name];
    const fits = name === 'profile' ? String(fact).toLowerCase().includes(String(value).toLowerCase()) : fact === value;
    if (!fits) return `${name} is ${JSON.stringify(fact)} in the answer, not ${JSON.stringify(value)}`;
  }
  const interpreted = (data['interpreted'] ?? {}) as Readonly<Record<string, { readonly taken: unknown }>>;
  for (const [name, value] of Object.entries(read)) {
    const [, found] = Object.entries(interpreted).find(([path]) => path.split('.').at(-1) === name) ?? [];
    if (found?.taken !== value) return `interpreted is ${JSON.stringify(interpreted)}; it lacks ${name}`;
  }
  return null;
}

/** The corrected request: of an entry that should have been understood, the one that says the same in plain words. */
export function nextOf(entry: Entry): Members {
  if (!isUnderstood(entry)) return changed(entry.in, entry.next ?? {});
  const { city, date, date_to: dateTo, profile: _, ...others } = entry.taken;
  const place = entry.in === 'recommend' ? { location: { city } } : { city };
  const days = { ...(date !== undefined && { date }), ...(dateTo !== undefined && { date_to: dateTo }) };
  const kept = Object.fromEntries(Object.entries(others).filter(([name]) => /^(num_|dry_run$)/.test(name)));
  return changed(entry.in, { ...(city !== undefined && place), ...days, ...kept });
}

/**
 * What a caller needs for its next request that neither the refusal nor its user tells; null if nothing is missing. The
 * refusal must name each member that changes, and say each new value, or today's date for a new date.
 */
export function untold(entry: Entry, reply: Reply & { readonly kind: 'refusal' }): string | null {
  const { code, text } = reply;
  if (!isUnderstood(entry) && entry.refused !== code) return `the code is ${code}`;
  if (entry.raw !== undefined) return null;
  const isAboutDate = code === 'INVALID_DATE';
  if (isAboutDate && !text.includes(TODAY)) return "today's date is not told";
  const sent = leavesOf(changed(entry.in, entry.send ?? {}, entry.drop));
  const wish = leavesOf(changed(entry.in, {}));
  const next = leavesOf(nextOf(entry));
  const known = new Set([...sent.values(), ...(isUnderstood(entry) ? [] : (entry.knows ?? []))].map(written));
  const paths = new Set([...next.keys()].flatMap(prefixesOf));
  for (const path of new Set([...sent.keys(), ...next.keys()])) {
    const [before, after] = [sent.get(path), next.get(path)];
    if (before === after) continue;
    // If a whole object is removed, its own name is enough.
    const named = prefixesOf(path).find((prefix) => !paths.has(prefix)) ?? path;
    const unnamed = named.split('.').find((name) => !/^\d+$/.test(name) && !known.has(name) && !says(text, name));
    if (unnamed !== undefined) return `${unnamed} is not named`;
    if (after === undefined || known.has(written(after))) continue;
    // The caller knows what its user wishes, unless it wrote that wrongly.
    if (before === undefined && wish.get(path) === after) continue;
    const isDate = /^\d{4}-\d{2}-\d{2}$/.test(written(after));
    if (!says(text, written(after)) && !(isDate && text.includes(TODAY))) return `${written(after)} is not told`;
  }
  return null;
}

/** `user`, `user.name` of `user.name`. */
function prefixesOf(path: string): readonly string[] {
  const names = path.split('.');
  return names.map((_, at) => names.slice(0, at + 1).join('.'));
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function says(text: string, word: string): boolean {
  const literal = word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const isNumber = /^-?[\d.]+$/.test(word);
  return new RegExp(`(?<![\\w${isNumber ? '.' : ''}-])${literal}(?![\\w-])`, 'i').test(text);
}

/** The values that are no objects, by path (`location.city`, `interests.0`). */
function leavesOf(value: unknown, path = ''): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[path, value]]);
  const within = (name: string): string => (path === '' ? name : `${path}.${name}`);
  return new Map(Object.entries(value).flatMap(([name, member]) => [...leavesOf(member, within(name))]));
}
