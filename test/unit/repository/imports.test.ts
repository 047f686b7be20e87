import { expect, test } from 'bun:test';
import { ROWS } from '../../../oxlint.imports.mjs';
import manifest from '../../../package.json' with { type: 'json' };
import { readSource, sourceFiles } from '../../support/files.ts';

test('the table of imports has a row for each source file', () => {
  const files = sourceFiles(['src', 'projections', 'migrations', 'examples']);
  const rows = ROWS.map(({ path }) => new Bun.Glob(path.endsWith('.ts') ? path : `${path}/**`));
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((path) => !rows.some((row) => row.match(path)))).toEqual([]);
});

test('each package is imported, or docs/decisions/0011 says why not', () => {
  const sources = sourceFiles().map((path) => readSource(path));
  const reasons = readSource('docs/decisions/0011-packages-come-with-their-code.md').split('## Packages that')[1] ?? '';
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const isImported = (name: string): boolean => {
    const specifier = new RegExp(`\\b(?:from|import)[\\s(]+'${RegExp.escape(name)}['/]`);
    return sources.some((source) => specifier.test(source));
  };
  expect(packages.filter((name) => !isImported(name) && !reasons.includes(`\`${name}\``))).toEqual([]);
});
