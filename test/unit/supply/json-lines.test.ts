import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type JsonText, type Path, pathText, readJson } from '../../../src/supply/json-lines.ts';

type Read = Extract<JsonText, { kind: 'json' }>;

function read(text: string): Read {
  const json = readJson(text);
  if (json.kind === 'malformed') throw new Error(`line ${json.line} ${json.message}`);
  return json;
}

const TEXT = `
{
  "city": "Bangkok",
  "note":
    "braces } ] , : in a text, and a \\" too",
  "tags": ["a", "b",
    "c"], "empty": {},
  "opening": {
    "mon": null, "tue": {
      "open": "09:00"
    }
  },
  "\\u0063lose": [[1], [
    2]]
}
`;

describe('the line of', () => {
  const lines: readonly (readonly [what: string, path: Path, line: number])[] = [
    ['the whole', [], 2],
    ['a field', ['city'], 3],
    ['a field is that of its name, not of its value', ['note'], 4],
    ['an element', ['tags', 1], 6],
    ['an element on its own line', ['tags', 2], 7],
    ['a field after the end of a list', ['empty'], 7],
    ['null', ['opening', 'mon'], 9],
    ['a nested object', ['opening', 'tue'], 9],
    ['a deeply nested field', ['opening', 'tue', 'open'], 10],
    ['a field with an escape in its name', ['close'], 13],
    ['an element of a nested list', ['close', 1, 0], 14],
    ['a missing field: that of its object', ['opening', 'wed'], 8],
    ['a path inside a missing field', ['opening', 'wed', 'open'], 8],
    ['a path inside a text', ['city', 'name'], 3],
    ['an element past the end: that of its list', ['tags', 3], 6],
  ];
  test.each(lines)('%s', (_, path, line) => {
    expect(read(TEXT).placeOf(path).line).toBe(line);
  });

  test('every value is the same with Windows line ends', () => {
    const windows = read(TEXT.replaceAll('\n', '\r\n'));
    expect(lines.map(([, path]) => windows.placeOf(path).line)).toEqual(lines.map(([, , line]) => line));
  });

  test('every value of any formatted JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 1);
        const json = read(text);
        const printed = linesOf(JSON.parse(text));
        expect(json.value).toEqual(JSON.parse(text));
        expect(printed.map(({ path }) => json.placeOf(path).line)).toEqual(printed.map(({ line }) => line));
      }),
    );
  });
});

describe('the column of', () => {
  test.each<readonly [string, Path, string]>([
    ['a field is that of its name', ['city'], '"city"'],
    ['an element is that of its value', ['tags', 1], '"b"'],
    ['a missing field is that of its object', ['opening', 'wed'], '"opening"'],
  ])('%s', (_, path, begins) => {
    for (const text of [TEXT, TEXT.replaceAll('\n', '\r\n')]) {
      const { line, column } = read(text).placeOf(path);
      expect(text.split('\n')[line - 1]?.slice(column - 1)).toStartWith(begins);
    }
  });

  test('a missing comma is that of what follows', () => {
    expect(readJson('{\n"a": 1\n  "b": 2\n}')).toMatchObject({ line: 3, column: 3 });
  });
});

/** The line of every value as `JSON.stringify` with an indent prints it. */
function linesOf(root: unknown): { readonly path: Path; readonly line: number }[] {
  const found: { path: Path; line: number }[] = [];
  let line = 1;
  const visit = (value: unknown, path: Path): void => {
    found.push({ path, line });
    if (typeof value !== 'object' || value === null) return;
    const inside = Object.entries(value);
    for (const [name, inner] of inside) {
      line += 1;
      visit(inner, [...path, Array.isArray(value) ? Number(name) : name]);
    }
    if (inside.length > 0) line += 1;
  };
  visit(root, []);
  return found;
}

describe('a repeated field', () => {
  test('is reported on the line of the last one, whose value counts', () => {
    const json = read('{\n"a": {"x": 1},\n"b": [{"c": 1,\n"c": 2}],\n"a": 3\n}');
    expect(json.repeated).toEqual([['b', 0, 'c'], ['a']]);
    expect(json.value).toEqual({ a: 3, b: [{ c: 2 }] });
    expect(json.repeated.map((path) => json.placeOf(path).line)).toEqual([4, 5]);
    expect(json.placeOf(['a', 'x']).line).toBe(5);
  });

  test('is reported despite texts that look like names, and names with escapes and white space', () => {
    const odd = JSON.stringify({ '"': '": ', 'a":': [':', '"a":', '\\'], '\\': '\\"', '\\"': {} });
    expect(read(odd).repeated).toEqual([]);
    const twice = read(`[${odd}, {"\\u0061" :\n 1, "b": "\\":", "a": 2}]`);
    expect(twice.repeated).toEqual([[1, 'a']]);
    expect(twice.placeOf([1, 'a']).line).toBe(2);
  });

  test('is not one of the same name in another object', () => {
    expect(read('[{"a": {"a": 1}}, {"a": 1}]').repeated).toEqual([]);
  });
});

describe('malformed is', () => {
  const value = 'expected a value';
  const word = 'expected a value or a name in double quotes';
  const quoted = 'expected a text that ends on its line, with \\" for " and \\\\ for \\';
  const malformed: readonly (readonly [what: string, text: string, line: number, message: string])[] = [
    ['an empty text', '', 1, `is not JSON here: ${value}, found the end of the file`],
    ['white space', ' \n\n', 3, `is not JSON here: ${value}, found the end of the file`],
    ['a missing comma', '{\n"a": 1\n"b": 2\n}', 3, 'is not JSON here: expected "," or "}", found "b"'],
    ['a missing comma in a list', '[1\n2]', 2, 'is not JSON here: expected "," or "]", found 2'],
    ['a comma before the end', '{\n"a": 1,\n}', 2, 'has a comma before "}"; remove it'],
    ['a comma before the end of a list', '[\n1,\n]', 2, 'has a comma before "]"; remove it'],
    ['a leading comma', '[\n,1]', 2, `is not JSON here: ${value}, found ,`],
    ['a missing value', '{\n"a":\n}', 3, `is not JSON here: ${value}, found }`],
    ['a missing colon', '{\n"a" 1}', 2, 'is not JSON here: expected ":" after the field name, found 1'],
    ['a name without quotes', '{\na: 1}', 2, `is not JSON here: ${word}, found a`],
    ['a number as a name', '{\n1: 1}', 2, 'is not JSON here: expected a field name in double quotes, found 1'],
    ['an unterminated text', '[\n"abc,\n1]', 2, `is not JSON here: ${quoted}, found "abc,`],
    ['an unknown escape', '["a",\n"\\q"]', 2, `is not JSON here: ${quoted}, found "\\q"`],
    ['a tab in a text', '["a",\n"\t"]', 2, `is not JSON here: ${quoted}, found "\t"`],
    ['a text in single quotes', "[\n'a']", 2, `is not JSON here: ${word}, found 'a'`],
    ['a comment', '[1, // one\n2]', 1, `is not JSON here: ${value}, found // one`],
    ['a number with a leading zero', '[\n01]', 2, 'is not JSON here: expected "," or "]", found 1'],
    ['an unterminated object', '{"a": {\n}\n', 3, 'is not JSON here: expected "," or "}", found the end of the file'],
    ['the wrong closing bracket', '[\n}', 2, `is not JSON here: ${value}, found }`],
    ['a second value', '{}\n{}', 2, 'is not JSON here: expected the end of the file, found {'],
    ['a very long word', 'x'.repeat(99), 1, `is not JSON here: ${word}, found ${'x'.repeat(40)}…`],
  ];
  test.each(malformed)('%s', (_, text, line, message) => {
    expect(readJson(text)).toEqual({ kind: 'malformed', line, column: expect.any(Number), message });
  });

  test('exactly what JSON.parse refuses, for any damaged text', () => {
    const damage = fc.record({
      at: fc.nat(),
      cut: fc.integer({ min: 0, max: 2 }),
      put: fc.constantFrom(
        '',
        '"',
        '\\',
        ',',
        ':',
        '{',
        '}',
        '[',
        ']',
        '\n',
        '\t',
        '0',
        '-',
        'e',
        '.',
        '\u00A0',
        '\u2028',
      ),
    });
    fc.assert(
      fc.property(fc.jsonValue(), damage, (valid, { at, cut, put }) => {
        const text = JSON.stringify(valid);
        const offset = at % (text.length + 1);
        const damaged = text.slice(0, offset) + put + text.slice(offset + cut);
        expect(readJson(damaged).kind).toBe(isJson(damaged) ? 'json' : 'malformed');
      }),
      { numRuns: 2_000 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('a path is written', () => {
  test.each<[path: Path, text: string]>([
    [[], ''],
    [['city'], 'city'],
    [['activities', 3, 'opening', 'mon', 'close'], 'activities[3].opening.mon.close'],
    [[0, 'percent_kept'], '[0].percent_kept'],
    [['two words', 'x.y', ''], '["two words"]["x.y"][""]'],
  ])('%j as %s', (path, text) => {
    expect(pathText(path)).toBe(text);
  });
});
