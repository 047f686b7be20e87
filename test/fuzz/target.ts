import type { Random } from '../chaos/kill/random.ts';
import type { Pool } from './pool.ts';
import { allowedBy, type Parameter, type Target } from './surface.ts';
import { changedText, longText, TEXTS } from './values.ts';

export type Path = {
  /** As it stands in the request's first line. */
  readonly target: string;
  /** Whether it leads to the operation it was made for, and nowhere else. */
  readonly plain: boolean;
};

/** With a head of more than 16 KiB the runtime itself answers. */
const LONGEST = 6_000;

export function pathOf({ path, parameters }: Target, pool: Pool, random: Random): Path {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => encoded(segment(name, pool, random)));
  const query = queryOf(parameters, pool, random);
  if (!random.percent(8)) return { target: `${filled}${query}`, plain: true };
  return { target: `${strange(filled, random)}${query}`, plain: false };
}

/** Never empty: that is another path. */
function segment(name: string, pool: Pool, random: Random): string {
  const known = pool.pick(name, random);
  if (known !== null && random.percent(75)) return known;
  const text = random.percent(50) && known !== null ? changedText(known, random) : textFrom(random);
  return /^\.*$/.test(text) ? 'x' : text;
}

function queryOf(parameters: readonly Parameter[], pool: Pool, random: Random): string {
  const known = parameters.filter((each) => each.in === 'query');
  const parts = known.flatMap(({ name, schema }) => {
    if (random.percent(60)) return [];
    const value = random.percent(60) ? (pool.pick(name, random) ?? textOf(allowedBy(schema))) : textFrom(random);
    const part = `${name}=${encoded(value)}`;
    return random.percent(5) ? [part, `${name}=${encoded(textFrom(random))}`] : [part];
  });
  if (random.percent(10))
    parts.push(random.pick(['%zz', '%ff=%fe', '=', '&&&', 'a[]=1', '__proto__=1', 'limit', '+=+']));
  return parts.length === 0 ? '' : `?${parts.join('&')}`.slice(0, LONGEST);
}

/** A value of a schema as a query has it. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'x');
}

function textFrom(random: Random): string {
  return random.percent(90) ? random.pick(TEXTS) : longText(random).slice(0, 500);
}

/** Every byte that is no letter or digit as `%xx`, lone surrogates as what UTF-8 makes of them; slices stay whole. */
function encoded(text: string): string {
  const bytes = [...Buffer.from(text.slice(0, 600))];
  return bytes
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
}

/** The same path as it is not written. */
function strange(path: string, random: Random): string {
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
