/** The parameters of a query string, by name. The object has no prototype. */
export type Parameters = {
  readonly texts: Readonly<Record<string, string>>;
  /** Names that occur more than once, at most `MAX_REPEATED`. `texts` has the first value. */
  readonly repeated: readonly string[];
};

/** Each repeated name becomes a sentence of the error. */
const MAX_REPEATED = 10;
/** Pages add these to the links of campaigns. */
const IGNORED_PREFIX = 'utm_';

/** Elysia's own parser splits a value at its commas and parses a value that looks like JSON. */
export function parametersIn(url: string): Parameters {
  const texts = Object.create(null) as Record<string, string>;
  const repeated = new Set<string>();
  // Parsing a URL costs microseconds. Most requests for a single object have no query.
  if (!url.includes('?')) return { texts, repeated: [] };
  for (const [name, value] of new URL(url).searchParams) {
    if (name.startsWith(IGNORED_PREFIX)) continue;
    if (!(name in texts)) texts[name] = value;
    else if (repeated.size < MAX_REPEATED) repeated.add(name);
  }
  return { texts, repeated: [...repeated] };
}
