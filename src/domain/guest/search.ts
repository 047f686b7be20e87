import { foldLetters } from '../folded-name.ts';
import type { GuestDetails } from './guest.ts';

type NameAndAddress = Pick<GuestDetails, 'name' | 'email'>;

/** A search for guests by name or mail address. */
export type GuestSearch = {
  /** Folded words; each begins a word of the name. Empty in a search that contains an `@`. */
  readonly words: readonly string[];
  /** No word has a stored beginning. Then the words of two letters are whole words. */
  readonly whole: boolean;
  /** The folded text; the address begins with it. */
  readonly address: string;
  /** Among `termsOf` every guest that matches. */
  readonly term: string;
};

/** Minimum of characters in a search. */
export const MIN_SEARCH = 3;
/** The same for scripts whose names often have two or three characters in all. */
export const MIN_DENSE_SEARCH = 2;

/** The lengths of the beginnings of a word that are stored, in characters. Longer ones are compared guest by guest. */
const LENGTHS = [3, 6];
const DENSE_LENGTHS = [2, 3];
/** Maximum number of beginnings of words in a name, and in an address. Later ones are not found. */
const MAX_BEGINNINGS = 24;

const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/u;
/** O'Brien is one word. */
const APOSTROPHES = /['’‘ʼ`＇]/g;
/** Characters without a decomposition in Unicode. */
const REPLACED: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', œ: 'oe', ı: 'i', ς: 'σ' };
/** Scripts without spaces between surname and given name. */
const DENSE = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u;
/** Some write a space between the two all the same. */
const DENSE_GAP = new RegExp(`(?<=${DENSE.source})${SEPARATORS.source}(?=${DENSE.source})`, 'gu');
/** Thai writes a title and a name as one word. */
const THAI_TITLE = /^(?:นางสาว|นาง|นาย|คุณ)/u;

/** Null if the text is too short to search for. */
export function guestSearch(text: string): GuestSearch | null {
  const address = fold(text.trim());
  const at = address.lastIndexOf('@');
  if (at > 0) return { words: [], whole: false, address, term: address.slice(0, at + 1) };
  const spaced = wordsOf(address);
  const words = spaced.some((word) => lengthOf(word) > 1) ? spaced : wordsOf(address.replace(DENSE_GAP, ''));
  const characters = Array.from(words.join(''));
  const minimum = characters.some((character) => DENSE.test(character)) ? MIN_DENSE_SEARCH : MIN_SEARCH;
  const term = rarest(words.slice(0, MAX_BEGINNINGS).flatMap((word) => prefixesOf(word).slice(-1)));
  if (at === 0 || characters.length < minimum || term === undefined) return null;
  return { words, whole: isShort(term), address, term };
}

/** What the index finds a guest by: beginnings of the words of name and address, and the address up to its `@`. */
export function termsOf({ name, email }: NameAndAddress): readonly string[] {
  const address = fold(email);
  const local = address.slice(0, address.lastIndexOf('@') + 1);
  const beginnings = [...beginningsOf(fold(name)), ...beginningsOf(local)];
  return [...new Set([...beginnings.flatMap(prefixesOf), ...(local === '' ? [] : [local])])];
}

/** Whether a guest whose terms include the search's term is one that is searched for. */
export function isFound({ name, email }: NameAndAddress, { words, whole, address }: GuestSearch): boolean {
  const mailed = fold(email);
  const isIn = (beginnings: readonly string[]): boolean =>
    words.every((word) =>
      whole && lengthOf(word) > 1
        ? beginnings.includes(word)
        : beginnings.some((beginning) => beginning.startsWith(word)),
    );
  if (mailed.startsWith(address) && (!whole || isIn(wordsOf(mailed.slice(0, mailed.lastIndexOf('@')))))) return true;
  return words.length > 0 && isIn(beginningsOf(fold(name)));
}

function fold(text: string): string {
  const folded = foldLetters(text.replace(APOSTROPHES, ''));
  return folded.replace(/[ßøłæœıς]/g, (letter) => REPLACED[letter] ?? letter);
}

function wordsOf(folded: string): readonly string[] {
  return folded.split(SEPARATORS).filter((word) => word !== '');
}

/** Where a searched word may begin, each up to the end of its word: at each word, and in scripts without spaces anywhere. */
function beginningsOf(folded: string): readonly string[] {
  const words = [...new Set([...wordsOf(folded), ...wordsOf(folded.replace(DENSE_GAP, ''))])];
  return [...words, ...words.flatMap(innerBeginningsOf)].slice(0, MAX_BEGINNINGS);
}

function innerBeginningsOf(word: string): readonly string[] {
  const title = THAI_TITLE.exec(word)?.[0].length ?? 0;
  const named = title > 0 && title < word.length ? [word.slice(title)] : [];
  if (!DENSE.test(word)) return named;
  const characters = Array.from(word);
  const later = characters.flatMap((character, place) => {
    const isBeginning = place > 0 && (DENSE.test(character) || DENSE.test(characters[place - 1] ?? ''));
    return isBeginning ? [characters.slice(place).join('')] : [];
  });
  return [...named, ...later];
}

/** Not the beginning of a longer word: of its script, which is that of the first character, only longer ones are stored. */
function isShort(term: string): boolean {
  return lengthOf(term) < MIN_SEARCH && !DENSE.test(Array.from(term)[0] ?? '');
}

/** A word of two letters is stored whole: as a beginning it would name too many guests. */
function prefixesOf(word: string): readonly string[] {
  const characters = Array.from(word);
  const lengths = DENSE.test(characters[0] ?? '') ? DENSE_LENGTHS : LENGTHS;
  const stored = lengths.filter((length) => length <= characters.length);
  if (stored.length === 0 && characters.length === 2) return [word];
  return stored.map((length) => characters.slice(0, length).join(''));
}

/** The longest beginning of a word; of several the last, since the first word is a common surname or given name. */
function rarest(terms: readonly string[]): string | undefined {
  const beginnings = terms.filter((term) => !isShort(term));
  const known = beginnings.length > 0 ? beginnings : terms;
  const longest = Math.max(0, ...known.map(lengthOf));
  return known.findLast((term) => lengthOf(term) === longest);
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
