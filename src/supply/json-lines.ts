/** Where a value stands within a JSON text: field names and list indexes from the root on. */
export type Path = readonly (string | number)[];

export type JsonText =
  | {
      readonly kind: 'json';
      readonly value: unknown;
      /** The line (from 1) on which a field or element begins; of one that is not there, its nearest parent's. */
      readonly lineOf: (path: Path) => number;
      /** Fields that stand more than once in their object. `JSON.parse` keeps the last of them and says nothing. */
      readonly repeated: readonly Path[];
    }
  | { readonly kind: 'malformed'; readonly line: number; readonly message: string };

/** A JSON text together with the line of everything in it, so that a fault can be shown where a person mends it. */
export function readJson(text: string): JsonText {
  const walk = new Walk(text);
  try {
    walk.whole();
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'malformed', line: error.line, message: error.message };
    throw error;
  }
  return { kind: 'json', value: JSON.parse(text), lineOf: (path) => walk.lineOf(path), repeated: walk.repeated };
}

/** A path as people write it: `activities[3].opening.mon.close`. The root is the empty text. */
export function pathText(path: Path): string {
  const text = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return /^\w+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return text.join('').replace(/^\./, '');
}

type Token = { readonly text: string; readonly line: number };

/** Spaces, punctuation, strings, other words, and a quotation mark whose string does not end on its line. */
const TOKENS = /[\t\n\r ]+|[{}[\]:,]|"(?:[^"\\\n]|\\.)*"|[^\t\n\r {}[\]:,"]+|"/g;

class Malformed extends Error {
  readonly line: number;

  constructor(expected: string, found: Token) {
    super(`is not JSON here: expected ${expected}, found ${found.text === '' ? 'the end of the file' : found.text}`);
    this.line = found.line;
  }
}

/** One walk through the grammar of JSON that keeps lines and throws `Malformed` where the text leaves it. */
class Walk {
  readonly repeated: Path[] = [];
  readonly #lines = new Map<string, number>();
  readonly #tokens: Token[] = [];
  readonly #end: Token;
  #next = 0;

  constructor(text: string) {
    let line = 1;
    for (const [token] of text.matchAll(TOKENS)) {
      if (/[^\t\n\r ]/.test(token)) this.#tokens.push({ text: token, line });
      else line += token.split('\n').length - 1;
    }
    this.#end = { text: '', line };
  }

  whole(): void {
    this.#mark([], this.#peek());
    this.#value([]);
    if (this.#peek() !== this.#end) throw new Malformed('the end of the file', this.#peek());
  }

  lineOf(path: Path): number {
    for (let length = path.length; length >= 0; length--) {
      const line = this.#lines.get(JSON.stringify(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return 1;
  }

  #value(path: Path): void {
    const token = this.#peek();
    if (this.#takes('{')) this.#members(path);
    else if (this.#takes('[')) this.#elements(path);
    else this.#scalar(token);
  }

  #members(path: Path): void {
    if (this.#takes('}')) return;
    const names = new Set<string>();
    do {
      const token = this.#peek();
      const name = this.#scalar(token);
      if (typeof name !== 'string') throw new Malformed('a field name in double quotes', token);
      if (!this.#takes(':')) throw new Malformed('":" after the field name', this.#peek());
      if (names.has(name)) this.repeated.push([...path, name]);
      names.add(name);
      this.#mark([...path, name], token);
      this.#value([...path, name]);
    } while (this.#takes(','));
    if (!this.#takes('}')) throw new Malformed('"," or "}"', this.#peek());
  }

  #elements(path: Path): void {
    if (this.#takes(']')) return;
    let index = 0;
    do {
      this.#mark([...path, index], this.#peek());
      this.#value([...path, index]);
      index += 1;
    } while (this.#takes(','));
    if (!this.#takes(']')) throw new Malformed('"," or "]"', this.#peek());
  }

  #scalar(token: Token): unknown {
    try {
      const value: unknown = JSON.parse(token.text);
      this.#next += 1;
      return value;
    } catch {
      const comma = this.#tokens[this.#next - 1]?.text === ',' && /^[}\]]$/.test(token.text);
      throw new Malformed(comma ? 'no comma before the end' : 'a value, or a name in double quotes', token);
    }
  }

  #mark(path: Path, token: Token): void {
    this.#lines.set(JSON.stringify(path), token.line);
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? this.#end;
  }

  #takes(text: string): boolean {
    if (this.#peek().text !== text) return false;
    this.#next += 1;
    return true;
  }
}
