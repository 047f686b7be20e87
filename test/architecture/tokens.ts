/**
 * A piece of TypeScript source. `text` is a quoted string, `template` a run of a template literal between its
 * substitutions, delimiters included; a `word` is a name, a keyword or a number; a `sign` is one character.
 */
export type Token = {
  readonly kind: 'word' | 'text' | 'template' | 'regex' | 'comment' | 'sign';
  readonly text: string;
  /** Offset of the first character. */
  readonly at: number;
};

/**
 * Splits source into tokens; white space is left out. No parser: it knows just enough of the grammar to tell code from
 * comments, strings, template literals and regular expressions, which is what a search through source must know.
 */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  /** Open brackets. A `${` is closed by a `}` that goes on with its template; a condition's `(` may precede a regex. */
  const open: ('{' | '${' | '(' | 'condition')[] = [];
  let closedCondition = false;
  let at = 0;

  const take = (kind: Token['kind'], end: number): void => {
    tokens.push({ kind, text: source.slice(at, end), at });
    at = end;
  };
  const takeTemplate = (): void => {
    const end = endOfTemplateRun(source, at + 1);
    if (source.startsWith('${', end - 2)) open.push('${');
    take('template', end);
  };
  const takeSign = (sign: string): void => {
    if (sign === '{') open.push('{');
    if (sign === '(') open.push(isCondition(significant(tokens)) ? 'condition' : '(');
    if (sign === ')') closedCondition = open.pop() === 'condition';
    if (sign === '}') open.pop();
    take('sign', at + 1);
  };

  if (source.startsWith('#!')) take('comment', endOfLine(source, 0));
  while (at < source.length) {
    const character = source.charAt(at);
    const pair = source.slice(at, at + 2);
    const word = wordAt(source, at);
    if (/\s/.test(character)) at += 1;
    else if (pair === '//') take('comment', endOfLine(source, at));
    else if (pair === '/*') take('comment', endAfter(source, '*/', at + 2));
    else if (character === '"' || character === "'") take('text', endOfString(source, at));
    else if (character === '`') takeTemplate();
    else if (word > 0) take('word', at + word);
    else if (character === '}' && open.at(-1) === '${') {
      open.pop();
      takeTemplate();
    } else if (character === '/' && regexMayStart(tokens, closedCondition)) {
      const end = endOfRegex(source, at);
      take(end === null ? 'sign' : 'regex', end ?? at + 1);
    } else takeSign(character);
  }
  return tokens;
}

/** The source with comments and the insides of strings, templates and regular expressions blanked; offsets stay true. */
export function codeOnly(source: string): string {
  return blanked(source, (kind) => kind !== 'word' && kind !== 'sign');
}

/** The same, but with its comments. */
export function codeAndComments(source: string): string {
  return blanked(source, (kind) => kind === 'text' || kind === 'template' || kind === 'regex');
}

/** The line, counted from 1, on which an offset stands. */
export function lineOf(source: string, at: number): number {
  return source.slice(0, at).split('\n').length;
}

function blanked(source: string, hidden: (kind: Token['kind']) => boolean): string {
  let result = '';
  for (const { kind, text, at } of tokenize(source)) {
    // Delimiters stay: `new Date('…')` must not become `new Date()`.
    const inside = kind === 'comment' ? /[^\n]/g : /(?<!^)[^\n](?!$)/g;
    result += source.slice(result.length, at) + (hidden(kind) ? text.replaceAll(inside, ' ') : text);
  }
  return result + source.slice(result.length);
}

const WORD = /[\p{L}\p{N}_$#@]+/uy;

function wordAt(source: string, at: number): number {
  WORD.lastIndex = at;
  return WORD.exec(source)?.[0].length ?? 0;
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end === -1 ? source.length : end;
}

function endAfter(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from);
  return found === -1 ? source.length : found + mark.length;
}

/** A string that is not closed ends with its line. */
function endOfString(source: string, from: number): number {
  const quote = source.charAt(from);
  for (let at = from + 1; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\\') at += 1;
    else if (character === quote) return at + 1;
    else if (character === '\n') return at;
  }
  return source.length;
}

/** After the closing backtick, or after the `${` that opens a substitution. */
function endOfTemplateRun(source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    if (source.charAt(at) === '\\') at += 1;
    else if (source.charAt(at) === '`') return at + 1;
    else if (source.startsWith('${', at)) return at + 2;
  }
  return source.length;
}

/** `null` where the line ends first: then the slash was a division. */
function endOfRegex(source: string, from: number): number | null {
  let inClass = false;
  for (let at = from + 1; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\n') return null;
    if (character === '\\') at += 1;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) return at + 1 + wordAt(source, at + 1);
  }
  return null;
}

const BEFORE_AN_OPERAND = new Set(
  'return typeof case in of delete void throw new do else instanceof yield await extends default'.split(' '),
);

/** A slash begins a regular expression where an operand is due, and divides where one has just ended. */
function regexMayStart(tokens: readonly Token[], closedCondition: boolean): boolean {
  const last = significant(tokens);
  if (last === undefined) return true;
  if (last.kind === 'word') return BEFORE_AN_OPERAND.has(last.text) && significant(tokens, 1)?.text !== '.';
  if (last.kind === 'template') return last.text.endsWith('${');
  if (last.kind !== 'sign') return false;
  if (last.text === ')') return closedCondition;
  if (last.text === '!') return !endsOperand(significant(tokens, 1));
  if (last.text === '+' || last.text === '-') {
    const before = significant(tokens, 1);
    return !(before?.text === last.text && before.at === last.at - 1 && endsOperand(significant(tokens, 2)));
  }
  return last.text !== ']';
}

function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === 'word') return !BEFORE_AN_OPERAND.has(token.text);
  return token.kind === 'sign' ? token.text === ')' || token.text === ']' : true;
}

function isCondition(before: Token | undefined): boolean {
  return before?.kind === 'word' && ['if', 'while', 'for', 'with'].includes(before.text);
}

/** The last token that is no comment, or the one `back` places before it. */
function significant(tokens: readonly Token[], back = 0): Token | undefined {
  let left = back;
  for (let index = tokens.length - 1; index >= 0; index--) {
    if (tokens[index]?.kind === 'comment') continue;
    if (left === 0) return tokens[index];
    left -= 1;
  }
  return undefined;
}
