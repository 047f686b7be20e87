/** The rules of `bun run check text`: for source files, documents and file names. The linter cannot check them. */
import { LONG_FILES, PURE_FILES } from '../oxlint.config.mjs';
import { PRIVATE_WORDS } from './private-words.ts';
import { isSource, projectFiles, readSource, SOURCE_FOLDERS } from './support/files.ts';

const README_BYTES = 10_000;
const FILE_LINES = 300;

/** Names that say nothing about the content of a file or folder. */
const EMPTY_NAME = /(^|[-_.])(utils?|helpers?|commons?|misc)([-_.]|$)/i;

const PRODUCT = ['src/**', 'projections/**', 'migrations/**', 'examples/**'];

/** Text that files must not contain. The linter has no rule for it. */
const PATTERNS: readonly { readonly files: readonly string[]; readonly found: RegExp; readonly says: string }[] = [
  {
    files: SOURCE_FOLDERS.map((folder) => `${folder}/**`),
    found: /(?:oxlint|eslint|biome)-(?:disable|ignore)(?!.* -- \S)/,
    says: 'suppresses a rule without a reason: add " -- " and the reason',
  },
  {
    files: PURE_FILES,
    found: /\bnew\s+Date\b\s*(?:\(\s*\)|(?!\s*\())/,
    says: 'reads the clock: the time comes in with the command',
  },
  {
    files: PRODUCT,
    found: /\bimport\(\s*`|\bimport\.meta\.(?:resolve|require)\b|new URL\((?!'\.\/[\w-]+\.ts', )[^)]*import\.meta\.url/,
    says: 'imports a module in a form that the table of imports does not cover',
  },
];

const PROSE =
  /^(?:(?:src|projections|migrations|test|examples|docs)\/.*\.(?:md|html|css|py|go|[cm]?[jt]sx?)|README\.md|CONTRIBUTING\.md)$/;
/** Decisions are dated records; the list contains all words. */
const NOT_PROSE = /^(?:docs\/decisions\/|test\/private-words\.ts$)/;

/** Faults with their locations, limits that can be lowered, and the number of source files read. */
export type TextVerdict = { readonly faults: string[]; readonly notes: string[]; readonly sources: number };

export function checkText(
  files: readonly string[] = projectFiles(),
  read: (path: string) => string = readSource,
): TextVerdict {
  const texts = new Map(files.filter((path) => isText(path)).map((path) => [path, read(path)]));
  const words = countPrivateWords(texts);
  const faults = [
    ...files
      .filter((path) => path.split('/').some((name) => EMPTY_NAME.test(name)))
      .map((path) => `${path}: the name says nothing`),
    ...[...texts].flatMap(([path, text]) => faultsOf(path, text)),
    ...words.faults,
  ];
  return {
    faults,
    notes: [...words.notes, ...longFiles(texts)],
    sources: [...texts.keys()].filter((path) => isSource(path)).length,
  };
}

function isText(path: string): boolean {
  return PROSE.test(path) || /\.(?:sh|css|html)$|^\.ci\//.test(path);
}

function faultsOf(path: string, text: string): string[] {
  const faults = PATTERNS.filter(({ files }) => files.some((pattern) => new Bun.Glob(pattern).match(path))).flatMap(
    ({ found, says }) => {
      const at = found.exec(text)?.index;
      return at === undefined ? [] : [`${path}:${lineAt(text, at)} ${says}`];
    },
  );
  if (path === 'README.md' && Buffer.byteLength(text) > README_BYTES) {
    faults.push(`README.md has ${Buffer.byteLength(text)} bytes, of at most ${README_BYTES}`);
  }
  const lines = lineAt(text.trimEnd(), Infinity);
  // The linter counts the lines of source files, with the exceptions in its configuration.
  if (!isSource(path) && !path.endsWith('.md') && lines > FILE_LINES)
    faults.push(`${path} has ${lines} lines, of at most ${FILE_LINES}`);
  if (path.endsWith('.test.ts') && !/\btest\b|\.suite\.ts'/.test(text)) faults.push(`${path} has no test`);
  return faults;
}

/** Finds limits that can be lowered. The linter refuses files over their limit. */
function longFiles(texts: ReadonlyMap<string, string>): string[] {
  return Object.entries(LONG_FILES).flatMap(([path, limit]) => {
    const lines = lineAt(texts.get(path)?.trimEnd() ?? '', Infinity);
    if (lines === limit) return [];
    return [`oxlint.config.mjs: ${lines > FILE_LINES ? `lower ${path} to ${lines}` : `remove ${path}`}`];
  });
}

function countPrivateWords(texts: ReadonlyMap<string, string>): { faults: string[]; notes: string[] } {
  // A file's own path counts as its first line.
  const prose = [...texts]
    .filter(([path]) => PROSE.test(path) && !NOT_PROSE.test(path))
    .map(([path, text]) => [path, `${path}\n${text}`] as const);
  const faults: string[] = [];
  const notes: string[] = [];
  for (const [word, use, allowed] of PRIVATE_WORDS) {
    const isPhrase = word.includes(' ');
    const source = RegExp.escape(word).replaceAll('\\x20', '[\\s/*]+');
    const pattern = new RegExp(`(?<!\\w)${source}(?!\\w)`, isPhrase ? 'gi' : 'g');
    const places = prose.flatMap(([path, text]) =>
      [...text.matchAll(pattern)].map(({ index }) => `  ${path}:${Math.max(1, lineAt(text, index) - 1)}`),
    );
    if (places.length > allowed) {
      faults.push(`"${word}" is used ${places.length} times, at most ${allowed} are allowed; write: ${use}`, ...places);
    }
    if (places.length < allowed)
      notes.push(`test/private-words.ts: lower "${word}" from ${allowed} to ${places.length}`);
  }
  return { faults, notes };
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
