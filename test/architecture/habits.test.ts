import { describe, expect, test } from 'bun:test';
import { readSource, sourceFiles } from './files.ts';
import { scanImports } from './import-scanner.ts';
import { codeAndComments, codeOnly, lineOf, type Token, tokenize } from './tokens.ts';

/** Tests that must wait for real time, each with the reason why no moved clock will do. */
const WAITS: Readonly<Record<string, string>> = {
  'test/simulation/kill/real-time.ts':
    'another process keeps its own time: when it is killed, and when its reaper comes by',
  'test/peers/eventstoredb/timers.mjs':
    'a server that is told to answer late, and whose clients set it deadlines; no test waits for either',
};

type Habit = { readonly says: string; readonly pattern: RegExp };

/** Looked for in code. */
const HOLES: readonly Habit[] = [{ says: 'any', pattern: /\bas\s+any\b|:\s*any\b|<any\b|\bany(?=\s*[>[])/ }];

/** Looked for in comments too: what silences a gate, and what waits to be done instead of being done. */
const REMARKS: readonly Habit[] = [
  { says: 'a silenced compiler', pattern: /@ts-(?:ignore|nocheck|expect-error)/ },
  { says: 'a silenced linter without a reason', pattern: /(?:oxlint|eslint|biome)-(?:disable|ignore)(?!.* -- \S)/ },
  { says: 'unfinished', pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/ },
];

/** Tests that do not run, or that keep others from running. */
const SKIPPED: readonly Habit[] = [
  { says: 'a test left out', pattern: /\b(?:test|it|describe)(?:\s*\.\s*\w+)*\s*\.\s*(?:skip|only|todo)\b/ },
];

const WAITING: readonly Habit[] = [{ says: 'waits for real time', pattern: /\bsetTimeout\s*\(|\bBun\s*\.\s*sleep/ }];

describe('source and tests', () => {
  const sources = sourceFiles();
  const tests = sources.filter((path) => path.startsWith('test/'));

  test('were seen', () => {
    expect(sources.length).toBeGreaterThan(60);
    expect(tests.length).toBeGreaterThan(10);
  });

  test('have no hole in their types, and nothing unfinished', () => {
    expect(all(sources, holesAndRemarks)).toEqual([]);
  });

  test('run every test', () => {
    expect(all(tests, (source) => found(codeOnly(source), SKIPPED))).toEqual([]);
    const empty = tests.filter((path) => path.endsWith('.test.ts') && !hasTests(readSource(path)));
    expect(empty).toEqual([]);
  });

  test('await what they expect of a promise', () => {
    expect(all(tests, unawaited)).toEqual([]);
  });

  test('do not wait for real time, but for the reasons listed', () => {
    const waiting = tests.filter((path) => waits(readSource(path)).length > 0);
    expect(
      all(
        waiting.filter((path) => !(path in WAITS)),
        waits,
      ),
    ).toEqual([]);
    expect(Object.keys(WAITS).filter((path) => !waiting.includes(path))).toEqual([]);
  });
});

describe('a fault is', () => {
  const faults: readonly (readonly [source: string, says: string])[] = [
    ['const a = b as any;', 'any'],
    ['function a(b: any) {}', 'any'],
    ['const a = new Map<any, string>();', 'any'],
    ['type A = Record<string, any[]>;', 'any'],
    ['// @ts-ignore', 'a silenced compiler'],
    ['// oxlint-disable-next-line no-console', 'a silenced linter without a reason'],
    ['// later: TODO', 'unfinished'],
    ['test.skip("a", b);', 'a test left out'],
    ['describe.concurrent.only("a", b);', 'a test left out'],
    ['await Bun.sleep(1);', 'waits for real time'],
    ['setTimeout(a, 1);', 'waits for real time'],
    [`import { setTimeout as pause } from 'node:timers/promises';`, 'waits for real time'],
    ['expect(a()).resolves.toBe(1);', 'expects of a promise without awaiting it'],
    ['if (a) { expect(b(c)).rejects.toThrow("d"); }', 'expects of a promise without awaiting it'],
    ['const a = () => { expect(b).not.resolves.toBe(1); };', 'expects of a promise without awaiting it'],
  ];
  test.each(faults)('%s', (source, says) => {
    const [fault, ...more] = everything(source);
    expect(fault).toEndWith(says);
    expect(more).toEqual([]);
  });
});

describe('no fault is', () => {
  const innocent = [
    '// in the order of: any number of test.skip in a comment',
    `const a = 'TODO: as any';`,
    'const many: Company[] = [];',
    '// oxlint-disable-next-line no-console -- the terminal is its reader',
    'clock.setTimeoutFor(1);',
    'await expect(a()).resolves.toBe(1);',
    'return expect(a()).rejects.toThrow("b");',
    'const a = () => expect(b()).rejects.toThrow("c");',
    'await Promise.all([expect(a()).resolves.toBe(1)]);',
    'expect(a.resolves).toBe(1);',
    'describe.skipIf(url === undefined)("a", b);',
  ];
  test.each(innocent)('%s', (source) => {
    expect(everything(source)).toEqual([]);
  });
});

function everything(source: string): string[] {
  return [...holesAndRemarks(source), ...found(codeOnly(source), SKIPPED), ...waits(source), ...unawaited(source)];
}

function holesAndRemarks(source: string): string[] {
  return [...found(codeOnly(source), HOLES), ...found(codeAndComments(source), REMARKS)];
}

function all(paths: readonly string[], faults: (source: string) => readonly string[]): string[] {
  return paths.flatMap((path) => faults(readSource(path)).map((fault) => `${path}:${fault}`));
}

function found(text: string, habits: readonly Habit[]): string[] {
  return habits.flatMap(({ says, pattern }) =>
    [...text.matchAll(new RegExp(pattern, 'g'))].map(({ index }) => `${lineOf(text, index)} ${says}`),
  );
}

/** Tests of its own, or those of a contract suite that it hands a subject to. */
function hasTests(source: string): boolean {
  const suites = scanImports(source).filter(({ specifier }) => specifier?.endsWith('.suite.ts'));
  return suites.length > 0 || /\btest\b/.test(codeOnly(source));
}

function waits(source: string): string[] {
  const timers = scanImports(source).filter(({ specifier }) => specifier?.endsWith('timers/promises'));
  return [...found(codeOnly(source), WAITING), ...timers.map(({ line }) => `${line} waits for real time`)];
}

/** A statement that begins with `expect(…)` and goes on to `resolves` or `rejects`: nobody looks at its outcome. */
function unawaited(source: string): string[] {
  const tokens = tokenize(source).filter(({ kind }) => kind !== 'comment');
  return tokens.flatMap((token, index) => {
    const begins = token.text === 'expect' && [undefined, ';', '{', '}'].includes(tokens[index - 1]?.text);
    if (!begins || !chained(tokens, index).some((name) => name === 'resolves' || name === 'rejects')) return [];
    return [`${lineOf(source, token.at)} expects of a promise without awaiting it`];
  });
}

/** The names that follow the call at `index` with a dot, outside any bracket: `not`, `resolves`, `toBe`. */
function chained(tokens: readonly Token[], index: number): string[] {
  const names: string[] = [];
  let depth = 0;
  for (let at = index + 1; at < tokens.length; at++) {
    const text = tokens[at]?.text ?? '';
    if ('([{'.includes(text)) depth += 1;
    else if (')]}'.includes(text)) depth -= 1;
    else if (depth === 0 && text !== '.') names.push(text);
    if (depth < 0 || (depth === 0 && text === ';')) break;
  }
  return names;
}
