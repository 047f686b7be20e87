import { describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSource, projectFiles, readSource, SOURCE_FOLDERS, sourceFiles } from './files.ts';

/** Beside dot-files. The architecture document says what each is for. */
const TOP_LEVEL = `
  README.md LICENSE CHANGELOG.md docs examples
  package.json bun.lock bunfig.toml tsconfig.json biome.json docker-compose.yml Dockerfile
  src projections migrations patches test
`;

/** "Files to about 300 lines": this is where about ends. */
const LONGEST_FILE = 400;
const COUNTED = /\.([cm]?[jt]sx?|css|html|sh)$|^\.ci\//;

/** Names that say nothing of what a file is about. */
const NAMELESS = /(^|[-_.])(utils?|helpers?|commons?|misc)([-_.]|$)/i;

describe('the tree', () => {
  const files = projectFiles();
  const sources = sourceFiles();

  test('was seen, in each of its folders', () => {
    expect(files).toContain('package.json');
    expect(sources.length).toBeGreaterThan(60);
    const seen = new Set(sources.map((path) => path.split('/')[0]));
    expect(['src', 'projections', 'test'].filter((folder) => !seen.has(folder))).toEqual([]);
  });

  test('holds at its top only what the architecture names', () => {
    const allowed = new Set(TOP_LEVEL.split(/\s+/));
    const top = new Set(files.map((path) => path.split('/')[0] ?? path));
    expect([...top].filter((name) => !name.startsWith('.') && !allowed.has(name))).toEqual([]);
  });

  test('has no file or folder whose name says nothing', () => {
    expect(files.filter((path) => path.split('/').some((name) => NAMELESS.test(name)))).toEqual([]);
  });

  test(`has no file of more than ${LONGEST_FILE} lines`, () => {
    const counted = files.filter((path) => COUNTED.test(path)).map((path) => [path, lineCount(path)] as const);
    expect(counted.filter(([, lines]) => lines > LONGEST_FILE)).toEqual([]);
  });

  test('has no program that the gates cannot read', () => {
    const unread = files.filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !isSource(path));
    expect(unread.filter((path) => SOURCE_FOLDERS.some((folder) => path.startsWith(`${folder}/`)))).toEqual([]);
  });
});

test.each(['utils.ts', 'helpers', 'price-utils.ts', 'common.ts', 'test_helper.ts'])('%s says nothing', (name) => {
  expect(NAMELESS.test(name)).toBe(true);
});

test.each(['commonwealth.ts', 'utility.ts', 'shelper.ts'])('%s says something', (name) => {
  expect(NAMELESS.test(name)).toBe(false);
});

test('without git, files are found by walking, past what .gitignore names', () => {
  const root = mkdtempSync(join(tmpdir(), 'tree-'));
  try {
    for (const folder of ['src/deep', 'node_modules/x', '.git']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, '.gitignore'), '# made elsewhere\nnode_modules/\n*.log\n');
    for (const path of ['src/a.ts', 'src/deep/b.css', 'node_modules/x/c.ts', '.git/HEAD', 'd.log', '.dot']) {
      writeFileSync(join(root, path), '');
    }
    expect(projectFiles(root)).toEqual(['.dot', '.gitignore', 'src/a.ts', 'src/deep/b.css']);
    expect(sourceFiles(SOURCE_FOLDERS, root)).toEqual(['src/a.ts']);
  } finally {
    rmSync(root, { recursive: true });
  }
});

function lineCount(path: string): number {
  return readSource(path).replace(/\n$/, '').split('\n').length;
}
