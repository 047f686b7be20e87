import { describe, expect, test } from 'bun:test';
import { ERROR_CODES, refusal } from '../../../src/application/refusal.ts';
import { readConfig } from '../../../src/config.ts';
import { STATUS } from '../../../src/http/status.ts';
import { PAGES } from '../../docs.ts';
import { projectFiles, readSource, sourceFiles } from '../../support/files.ts';

test.each(Object.entries(PAGES))('%s is what `bun run docs` writes', (path, page) => {
  expect(readSource(path)).toBe(page());
});

/** Tables of the documents that repeat what the code declares. */
describe('the documents say', () => {
  test('every error code with its status, what to do, and whether the same request can succeed later', () => {
    const documented = rowsUnder('docs/api.md', '## Errors').map((cells) => cells.slice(0, 3).join(' '));
    const decided = ERROR_CODES.map((code) => {
      const { resolution, retryable } = refusal(code, '');
      return `${STATUS[code]} \`${code}\`${retryable ? ' ↻' : ''} ${resolution}`;
    });
    expect(decided.length).toBeGreaterThan(30);
    expect(documented.toSorted()).toEqual(decided.toSorted());
  });

  test('every path that the service answers', () => {
    const page = readSource('docs/api.md');
    const sources = sourceFiles(['src/http']).map((path) => readSource(path));
    const routes = sources.flatMap((source) => [...source.matchAll(/\.(get|post|put|patch|delete)\(\s*'(\/[^']*)'/g)]);
    const paths = routes.map(
      ([, method = '', path = '']) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(paths.length).toBeGreaterThan(50);
    // Only pages load their files, and each address below /dashboard is the same page.
    const ofPages = [
      'GET /docs/{file}',
      'GET /assets/{file}',
      'GET /dashboard/*',
      'GET /gate/{file}',
      'GET /api/vouchers/page.js',
      'GET /api/vouchers/worker.js',
    ];
    const documented = (path: string): boolean => page.includes(`\`${path}\``) || ofPages.includes(path);
    expect(paths.filter((path) => !documented(path) && !documented(path.replace(/^GET /, '')))).toEqual([]);
  });

  test('commands that can be run on any day: none books, prices or asks about a fixed date', () => {
    const pages = [...projectFiles().filter((path) => /^docs\/[^/]*\.md$/.test(path)), 'README.md'];
    const commands = pages.flatMap((page) =>
      [...readSource(page).matchAll(/^```sh\n(.*?)^```/gms)].map(([, command = '']) => ({ page, command })),
    );
    expect(commands.length).toBeGreaterThan(40);
    const dated = /(booking_date|date|date_to)"?[:=] ?"?\d{4}|allotments\/\d{4}|month=\d{4}/;
    expect(commands.filter(({ command }) => dated.test(command))).toEqual([]);
  });

  test('every setting once', () => {
    const named = [...readSource('docs/configuration.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.toSorted()).toEqual([...namesOfSettings()].toSorted());
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
    const documented = [...codecs].flatMap(([line]) =>
      [...line.matchAll(/\*\*(\w+)\*\*/g)].map(([, type = '']) => type),
    );
    const golden = projectFiles().flatMap(
      (path) => /^test\/contract\/stored-events\/golden\/(\w+)\.v\d+\.json$/.exec(path)?.[1] ?? [],
    );
    expect(documented.toSorted()).toEqual([...new Set(golden)].toSorted());
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

/** The names that the configuration reads from the environment. */
function namesOfSettings(): Set<string> {
  const names = new Set<string>();
  const get = (_: object, name: string | symbol): undefined => void names.add(String(name));
  readConfig(new Proxy<Record<string, string | undefined>>({}, { get }));
  return names;
}
