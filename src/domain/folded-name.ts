/**
 * A name without what spellings differ in: case, Latin accents, spaces, punctuation, and full-width forms. Signs above
 * the letters of other scripts stay: without them the Japanese Bali (バリ) and Paris (パリ) would be equal.
 */
export function foldName(name: string): string {
  const folded = ASCII.test(name) ? name.toLowerCase() : foldUnicode(name);
  return folded.replace(SEPARATORS, '');
}

const ASCII = /^[\0-\x7f]*$/;
const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/gu;
/** The combining marks that European and Vietnamese letters decompose into. */
const LATIN_ACCENTS = /[\u0300-\u036f]/g;

function foldUnicode(name: string): string {
  return name.normalize('NFKD').toLowerCase().replace(LATIN_ACCENTS, '').replaceAll('đ', 'd').normalize('NFC');
}
