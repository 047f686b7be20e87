/**
 * Makes equal the spellings of a name that differ only in case, Latin accents, spaces, punctuation or full-width forms.
 * Keeps the marks of other scripts: without them, Japanese Bali (バリ) and Paris (パリ) would be equal.
 */
export function foldName(name: string): string {
  return foldLetters(name).replace(SEPARATORS, '');
}

/** The same, but spaces and punctuation stay. */
export function foldLetters(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : foldUnicode(text);
}

const ASCII = /^[\0-\x7f]*$/;
const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/gu;
/** The accents of European and Vietnamese letters after NFKD. */
const LATIN_ACCENTS = /[\u0300-\u036f]/g;

function foldUnicode(name: string): string {
  return name.normalize('NFKD').toLowerCase().replace(LATIN_ACCENTS, '').replaceAll('đ', 'd').normalize('NFC');
}
