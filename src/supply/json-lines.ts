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

/**
 * A JSON text together with the line of everything in it, so that a fault can be shown where a person mends it. The lines
 * are looked for when one is asked for: that takes many times as long as `JSON.parse`, and most texts have no fault.
 */
export function readJson(text: string): JsonText {
  try {
    const value: unknown = JSON.parse(text);
    let walked: Walked | null = null;
    const walk = (): Walked => {
      walked ??= new Walk(text).whole();
      return walked;
    };
    const repeated = namesIn(text) === fieldsOf(value) ? [] : walk().repeated;
    return { kind: 'json', value, lineOf: (path) => lineWithin(walk().root, path), repeated };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return malformed(text, error);
  }
}

function malformed(text: string, error: SyntaxError): JsonText {
  try {
    new Walk(text).whole();
  } catch (found) {
    if (found instanceof Malformed) return { kind: 'malformed', line: found.line, message: found.message };
  }
  throw error;
}

/** A path as people write it: `activities[3].opening.mon.close`. The root is the empty text. */
export function pathText(path: Path): string {
  const text = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return /^\w+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return text.join('').replace(/^\./, '');
}

/** The line on which a value (or the name before it) begins, and the same for everything in it. */
type Place = { readonly line: number; readonly inside: Map<string | number, Place> };

function lineWithin(root: Place, path: Path): number {
  let place = root;
  for (const step of path) {
    const next = place.inside.get(step);
    if (next === undefined) break;
    place = next;
  }
  return place.line;
}

type Walked = { readonly root: Place; readonly repeated: readonly Path[] };

/** How many field names stand in a sound JSON text: the texts before a colon. */
function namesIn(text: string): number {
  const texts = text.match(/"(?:[^"\\]|\\.)*"(?:[\t\n\r ]*:)?/g) ?? [];
  return texts.filter((found) => found.endsWith(':')).length;
}

/** How many fields a value has, with those of everything in it. */
function fieldsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside: readonly unknown[] = Object.values(value);
  return inside.reduce<number>((sum, each) => sum + fieldsOf(each), Array.isArray(value) ? 0 : inside.length);
}

type Token = { readonly text: string; readonly line: number };

/** Spaces, punctuation, texts, other words, and a quotation mark whose text does not end on its line. */
const TOKENS = /[\t\n\r ]+|[{}[\]:,]|"(?:[^"\\\n]|\\.)*"|[^\t\n\r {}[\]:,"]+|"/g;
const LONGEST_SHOWN = 40;

class Malformed extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** One walk through the grammar of JSON that keeps lines and throws `Malformed` where the text leaves it. */
class Walk {
  readonly #repeated: Path[] = [];
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

  /** @throws Malformed */
  whole(): Walked {
    const root = this.#value([], this.#peek().line);
    if (this.#peek() !== this.#end) throw this.#unexpected('the end of the file');
    return { root, repeated: this.#repeated };
  }

  #value(path: Path, line: number): Place {
    const inside = new Map<string | number, Place>();
    if (this.#takes('{')) this.#members(path, inside);
    else if (this.#takes('[')) this.#elements(path, inside);
    else this.#scalar();
    return { line, inside };
  }

  #members(path: Path, inside: Map<string | number, Place>): void {
    if (this.#takes('}')) return;
    do {
      const { text, line } = this.#peek();
      if (!text.startsWith('"')) throw this.#unexpected('a field name in double quotes');
      const name = String(this.#scalar());
      if (!this.#takes(':')) throw this.#unexpected('":" after the field name');
      if (inside.has(name)) this.#repeated.push([...path, name]);
      inside.set(name, this.#value([...path, name], line));
    } while (this.#goesOn('}'));
  }

  #elements(path: Path, inside: Map<string | number, Place>): void {
    if (this.#takes(']')) return;
    do {
      const index = inside.size;
      inside.set(index, this.#value([...path, index], this.#peek().line));
    } while (this.#goesOn(']'));
  }

  /** Takes the comma before one more, or the end. */
  #goesOn(end: '}' | ']'): boolean {
    const { line } = this.#peek();
    if (this.#takes(end)) return false;
    if (!this.#takes(',')) throw this.#unexpected(`"," or "${end}"`);
    if (this.#peek().text === end) throw new Malformed(`has a comma before "${end}"; take it out`, line);
    return true;
  }

  #scalar(): unknown {
    const { text } = this.#peek();
    try {
      const value: unknown = JSON.parse(text);
      this.#next += 1;
      return value;
    } catch {
      throw this.#unexpected(
        text.startsWith('"') ? 'a text that ends on its line, with \\" for " and \\\\ for \\' : 'a value',
      );
    }
  }

  #unexpected(expected: string): Malformed {
    const { text, line } = this.#peek();
    const found = text === '' ? 'the end of the file' : text;
    const shown = found.length > LONGEST_SHOWN ? `${found.slice(0, LONGEST_SHOWN)}…` : found;
    return new Malformed(`is not JSON here: expected ${expected}, found ${shown}`, line);
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
