/** Control characters, line and paragraph separators, and bidirectional controls. */
const UNSAFE_CHARACTERS = /[\p{Control}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
/** Only browsers need word joiners. Some mail programs show them as a box in subjects and plain texts. */
const WORD_JOINER = /\u2060/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Input as one line without characters that change the layout of the text around it. */
export function singleLine(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, ' ').replace(/\s+/g, ' ').trim();
}

/** As `singleLine`, with right-to-left text between FSI and PDI, so that it does not reorder the text around it. */
export function bidiIsolated(text: string): string {
  const line = singleLine(text);
  return RIGHT_TO_LEFT.test(line) ? `\u2068${line}\u2069` : line;
}

/** Maximum length of a caller's name in a mail, in UTF-16 units. */
const MAX_NAME = 60;
/** Where a mail program would make a link of a name. */
const LINKED = /[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])|:(?=\/)/gu;
const graphemes = new Intl.Segmenter();

/**
 * A caller's name in a mail: one line of at most 60 characters, of which no mail program makes a link. The caller writes
 * it, and the recipient may be a stranger (docs/decisions/0072).
 */
export function nameInMail(name: string): string {
  const line = singleLine(name).replace(LINKED, '$& ');
  if (line.length <= MAX_NAME) return line;
  let shown = '';
  for (const { segment } of graphemes.segment(line)) {
    if (shown.length + segment.length > MAX_NAME - 1) break;
    shown += segment;
  }
  return `${shown.trimEnd()}…`;
}

export function withoutWordJoiners(text: string): string {
  return text.replace(WORD_JOINER, '');
}
