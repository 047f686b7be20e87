/** Control characters, line and paragraph separators, and the marks that turn the direction of what follows. */
const STEERING = /[\p{Control}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
/** Held together by word joiners for browsers; a subject or a plain text shows some readers a box in their place. */
const WORD_JOINER = /\u2060/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A text from outside as one line in which nothing steers what stands around it. */
export function oneLine(text: string): string {
  return text.replace(STEERING, ' ').replace(/\s+/g, ' ').trim();
}

/** The same between marks (FSI, PDI) where it runs from right to left, so that it does not reorder its neighbours. */
export function isolated(text: string): string {
  const line = oneLine(text);
  return RIGHT_TO_LEFT.test(line) ? `\u2068${line}\u2069` : line;
}

/** A text of ours without what only helps a browser to break its lines. */
export function unjoined(text: string): string {
  return text.replace(WORD_JOINER, '');
}
