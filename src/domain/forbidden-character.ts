/**
 * Controls (C0, DEL, C1), line and paragraph separators, bidirectional embeddings, overrides and isolates, and lone
 * surrogates. They hide, reorder or split what the text is shown with (docs/decisions/0073).
 */
const FORBIDDEN = /[\p{Control}\u2028-\u202e\u2066-\u2069\p{Surrogate}]/u;
const LINE_BREAK = /[\n\r\u0085\u2028\u2029]/;

/** A character that no stored text may contain. `name` describes it with its code point; `advice` says what to do. */
export type ForbiddenCharacter = { readonly name: string; readonly advice: string };

/** The first forbidden character of a text; null if every character may be stored. */
export function forbiddenCharacterIn(text: string): ForbiddenCharacter | null {
  const [found] = FORBIDDEN.exec(text) ?? [];
  if (found === undefined) return null;
  const { kind, advice } = described(found);
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return { name: `${kind} (U+${code})`, advice };
}

function described(character: string): { readonly kind: string; readonly advice: string } {
  if (LINE_BREAK.test(character)) return { kind: 'a line break', advice: 'write it in one line' };
  if (character === '\t') return { kind: 'a tab', advice: 'write a space instead' };
  const advice = 'leave it out';
  if (/\p{Control}/u.test(character)) return { kind: 'a control character', advice };
  if (/\p{Surrogate}/u.test(character)) return { kind: 'half of a surrogate pair', advice };
  return { kind: 'a bidirectional control character', advice };
}
