import type { Random } from '../chaos/kill/random.ts';
import type { Corpus } from './corpus.ts';
import { allowedBy, type FuzzedOperation, type Parameter } from './operations.ts';
import { changedText, longText, TEXTS } from './values.ts';

export type Path = {
  /** The request target of the first line. */
  readonly target: string;
  /** True if it certainly leads to the operation. */
  readonly canonical: boolean;
};

/** The runtime itself answers a head of more than 16 KiB. */
const LONGEST = 6_000;

export function pathOf({ path, parameters }: FuzzedOperation, corpus: Corpus, random: Random): Path {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => encoded(segment(name, corpus, random)));
  const query = queryOf(parameters, corpus, random);
  if (!random.percent(8)) return { target: `${filled}${query}`, canonical: true };
  return { target: `${nonCanonical(filled, random)}${query}`, canonical: false };
}

/** Never empty, which would be another path. */
function segment(name: string, corpus: Corpus, random: Random): string {
  const known = corpus.pick(name, random);
  if (known !== null && random.percent(75)) return known;
  const text = random.percent(50) && known !== null ? changedText(known, random) : textFrom(random);
  return /^\.*$/.test(text) ? 'x' : text;
}

function queryOf(parameters: readonly Parameter[], corpus: Corpus, random: Random): string {
  const known = parameters.filter((each) => each.in === 'query');
  const parts = known.flatMap(({ name, schema }) => {
    if (random.percent(60)) return [];
    const value = random.percent(60) ? (corpus.pick(name, random) ?? textOf(allowedBy(schema))) : textFrom(random);
    const part = `${name}=${encoded(value)}`;
    return random.percent(5) ? [part, `${name}=${encoded(textFrom(random))}`] : [part];
  });
  if (random.percent(10))
    parts.push(random.pick(['%zz', '%ff=%fe', '=', '&&&', 'a[]=1', '__proto__=1', 'limit', '+=+']));
  return parts.length === 0 ? '' : `?${parts.join('&')}`.slice(0, LONGEST);
}

/** A value as a query parameter. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'x');
}

function textFrom(random: Random): string {
  return random.percent(90) ? random.pick(TEXTS) : longText(random).slice(0, 500);
}

/** Percent-encodes every byte that is not a letter or digit. Lone surrogates become U+FFFD. */
function encoded(text: string): string {
  const bytes = [...Buffer.from(text.slice(0, 600))];
  return bytes
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
}

/** An unusual form of the path. */
function nonCanonical(path: string, random: Random): string {
  return random.pick([
    `${path}/`,
    `/${path}`,
    path.replaceAll('/', '//'),
    `/x/..${path}`,
    `/%2e%2e${path}`,
    `${path}/.`,
    `${path}/..;/x`,
    path.toUpperCase(),
    path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    path.replaceAll('/', '%2f').replace('%2f', '/'),
    path.replaceAll('/', '\\').replace('\\', '/'),
    `${path}%00`,
    `${path}%`,
    `${path}\xff\xfe`,
    `${path}#fragment`,
    `${path}?`,
    `${path};a=b`,
    `http://elsewhere.example${path}`,
    `/${'a/'.repeat(random.whole(1, LONGEST / 2))}`,
    `${path}${'a'.repeat(random.whole(1, LONGEST))}`,
  ]);
}
