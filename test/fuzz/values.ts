import { MAX_BODY_DEPTH } from '../../src/http/body.ts';
import type { Random } from '../chaos/kill/random.ts';

type Some<T> = readonly [T, ...T[]];

/** Texts with a special meaning to some program or library. */
export const TEXTS: Some<string> = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\r\nX-Injected: 1',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u2066\ufeff',
  '\u{1f3f4}\u{e0067}\u{e007f}',
  'ก'.repeat(300),
  'e\u0301'.repeat(200),
  'ﷺ'.repeat(100),
  'İstanbul',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../../etc/passwd',
  '..%2f..%2f',
  "' OR 1=1 --",
  '"; DROP TABLE events; --',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  '=HYPERLINK("http://127.0.0.1")',
  '<script>alert(1)</script>',
  '%s%n%x',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e999',
  '0x10',
  '٣',
  '0000-00-00',
  '0000-01-01',
  '9999-12-31',
  '2026-02-30',
  '+275760-09-13T00:00:00.000Z',
  '9999-12-31T23:59:59-23:59',
  '0000-01-01T00:00:00+23:59',
  '2026-11-21T24:00:00Z',
  '2026-11-21T23:59:60Z',
  'http://127.0.0.1:1/',
  'http://user:pass@127.0.0.1:1/',
  'http://[::1/',
  'file:///etc/passwd',
  'a@b',
  'a@b.c\r\nBcc: d@e.f',
  '"a b"@c.example',
  'WM-00000000000000000000-00000000000000000000000000',
  'WM1.00000000.WM-0.x.20261121.0.1+0.AAAA',
  'bk_00000000000000000000',
];

/** JSON of values other than texts. */
const VALUES: Some<string> = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e999',
  '-1e999',
  '5e-324',
  '1e21',
  '2147483648',
  '9007199254740993',
  '123456789012345678901234567890',
  '[]',
  '[null]',
  '[[]]',
  '{}',
  '{"":0}',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"toString":1,"valueOf":1,"toJSON":1}',
  '{"length":-1}',
  '{"then":1}',
];

/** JSON of a value that few fields accept. */
export function hostileJson(random: Random): string {
  const kind = random.whole(1, 20);
  if (kind <= 9) return JSON.stringify(random.pick(TEXTS));
  if (kind <= 16) return random.pick(VALUES);
  if (kind === 17) return JSON.stringify(longText(random));
  if (kind === 18) return nested(random.pick([8, MAX_BODY_DEPTH - 4, MAX_BODY_DEPTH + 4, 25_000]), random);
  if (kind === 19) return `[${Array.from({ length: random.whole(1, 5_000) }, () => random.whole(0, 9)).join()}]`;
  return `"${Array.from({ length: random.whole(1, 60) }, () => String.fromCharCode(random.whole(0x20, 0xd7ff))).join('')}`;
}

/** JSON similar to a valid value: another value of its type, or the same value in another type. */
export function changedJson(value: unknown, random: Random): string {
  if (typeof value === 'number')
    return random.pick([`${value + 1}`, `${-value}`, `${value * 1_000}`, `${value}.5`, `"${value}"`, `[${value}]`]);
  if (typeof value === 'string') return JSON.stringify(changedText(value, random));
  if (typeof value === 'boolean') return random.pick([`"${value}"`, `${!value}`, '0', '1']);
  return hostileJson(random);
}

export function changedText(text: string, random: Random): string {
  const at = random.whole(0, text.length);
  return random.pick([
    text.toUpperCase(),
    ` ${text}\t`,
    text + text,
    text.slice(0, at),
    `${text.slice(0, at)}${random.pick(TEXTS)}${text.slice(at)}`,
    text.split('').toReversed().join(''),
    text.normalize('NFD').replace('-', '\u2010'),
  ]);
}

/** Longer than any field allows, and slow for regular expressions that backtrack. */
export function longText(random: Random): string {
  const part = random.pick(['a', ' ', 'a.', 'a@', 'ก', '\u0301', '%', '\\']);
  return `${part.repeat(random.whole(300, 20_000))}${random.pick(['', '\u0001', '@'])}`;
}

function nested(levels: number, random: Random): string {
  return random.percent(50) || levels > 10_000
    ? `${'['.repeat(levels)}${']'.repeat(levels)}`
    : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}
