import {
  findNodeAtOffset,
  getNodePath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { countBelow } from '../collections/count-below.ts';

/** Path of a value within a JSON text: field names and list indexes, from the root. */
export type Path = readonly (string | number)[];

/** Both count from 1; the column counts UTF-16 code units, as editors do. */
export type Place = { readonly line: number; readonly column: number };

export type JsonText =
  | {
      readonly kind: 'json';
      readonly value: unknown;
      /** Where a field or element begins; of one that is missing, where its nearest parent does. */
      readonly placeOf: (path: Path) => Place;
      /** Fields that appear more than once in their object. `JSON.parse` keeps the last one without an error. */
      readonly repeated: readonly Path[];
    }
  | ({ readonly kind: 'malformed'; readonly message: string } & Place);

/**
 * Parses a JSON text and finds the line of every value in it. `JSON.parse` decides what is JSON; `jsonc-parser`, which is
 * many times slower, runs only where a line is needed, and most texts have no fault.
 */
export function readJson(text: string): JsonText {
  try {
    const value: unknown = JSON.parse(text);
    let located: Tree | null = null;
    const tree = (): Tree => {
      located ??= treeOf(text);
      return located;
    };
    const repeated = countNames(text) === countFields(value) ? [] : repeatedFields(tree().root);
    return { kind: 'json', value, placeOf: (path) => tree().placeAt(offsetOf(tree().root, path)), repeated };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const tree = treeOf(text);
    if (tree.errors[0] === undefined) throw error;
    return { kind: 'malformed', ...describe(text, tree.errors[0], tree) };
  }
}

/** A path as text: `activities[3].opening.mon.close`. The root is the empty text. */
export function pathText(path: Path): string {
  const text = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return /^\w+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return text.join('').replace(/^\./, '');
}

type Tree = {
  readonly root: Node | undefined;
  readonly errors: readonly ParseError[];
  readonly placeAt: (offset: number) => Place;
};

const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

function treeOf(text: string): Tree {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, STRICT);
  const lineEnds = Array.from(text.matchAll(/\n/g), ({ index }) => index);
  const placeAt = (offset: number): Place => {
    const before = countBelow(lineEnds, offset);
    return { line: before + 1, column: offset - (lineEnds[before - 1] ?? -1) };
  };
  return { root, errors, placeAt };
}

/** The offset of an element, or of a field's name. The last one of a repeated field, as in `JSON.parse`. */
function offsetOf(root: Node | undefined, path: Path): number {
  let [offset, node] = [root?.offset ?? 0, root];
  for (const step of path) {
    const child =
      node?.type === 'array' && typeof step === 'number'
        ? node.children?.[step]
        : node?.children?.findLast((property) => property.children?.[0]?.value === step);
    if (child === undefined) break;
    offset = child.offset;
    node = child.type === 'property' ? child.children?.[1] : child;
  }
  return offset;
}

function repeatedFields(node: Node | undefined): Path[] {
  const names = new Set<unknown>();
  return (node?.children ?? []).flatMap((child) => {
    const name: unknown = child.type === 'property' ? child.children?.[0]?.value : undefined;
    const repeated = name !== undefined && names.has(name) ? [getNodePath(child.children?.[1] ?? child)] : [];
    names.add(name);
    return [...repeated, ...repeatedFields(child)];
  });
}

/** Counts the field names of a valid JSON text: the strings before a colon. */
function countNames(text: string): number {
  const texts = text.match(/"(?:[^"\\]|\\.)*"(?:[\t\n\r ]*:)?/g) ?? [];
  return texts.filter((found) => found.endsWith(':')).length;
}

/** Counts the fields of a value and of every value inside it. */
function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside: readonly unknown[] = Object.values(value);
  return inside.reduce<number>((sum, each) => sum + countFields(each), Array.isArray(value) ? 0 : inside.length);
}

const LONGEST_SHOWN = 40;
const TEXT = 'a text that ends on its line, with \\" for " and \\\\ for \\';
/** Keyed by the error names of `jsonc-parser`. Every other error means that a value was expected. */
const EXPECTED: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a field name in double quotes',
  ColonExpected: '":" after the field name',
  CloseBraceExpected: '"," or "}"',
  CloseBracketExpected: '"," or "]"',
  EndOfFileExpected: 'the end of the file',
  InvalidSymbol: 'a value or a name in double quotes',
  UnexpectedEndOfString: TEXT,
  InvalidEscapeCharacter: TEXT,
  InvalidUnicode: TEXT,
  InvalidCharacter: TEXT,
};

function describe(text: string, { error, offset, length }: ParseError, { root, placeAt }: Tree) {
  const found = text.slice(offset, offset + length) || 'the end of the file';
  const end = closingBracketAt(root, offset);
  const before = text.slice(0, offset).trimEnd();
  if (found === end && before.endsWith(',')) {
    return { ...placeAt(before.length - 1), message: `has a comma before "${end}"; remove it` };
  }
  const shown = found.length > LONGEST_SHOWN ? `${found.slice(0, LONGEST_SHOWN)}…` : found;
  const name = printParseErrorCode(error);
  const expected = name === 'CommaExpected' ? `"," or "${end}"` : (EXPECTED[name] ?? 'a value');
  return { ...placeAt(offset), message: `is not JSON here: expected ${expected}, found ${shown}` };
}

/** The closing bracket of the list or object that contains the value at `offset`. */
function closingBracketAt(root: Node | undefined, offset: number): ']' | '}' {
  let node = root === undefined ? undefined : findNodeAtOffset(root, offset);
  while (node !== undefined && (node.offset === offset || node.type === 'property')) node = node.parent;
  return node?.type === 'array' ? ']' : '}';
}
