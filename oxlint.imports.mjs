/**
 * The table of imports, and the lint rules made from it. A file may import its own folder and what its row lists;
 * everything else is refused, type-only imports included. docs/architecture.md gives the reasons.
 */
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Row
 * @property {string} path A folder with everything below it, or one file. With `*`, each folder of that level is a row
 *   of its own. The longest matching path counts.
 * @property {readonly string[]} mayImport Folders and files of this project; `*` is any one folder.
 * @property {readonly string[]} packages Packages, and `node:*` or `bun:*`; `any` is every dependency.
 */

const NONE = /** @type {const} */ ([]);
const RUNTIME_MODULES = ['node:*', 'bun:*', 'bun'];
const ANY = [...RUNTIME_MODULES, 'any'];

const VOCABULARY = ['src/eventsourcing', 'src/ports'];
const CORE = [...VOCABULARY, 'src/collections', 'src/domain'];
const MACHINERY = ['src/actors', 'src/runtime'];
const FEATURES = ['src/recommend', 'src/supply', 'src/vouchers', 'src/webhooks'];
/** Files that several questions share: sums over groups of documents, and filtered pages. */
const SHARED_BY_QUESTIONS = ['projections/report.ts', 'projections/grouping.ts', 'projections/filtered-page.ts'];
const READ_MODELS = 'projections/*/read-model.ts';
const READ_SIDE = [READ_MODELS, 'projections/*/query.ts', ...SHARED_BY_QUESTIONS];
const EVERYTHING = ['src', 'projections', 'migrations', 'package.json'];

/** @type {readonly Row[]} */
export const ROWS = [
  { path: 'src/eventsourcing', mayImport: [], packages: NONE },
  { path: 'src/collections', mayImport: [], packages: NONE },
  { path: 'src/ports', mayImport: ['src/eventsourcing'], packages: RUNTIME_MODULES },
  { path: 'src/domain', mayImport: [...VOCABULARY, 'src/collections'], packages: NONE },
  { path: 'src/actors', mayImport: [...VOCABULARY, 'src/collections'], packages: ANY },
  // Codecs and deciders are passed in.
  { path: 'src/runtime', mayImport: [...VOCABULARY, 'src/collections', 'src/actors'], packages: ANY },
  { path: 'src/supply', mayImport: CORE, packages: ANY },
  { path: 'src/vouchers', mayImport: CORE, packages: ANY },
  { path: 'src/pictures', mayImport: ['src/eventsourcing', 'src/domain'], packages: NONE },
  { path: 'src/recommend', mayImport: [...CORE, 'src/actors', 'src/vouchers', READ_MODELS], packages: ANY },
  { path: 'src/webhooks', mayImport: [...CORE, 'src/actors', 'src/vouchers', READ_MODELS], packages: ANY },
  { path: 'src/application', mayImport: [...CORE, ...MACHINERY, ...FEATURES, ...READ_SIDE], packages: ANY },
  {
    path: 'src/processes',
    mayImport: [...CORE, ...MACHINERY, 'src/application', ...FEATURES, ...READ_SIDE],
    packages: ANY,
  },
  {
    path: 'src/http',
    mayImport: [...VOCABULARY, 'src/domain', 'src/application', ...FEATURES, 'src/pictures', ...READ_SIDE],
    packages: ANY,
  },
  // The tools call the REST API: they know the vocabulary of the domain, and no use case.
  { path: 'src/mcp', mayImport: ['src/domain'], packages: ANY },
  // Pages run in a browser: they know the type of the API and how it writes CSV, and the vocabulary of the domain.
  {
    path: 'src/pages',
    mayImport: ['src/domain', 'src/http/app.ts', 'src/http/analytics/csv.ts', 'src/vouchers/qr-modules.ts'],
    packages: ['@elysiajs/eden', 'preact', 'preact/*', 'preact-iso', '@preact/signals'],
  },
  // The gate checks tokens without a network, with the parser of the service.
  {
    path: 'src/pages/gate',
    mayImport: ['src/domain', 'src/vouchers/token-text.ts'],
    packages: ['preact', 'preact/*', '@preact/signals', '@noble/ed25519', 'zxing-wasm/*'],
  },
  // Called by the bundler: the browser gets the text that it returns.
  { path: 'src/pages/dashboard/webhooks/snippets.ts', mayImport: [], packages: ['node:*'] },
  // A client of the service: it knows the public contract, and the examples that clients copy.
  {
    path: 'src/cli/journey',
    mayImport: ['src/eventsourcing', 'src/ports', 'examples'],
    packages: [...RUNTIME_MODULES, 'jsqr', 'pngjs'],
  },

  // An adapter knows its port and the one thing that it wraps.
  { path: 'src/adapters/sqlite', mayImport: VOCABULARY, packages: RUNTIME_MODULES },
  { path: 'src/adapters/system', mayImport: VOCABULARY, packages: [...RUNTIME_MODULES, 'pino'] },
  { path: 'src/adapters/http', mayImport: VOCABULARY, packages: RUNTIME_MODULES },
  { path: 'src/adapters/open-meteo', mayImport: VOCABULARY, packages: RUNTIME_MODULES },
  { path: 'src/adapters/eventstoredb', mayImport: VOCABULARY, packages: [...RUNTIME_MODULES, '@eventstore/db-client'] },
  { path: 'src/adapters/mongodb', mayImport: VOCABULARY, packages: [...RUNTIME_MODULES, 'mongodb'] },
  { path: 'src/adapters/resvg', mayImport: VOCABULARY, packages: [...RUNTIME_MODULES, '@resvg/resvg-wasm'] },
  { path: 'src/adapters/smtp', mayImport: VOCABULARY, packages: [...RUNTIME_MODULES, 'nodemailer'] },

  // Settings are parsed by what uses their values: URLs by adapters, address ranges by the check of API keys.
  {
    path: 'src/config',
    mayImport: [...VOCABULARY, 'src/domain', 'src/adapters', 'src/application/key/address-ranges.ts'],
    packages: RUNTIME_MODULES,
  },

  // One folder per question; it imports no other question.
  { path: 'projections/*', mayImport: [...CORE, ...SHARED_BY_QUESTIONS], packages: RUNTIME_MODULES },
  { path: 'projections', mayImport: CORE, packages: RUNTIME_MODULES },
  { path: 'migrations', mayImport: [...VOCABULARY, 'src/adapters/mongodb', 'projections'], packages: ANY },
  // Clients copy these files.
  { path: 'examples', mayImport: [], packages: ['node:*'] },

  { path: 'src/app', mayImport: EVERYTHING, packages: ANY },
  { path: 'src/cli', mayImport: EVERYTHING, packages: ANY },
  { path: 'src/main.ts', mayImport: EVERYTHING, packages: ANY },
  { path: 'src/config.ts', mayImport: EVERYTHING, packages: ANY },
];

/**
 * Packages that only these rows may import, whatever their `packages` say.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const RESERVED = {
  elysia: ['src/http', 'src/app'],
  '@elysiajs/openapi': ['src/http'],
  'bun:sqlite': ['src/adapters/sqlite'],
  'bun:test': [],
  // A peer of Elysia; schemas are written with `typebox`.
  '@sinclair/typebox': [],
  '@modelcontextprotocol/sdk': ['src/mcp'],
  '@eventstore/db-client': ['src/adapters/eventstoredb'],
  mongodb: ['src/adapters/mongodb'],
  nodemailer: ['src/adapters/smtp'],
  '@resvg/resvg-wasm': ['src/adapters/resvg'],
};

/** Levels of folders below a row in which files may import; a deeper file may import nothing. */
const LEVELS = 4;

/** `./../x`, `a/../b`, `a//b` and `..`: the patterns below only understand the shortest path to a file. */
const DETOUR = {
  regex: '^\\./\\.|[^./][^/]*/\\.\\.?/|//|(^|/)\\.{0,2}$',
  message: 'Write the shortest relative path to a file.',
};

/** Overrides of the lint configuration, the general ones first: of two that match a file, the last counts. */
export function importOverrides() {
  const roots = [...new Set(ROWS.map(({ path }) => path.split('/')[0]))];
  const unlisted = { regex: '.', message: 'The table in oxlint.imports.mjs has no row for this file.' };
  const rows = ROWS.toSorted((a, b) => segments(a.path).length - segments(b.path).length);
  return [
    override(
      roots.map((root) => `${root}/**`),
      unlisted,
    ),
    ...rows.flatMap((row) => {
      const message = `${row.path} may import ${['itself', ...row.mayImport, ...row.packages].join(', ')}.`;
      if (isFile(row.path)) return [override([row.path], { group: groupOf(row, folderOf(row).length), message })];
      return Array.from({ length: LEVELS }, (_, level) =>
        override([`${row.path}/${'*/'.repeat(level)}*`], {
          group: groupOf(row, segments(row.path).length + level),
          message,
        }),
      );
    }),
  ];
}

/**
 * @param {readonly string[]} files
 * @param {{ group?: string[], regex?: string, message: string }} pattern
 */
function override(files, pattern) {
  // Oxlint stops at a pattern that permits an import, so the detours come first.
  return { files, rules: { 'no-restricted-imports': ['error', { patterns: [DETOUR, pattern] }] } };
}

/**
 * Patterns of `no-restricted-imports` for the files that stand `depth` folders below the root. The last match counts.
 *
 * @param {Row} row
 * @param {number} depth
 */
function groupOf(row, depth) {
  const group = ['**', ...packagesOf(row)];
  for (let up = 0; up <= depth; up++) {
    const prefix = up === 0 ? './' : '../'.repeat(up);
    // This also refuses what the previous round permitted with `**` and a path that goes up further.
    group.push(`${prefix}**`);
    for (const target of [row.path, ...row.mayImport]) {
      const rest = seenFrom(folderOf(row), depth - up, target);
      if (rest !== null) group.push(`!${prefix}${rest}`);
    }
  }
  return group;
}

/** @param {Row} row */
function packagesOf(row) {
  /** @type {{ dependencies: Record<string, string> }} */
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
  const granted = row.packages.flatMap((name) => (name === 'any' ? Object.keys(dependencies) : [name]));
  const refused = Object.keys(RESERVED).filter((name) => !RESERVED[name]?.includes(row.path));
  return [
    ...granted.flatMap((name) => [`!${name}`, `!${name}/**`]),
    ...refused.flatMap((name) => [name, `${name}/**`]),
  ];
}

/**
 * What a target is called from the folder that contains a row's files and has `depth` segments; null where it cannot be
 * reached from there, or by a shorter path only.
 *
 * @param {readonly string[]} folder The row's folder.
 * @param {number} depth
 * @param {string} target
 */
function seenFrom(folder, depth, target) {
  const wanted = segments(target);
  const known = folder.slice(0, depth);
  if (wanted.length <= known.length) return wanted.every((name, index) => name === known[index]) ? '**' : null;
  if (depth >= folder.length || !known.every((name, index) => name === wanted[index])) return null;
  if (wanted[depth] === folder[depth]) return null;
  const rest = wanted.slice(depth).join('/');
  return isFile(target) ? rest : `${rest}/**`;
}

/** @param {Row} row */
function folderOf({ path }) {
  return isFile(path) ? segments(path).slice(0, -1) : segments(path);
}

/** @param {string} path */
function segments(path) {
  return path.split('/');
}

/** @param {string} path */
function isFile(path) {
  return /\.\w+$/.test(path);
}
