import { describe, expect, test } from 'bun:test';
import { ERROR_CODES, refusal } from '../../src/application/refusal.ts';
import { STATUS } from '../../src/http/status.ts';
import { projectFiles, readSource } from './files.ts';

/** What the pages tell in tables and the code decides. */
describe('the documents say', () => {
  test('every error code with its status, what to do, and whether the same request can succeed later', () => {
    const told = rowsUnder('docs/api.md', '## Errors').map((cells) => cells.slice(0, 3).join(' '));
    const decided = ERROR_CODES.map((code) => {
      const { resolution, retryable } = refusal(code, '');
      return `${STATUS[code]} \`${code}\`${retryable ? ' ↻' : ''} ${resolution}`;
    });
    expect(decided.length).toBeGreaterThan(30);
    expect(told.toSorted()).toEqual(decided.toSorted());
  });

  test('every path that the service answers', () => {
    const page = readSource('docs/api.md');
    const routes = [...readSource('src/http/app.ts').matchAll(/\.(get|post|put|patch|delete)\('(\/[^']*)'/g)];
    const paths = routes.map(
      ([, method = '', path = '']) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(paths.length).toBeGreaterThan(20);
    // A page's own files are loaded by it and called by nobody.
    const told = (path: string): boolean => page.includes(`\`${path}\``) || path === 'GET /docs/{file}';
    expect(paths.filter((path) => !told(path) && !told(path.replace(/^GET /, '')))).toEqual([]);
  });

  test('every setting, with its default and its bounds where it is a number', () => {
    const rows = rowsUnder('README.md', '## Settings').map(([name = '', ...cells]) => [name, cells.join(' ')] as const);
    const told = new Map(rows.flatMap(([names, row]) => names.split(', ').map((name) => [name.slice(1, -1), row])));
    const source = readSource('src/config.ts');
    const read = [
      ...source.matchAll(/\b(?:text|whole|onOff|token)\('([A-Z_]+)'/g),
      ...source.matchAll(/^ {2}([A-Z_]+): '/gm),
    ];
    const names = [...new Set(read.map(([, name = '']) => name))];
    expect(names.length).toBeGreaterThan(30);
    expect([...told.keys()].toSorted()).toEqual(names.toSorted());
    const numbers = [...source.matchAll(/\bwhole\('([A-Z_]+)', ([\d_]+), ([\d_]+), ([\d_]+)\)/g)];
    expect(numbers.length).toBeGreaterThan(10);
    const silent = numbers.filter(([, name = '', ...values]) => {
      const [fallback, from, to] = values.map((value) => value.replaceAll('_', ''));
      const row = told.get(name) ?? '';
      return !row.startsWith(`\`${fallback}\` `) || !row.includes(`${from} to ${to}`);
    });
    expect(silent.map(([call]) => call)).toEqual([]);
  });

  test('every line of the log', () => {
    const rows = rowsUnder('docs/operations.md', '## Logs').flatMap(([messages = '']) => messages.split(', '));
    const sources = projectFiles().filter((path) => /^(src|projections)\/.*\.ts$/.test(path));
    const lines = sources.flatMap((path) => [
      ...readSource(path).matchAll(/\blog\.(?:info|warn|error)\(\s*'([^']+)'/gi),
    ]);
    expect(lines.length).toBeGreaterThan(15);
    const logged = [...new Set(lines.map(([, message = '']) => `\`${message}\``))];
    expect(rows.toSorted()).toEqual(logged.toSorted());
  });

  test('every event that is stored, once', () => {
    const codecs = readSource('docs/events.md').matchAll(/^\*\*.*$/gm);
    const told = [...codecs].flatMap(([line]) => [...line.matchAll(/\*\*(\w+)\*\*/g)].map(([, type = '']) => type));
    const golden = projectFiles().flatMap(
      (path) => /^test\/compatibility\/golden\/(\w+)\.v\d+\.json$/.exec(path)?.[1] ?? [],
    );
    expect(told.toSorted()).toEqual([...new Set(golden)].toSorted());
  });
});

/** The rows of the first table below a heading, without its head, as trimmed cells. */
function rowsUnder(document: string, heading: string): string[][] {
  const text = readSource(document);
  const below = text.slice(text.indexOf(`\n${heading}\n`));
  const table = /(?:^\|.*\n)+/m.exec(below)?.[0] ?? '';
  const rows = table.trimEnd().split('\n').slice(2);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
