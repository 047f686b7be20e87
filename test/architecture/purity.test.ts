import { describe, expect, test } from 'bun:test';
import { readSource, sourceFiles } from './files.ts';
import { covers } from './import-rules.ts';
import { IMPURITIES, PURE_FILES } from './rules.ts';
import { codeOnly, lineOf } from './tokens.ts';

test('what decides and folds is pure', () => {
  const pure = sourceFiles(['src', 'projections']).filter((path) => PURE_FILES.some((files) => covers(files, path)));
  expect(pure.length).toBeGreaterThan(15);
  expect(pure.flatMap((path) => impurities(readSource(path)).map((fault) => `${path}:${fault}`))).toEqual([]);
});

describe('impure is', () => {
  const impure = [
    'const a = Date.now();',
    'const a = new Date();',
    'const a = new Date;',
    'const a = Math.random();',
    'const a = crypto.randomUUID();',
    'async function a() {}',
    'type A = Promise<void>;',
    'setTimeout(a, 1);',
    'const a = process.env;',
    'const a = Bun.hash(b);',
    'console.log(a);',
    'const a = `${Date.now()}`;',
  ];
  test.each(impure)('%s', (source) => {
    expect(impurities(source)).toHaveLength(1);
  });
});

describe('pure is', () => {
  const pure = [
    `const a = new Date('2026-01-01');`,
    'const a = new Date(ms).toISOString();',
    'const a = Date.UTC(2026, 0, 1);',
    '// Date.now() would differ at every replay',
    `const a = 'Math.random()';`,
    'const a = venue.process.state;',
    'const a = { fetch: b.fetch(c) };',
  ];
  test.each(pure)('%s', (source) => {
    expect(impurities(source)).toEqual([]);
  });
});

function impurities(source: string): string[] {
  const code = codeOnly(source);
  return IMPURITIES.flatMap(({ pattern, instead }) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].map(
      ({ 0: found, index }) => `${lineOf(code, index)} ${found}: ${instead}`,
    ),
  );
}
