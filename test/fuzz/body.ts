import type { Random } from '../chaos/kill/random.ts';
import { changedJson, hostileJson } from './values.ts';

/** A body as it is sent, with the headers that describe it. */
export type Body = {
  readonly bytes: Uint8Array;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly chunked: boolean;
};

type Fields = Readonly<Record<string, unknown>>;

const JSON_TYPE: readonly [string, string] = ['Content-Type', 'application/json'];

/** A body made of valid fields, usually with something invalid in it. */
export function bodyOf(fields: Fields, random: Random): Body {
  const text = textOf(fields, random);
  const plain = Buffer.from(text);
  const chunked = random.percent(15);
  const kind = random.whole(1, 40);
  if (kind === 1) return { bytes: Bun.gzipSync(plain), headers: [JSON_TYPE, ['Content-Encoding', 'gzip']], chunked };
  if (kind === 2) return { bytes: Buffer.from(text, 'utf16le'), headers: [JSON_TYPE], chunked };
  if (kind === 3)
    return { bytes: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]), headers: [JSON_TYPE], chunked };
  if (kind === 4) return { bytes: corrupted(plain, random), headers: [JSON_TYPE], chunked };
  if (kind === 5) return { bytes: plain.subarray(0, random.whole(0, plain.length)), headers: [JSON_TYPE], chunked };
  if (kind === 6) return { bytes: plain, headers: [['Content-Type', strangeType(random)]], chunked };
  if (kind === 7) return { bytes: plain, headers: [], chunked };
  if (kind === 8) return { bytes: Buffer.concat([plain, plain]), headers: [JSON_TYPE], chunked };
  if (kind === 9) return { bytes: new Uint8Array(), headers: [JSON_TYPE], chunked };
  if (kind === 10)
    return { bytes: Buffer.from(`${text}${' '.repeat(random.whole(60_000, 70_000))}`), headers: [JSON_TYPE], chunked };
  return { bytes: plain, headers: [JSON_TYPE], chunked };
}

/** JSON of the fields: unchanged, with some of them changed, removed, repeated or renamed, or another value. */
function textOf(fields: Fields, random: Random): string {
  const kind = random.whole(1, 20);
  if (kind <= 5) return JSON.stringify(fields);
  if (kind === 6) return hostileJson(random);
  if (kind === 7) return `[${JSON.stringify(fields)}]`;
  const members = Object.entries(fields).flatMap(([name, value]) => membersOf(name, value, random));
  if (random.percent(10)) members.push(`"__proto__":${hostileJson(random)}`);
  if (random.percent(10)) members.push(`${JSON.stringify(hostileName(random))}:${hostileJson(random)}`);
  return `{${members.join(',')}}`;
}

function membersOf(name: string, value: unknown, random: Random): string[] {
  const written = (json: string): string => `${JSON.stringify(name)}:${json}`;
  const same = written(JSON.stringify(value));
  const kind = random.whole(1, 20);
  if (kind === 1) return [];
  if (kind === 2) return [written(hostileJson(random)), same];
  if (kind === 3) return [same, written(hostileJson(random))];
  if (kind === 4) return [written(hostileJson(random))];
  if (kind === 5) return [`${JSON.stringify(name.toUpperCase())}:${JSON.stringify(value)}`];
  if (kind === 6 || kind === 7) return [written(changedWithin(value, random))];
  return [same];
}

/** Changes a value, or the values inside an object or list. */
function changedWithin(value: unknown, random: Random): string {
  if (typeof value !== 'object' || value === null) return changedJson(value, random);
  if (Array.isArray(value)) return `[${value.map((each) => changedJson(each, random)).join()}]`;
  return `{${Object.entries(value)
    .flatMap(([name, each]) => membersOf(name, each, random))
    .join()}}`;
}

function hostileName(random: Random): string {
  return random.pick(['constructor', 'prototype', 'toString', 'dry_run', 'admin', '', '\u0000', 'a'.repeat(5_000)]);
}

function corrupted(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = new Uint8Array(bytes);
  for (let times = random.whole(1, 5); times > 0 && changed.length > 0; times--)
    changed[random.whole(0, changed.length - 1)] = random.whole(0, 255);
  return changed;
}

function strangeType(random: Random): string {
  return random.pick([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    'multipart/form-data',
    'application/json; charset=utf-16',
    'application/json;;;',
    'application/jsonp',
    'application/octet-stream',
    'application/xml',
    'a'.repeat(3_000),
    ';',
  ]);
}
