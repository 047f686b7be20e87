/**
 * Who may import whom: the end of the architecture document as a table. What is not listed is forbidden, type-only
 * imports included. Where a rule proves wrong, change it here and there in one commit that gives the reason.
 */
export type Room = {
  /** A folder with everything beneath it, or one file. `*` stands for one folder: each such folder is a room of its own. */
  readonly room: string;
  /** Folders and files of ours, beside the room itself. */
  readonly mayImport: readonly string[];
  readonly outside: readonly Outside[];
};

/** What is not ours: modules built into the runtime (`node:…`, `bun:…`), declared packages, or one package by its name. */
export type Outside = 'built-in modules' | 'any package' | `package ${string}`;

const PURE: readonly Outside[] = [];
const BUILT_IN: readonly Outside[] = ['built-in modules'];
const ANY: readonly Outside[] = ['built-in modules', 'any package'];

const GRAMMAR = ['src/eventsourcing', 'src/ports'];
const EVERYTHING = ['src', 'projections', 'migrations', 'package.json'];
/** How questions add up their documents by group, and what an answer of that is. */
const SUMS = 'projections/grouping.ts';
/** How a list that is thinned out looks at no more than a bounded number of documents. */
const LISTS = 'projections/thinned.ts';
const READ_SIDE = ['projections/*/query.ts', 'projections/*/read-model.ts', SUMS];
const USE_CASES = ['src/application', 'src/recommend', 'src/supply', 'src/vouchers', 'src/webhooks', 'src/domain'];

export const ROOMS: readonly Room[] = [
  { room: 'src/eventsourcing', mayImport: [], outside: PURE },
  { room: 'src/ports', mayImport: ['src/eventsourcing'], outside: BUILT_IN },
  { room: 'src/domain', mayImport: GRAMMAR, outside: PURE },
  { room: 'src/actors', mayImport: GRAMMAR, outside: ANY },
  { room: 'src/application', mayImport: [...GRAMMAR, 'src/domain', 'src/actors'], outside: ANY },
  {
    room: 'src/recommend',
    mayImport: [...GRAMMAR, 'src/domain', 'src/actors', 'projections/*/read-model.ts'],
    outside: ANY,
  },
  { room: 'src/supply', mayImport: [...GRAMMAR, 'src/domain'], outside: ANY },
  { room: 'src/vouchers', mayImport: [...GRAMMAR, 'src/domain'], outside: ANY },
  // The mail to a receiver's owner is markup, like the voucher's: how texts become that is known in one place.
  { room: 'src/webhooks', mayImport: [...GRAMMAR, 'src/domain', 'src/actors', 'src/vouchers/html.ts'], outside: ANY },
  { room: 'src/http', mayImport: [...GRAMMAR, ...USE_CASES, ...READ_SIDE], outside: ANY },
  // The tools go through the REST API: they know the vocabulary of the domain, and no use case.
  { room: 'src/mcp', mayImport: ['src/domain'], outside: ANY },

  // A client of the service from outside: it knows the public contract, and what clients are told to copy.
  { room: 'src/journey', mayImport: ['src/ports', 'examples'], outside: BUILT_IN },

  // An adapter knows its port and the one thing it wraps.
  { room: 'src/adapters/sqlite', mayImport: GRAMMAR, outside: BUILT_IN },
  { room: 'src/adapters/memory', mayImport: GRAMMAR, outside: BUILT_IN },
  { room: 'src/adapters/system', mayImport: GRAMMAR, outside: [...BUILT_IN, 'package pino'] },
  { room: 'src/adapters/http', mayImport: GRAMMAR, outside: BUILT_IN },
  { room: 'src/adapters/open-meteo', mayImport: GRAMMAR, outside: BUILT_IN },
  { room: 'src/adapters/eventstoredb', mayImport: GRAMMAR, outside: [...BUILT_IN, 'package @eventstore/db-client'] },
  { room: 'src/adapters/mongodb', mayImport: GRAMMAR, outside: [...BUILT_IN, 'package mongodb'] },
  { room: 'src/adapters/smtp', mayImport: GRAMMAR, outside: [...BUILT_IN, 'package nodemailer'] },

  // One folder per question, which knows no other, how to add up and how to list. The files above the folders run them: their room
  // is all of it.
  { room: 'projections/*', mayImport: [...GRAMMAR, 'src/domain', SUMS, LISTS], outside: BUILT_IN },
  { room: 'projections', mayImport: [...GRAMMAR, 'src/domain'], outside: BUILT_IN },
  { room: 'migrations', mayImport: [...GRAMMAR, 'src/adapters/mongodb', 'projections'], outside: ANY },

  { room: 'src/roles', mayImport: EVERYTHING, outside: ANY },
  { room: 'src/main.ts', mayImport: EVERYTHING, outside: ANY },
  { room: 'src/cli.ts', mayImport: EVERYTHING, outside: ANY },
  { room: 'src/config.ts', mayImport: EVERYTHING, outside: ANY },
];

/** Modules that only these rooms may name, whatever the table above grants. A trailing star stands for a whole scope. */
export const RESERVED: Readonly<Record<string, readonly string[]>> = {
  elysia: ['src/http'],
  '@elysiajs/*': ['src/http'],
  'bun:sqlite': ['src/adapters/sqlite'],
  '@modelcontextprotocol/*': ['src/mcp'],
  'bun:test': [],
  '@eventstore/db-client': ['src/adapters/eventstoredb'],
  mongodb: ['src/adapters/mongodb'],
  nodemailer: ['src/adapters/smtp'],
};

/** Deciding and folding are pure: the same input gives the same output, on every node and at every replay. */
export const PURE_FILES = [
  'src/eventsourcing',
  'src/domain',
  'src/webhooks/public-event.ts',
  'projections/*/projection.ts',
  'projections/*/read-model.ts',
];

/** What pure code never says, as it stands in code (comments and strings are not looked at). */
export const IMPURITIES: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  {
    pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())/,
    instead: 'the time comes in with the command',
  },
  { pattern: /\bMath\s*\.\s*random\b|(?<![.\w])crypto\s*\./, instead: 'ids and randomness come in with the command' },
  { pattern: /\basync\b|\bawait\b|\bPromise\b/, instead: 'nothing is waited for' },
  { pattern: /(?<![.\w])(?:setTimeout|setInterval|queueMicrotask|fetch)\s*\(/, instead: 'nothing is started' },
  { pattern: /(?<![.\w])(?:process|Bun|console|performance|globalThis)\s*\./, instead: 'the world outside is unknown' },
];
