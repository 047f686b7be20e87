/**
 * The rules of the linter, with the table of imports from oxlint.imports.mjs. `bun run check lint` runs them; the
 * programs of this project read no other linter configuration. Each rule about tests, purity and imports is shown to
 * refuse something in test/unit/repository/lint.test.ts.
 */
import { importOverrides } from './oxlint.imports.mjs';

/**
 * Files of more than 300 lines, with the number that each may have. A number only ever falls.
 *
 * @type {Readonly<Record<string, number>>}
 */
export const LONG_FILES = {
  'test/chaos/kill/ledger.ts': 328,
  'test/chaos/start-stop.test.ts': 394,
  'test/chaos/unfinished.test.ts': 313,
  'test/contract/event-store.sqlite.test.ts': 313,
  'test/http/analytics/analytics.test.ts': 304,
  'test/http/booking/cancel.test.ts': 353,
  'test/http/hold/holds.test.ts': 316,
  'test/http/inventory/inventory.test.ts': 338,
  'test/http/key/keys.test.ts': 326,
  'test/http/key/limits.test.ts': 359,
  'test/http/mcp/mcp.test.ts': 366,
  'test/http/recommend/recommend.test.ts': 313,
  'test/http/voucher/verify.test.ts': 366,
  'test/http/voucher/voucher-mail.test.ts': 308,
  'test/http/webhook/webhooks.suspension.test.ts': 349,
  'test/model/interleavings.test.ts': 350,
  'test/support/service.ts': 322,
  'test/unit/adapters/open-meteo.test.ts': 361,
  'test/unit/domain/booking-lifecycle.test.ts': 368,
  'test/unit/domain/booking-modify.test.ts': 363,
  'test/unit/domain/decided-twice.test.ts': 350,
  'test/unit/processes/deliver-webhooks.test.ts': 330,
  'test/unit/recommend/rank.test.ts': 331,
  'test/unit/recommend/reasons.test.ts': 303,
  'test/unit/runtime/lease.test.ts': 310,
};

/** Deciding and folding are pure: the same input gives the same output, on every node and at every replay. */
export const PURE_FILES = [
  'src/eventsourcing/**',
  'src/collections/**',
  'src/domain/**',
  'src/processes/*/process-manager.ts',
  'src/processes/pending-mails.ts',
  'src/webhooks/public-event.ts',
  'projections/*/projection.ts',
  'projections/*/read-model.ts',
];

const TIME = 'The time comes in with the command.';
const RANDOMNESS = 'Ids and randomness come in with the command.';
const EFFECT = 'Pure code starts nothing and waits for nothing.';
const OUTSIDE = 'Pure code knows nothing outside its arguments.';
const REAL_TIME = 'Move the clock of test/support/clock.ts instead.';
const SLEEPS = [
  { object: 'globalThis', property: 'setTimeout', message: REAL_TIME },
  ...['sleep', 'sleepSync'].map((property) => ({ object: 'Bun', property, message: REAL_TIME })),
];
const ENVIRONMENT = { object: 'Bun', property: 'env', message: 'Settings come in through src/config.ts.' };

export default {
  // What is not ours is not linted, also where it is a link that .gitignore does not match.
  ignorePatterns: ['node_modules', 'data', '.cache'],
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'node'],
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    // Control flow that says what it does.
    'array-callback-return': 'error',
    'default-case-last': 'error',
    // Workers are not windows: their postMessage has no target origin.
    'unicorn/require-post-message-target-origin': 'off',
    eqeqeq: 'error',
    'no-constructor-return': 'error',
    'no-empty': 'error',
    'no-fallthrough': 'error',
    'no-new-func': 'error',
    'no-param-reassign': 'error',
    'no-return-assign': 'error',
    'no-self-compare': 'error',
    'no-sequences': 'error',
    'no-useless-assignment': 'error',
    'no-var': 'error',
    'object-shorthand': 'error',
    'prefer-const': 'error',
    radix: 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],

    // Size: the hard limits behind "files to about 300 lines, functions to about 70".
    'max-lines': ['error', { max: 300 }],
    complexity: ['error', { max: 20 }],
    'max-depth': ['error', { max: 4 }],
    'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }],
    'max-params': ['error', { max: 5 }],

    // Promises and faults: none is lost.
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/prefer-promise-reject-errors': 'error',
    'typescript/return-await': ['error', 'in-try-catch'],
    'typescript/use-unknown-in-catch-callback-variable': 'error',
    'unicorn/error-message': 'error',
    'unicorn/throw-new-error': 'error',

    // Types: no hole in them.
    'typescript/ban-ts-comment': ['error', { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true }],
    'typescript/no-deprecated': 'error',
    'typescript/no-dynamic-delete': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-function-type': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',

    // Imports: importing a module does nothing, and its names are the same everywhere.
    'import/first': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'import/no-duplicates': 'error',
    'import/no-dynamic-require': ['error', { esmodule: true }],
    'import/no-mutable-exports': 'error',
    'import/no-unassigned-import': 'error',
    'typescript/consistent-type-exports': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-import-type-side-effects': 'error',
    'typescript/no-namespace': 'error',
    'typescript/no-require-imports': 'error',
    'unicorn/prefer-node-protocol': 'error',

    // The world outside comes in through config and ports.
    'no-console': 'error',
    'no-restricted-properties': ['error', ENVIRONMENT],
    'node/no-process-env': 'error',
    'unicorn/no-process-exit': 'error',

    // One way to write a thing.
    'typescript/array-type': ['error', { default: 'array' }],
    'typescript/no-inferrable-types': 'error',
    'typescript/prefer-find': 'error',
    'typescript/prefer-for-of': 'error',
    'typescript/prefer-includes': 'error',
    'typescript/prefer-nullish-coalescing': 'error',
    'typescript/prefer-optional-chain': 'error',
    'typescript/prefer-readonly': 'error',
    'typescript/prefer-string-starts-ends-with': 'error',
    'typescript/unified-signatures': 'error',
    // The reason of a suppression is required by `bun run check text`.
    'unicorn/no-abusive-eslint-disable': 'error',
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'anywhere' }],

    // Off, each for a reason: a brand is an assertion; an AbortSignal changes under a loop; a fresh array may be sorted
    // in place; a small function may stand where it is used; TypeScript's rule of this name sees more; fast-check is
    // imported as `fc`.
    'typescript/no-unsafe-type-assertion': 'off',
    'no-unmodified-loop-condition': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/prefer-string-starts-ends-with': 'off',
    'import/no-named-as-default-member': 'off',
  },
  overrides: [
    ...importOverrides(),
    {
      files: PURE_FILES,
      rules: {
        // `bun run check text` refuses `new Date()`.
        'no-restricted-globals': [
          'error',
          ...['Bun', 'console', 'globalThis', 'performance', 'process'].map((name) => ({ name, message: OUTSIDE })),
          ...['Promise', 'fetch', 'queueMicrotask', 'setInterval', 'setTimeout'].map((name) => ({
            name,
            message: EFFECT,
          })),
          { name: 'crypto', message: RANDOMNESS },
        ],
        'no-restricted-properties': [
          'error',
          { object: 'Date', property: 'now', message: TIME },
          { object: 'Math', property: 'random', message: RANDOMNESS },
        ],
        'node/no-top-level-await': 'error',
        'oxc/no-async-await': 'error',
        'typescript/no-restricted-types': ['error', { types: { Promise: EFFECT, PromiseLike: EFFECT } }],
      },
    },
    {
      files: ['src/main.ts', 'src/cli/**'],
      rules: { 'no-console': 'off', 'node/no-process-env': 'off', 'unicorn/no-process-exit': 'off' },
    },
    { files: ['src/config.ts'], rules: { 'node/no-process-env': 'off' } },
    {
      // An answer's body is `any` to its test, which compares it as a whole; a `describe` is as long as its cases.
      files: ['test/**'],
      rules: {
        'no-restricted-globals': ['error', { name: 'setTimeout', message: REAL_TIME }],
        'no-restricted-imports': [
          'error',
          { patterns: [{ group: ['timers', 'timers/promises', 'node:timers', 'node:timers/*'], message: REAL_TIME }] },
        ],
        'no-restricted-properties': ['error', ENVIRONMENT, ...SLEEPS],
        'max-lines-per-function': 'off',
        'node/no-process-env': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
      },
    },
    {
      // Files with tests. A name listed in `allowObjects` is no part of the test runner.
      files: ['unit', 'http', 'contract', 'cluster', 'model', 'chaos', 'fuzz', 'e2e'].map((name) => `test/${name}/**`),
      rules: {
        'no-restricted-properties': [
          'error',
          ENVIRONMENT,
          ...SLEEPS,
          { property: 'only', allowObjects: ['lie'], message: 'Every test runs.' },
          { property: 'skip', allowObjects: ['foreign'], message: 'Every test runs.' },
          { property: 'todo', message: 'Every test runs.' },
          // Their types return nothing, so that no rule would see a missing `await`.
          { property: 'resolves', message: 'Await the promise, then compare.' },
          { property: 'rejects', allowObjects: ['assert'], message: 'Await the promise, then compare.' },
        ],
      },
    },
    {
      // Another process keeps its own time: when it is killed, and when its reaper runs. The EventStoreDB peer delays
      // answers and lets deadlines expire on request; no test waits for either.
      files: ['test/chaos/kill/real-time.ts', 'test/support/peers/eventstoredb/timers.mjs'],
      rules: { 'no-restricted-globals': 'off' },
    },
    {
      // JavaScript has no word for it.
      files: ['test/support/peers/**'],
      rules: { 'typescript/prefer-readonly': 'off' },
    },
    {
      // Programs that report to a terminal.
      files: ['test/*.ts', 'test/bench/**', 'test/e2e/smoke.ts', 'test/**/*.long.test.ts'],
      rules: { 'no-console': 'off', 'unicorn/no-process-exit': 'off' },
    },
    ...Object.entries(LONG_FILES).map(([file, max]) => ({ files: [file], rules: { 'max-lines': ['error', { max }] } })),
  ],
};
