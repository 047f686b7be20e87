import { afterAll, describe, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import config from '../../../oxlint.config.mjs';
import { importOverrides, RESERVED, ROWS } from '../../../oxlint.imports.mjs';
import { projectFiles, ROOT } from '../../support/files.ts';

/** A file of the scratch project; `N` in its path is replaced by a number of its own. */
type Case = readonly [path: string, source: string];

const IMPORTS = 'eslint(no-restricted-imports)';

const REFUSED_IMPORTS: readonly Case[] = [
  // Each form of an import.
  ['src/domain/x/N.ts', `import { a } from '../../application/b.ts';`],
  ['src/domain/x/N.ts', `import type { A } from '../../application/b.ts';`],
  ['src/domain/x/N.ts', `import '../../application/b.ts';`],
  ['src/domain/x/N.ts', `export { a } from '../../application/b.ts';`],
  ['src/domain/x/N.ts', `export type { A } from '../../application/b.ts';`],
  ['src/domain/x/N.ts', `export * from '../../application/b.ts';`],
  ['src/domain/x/N.ts', `export const a = () => import('../../application/b.ts');`],
  // Each depth, and paths with a detour.
  ['src/domain/N.ts', `export * from '../application/b.ts';`],
  ['src/domain/x/y/N.ts', `export * from '../../../application/b.ts';`],
  ['src/domain/x/y/z/N.ts', `export * from '../../../../application/b.ts';`],
  ['src/domain/x/y/z/deep/N.ts', `export * from './b.ts';`],
  ['src/domain/x/N.ts', `export * from './../../application/b.ts';`],
  ['src/domain/x/N.ts', `export * from '../y/../../application/b.ts';`],
  ['src/domain/x/N.ts', `export * from '../../ports/../application/b.ts';`],
  ['src/domain/x/N.ts', `export * from '../../../src/ports/b.ts';`],
  ['src/domain/x/N.ts', `export * from '../../../../b.ts';`],
  ['src/domain/x/N.ts', `export * from '/src/ports/b.ts';`],
  ['src/domain/x/N.ts', `export * from '#ports/b.ts';`],
  ['src/domain/x/N.ts', `export * from '../..';`],
  ['src/domain/x/N.ts', `export * from '..';`],
  ['src/domain/x/N.ts', `export * from '.';`],
  // Rows of the table.
  ['src/eventsourcing/N.ts', `export type { A } from '../ports/b.ts';`],
  ['src/eventsourcing/N.ts', `export * from 'node:fs';`],
  ['src/ports/N.ts', `export type { A } from 'pino';`],
  ['src/domain/x/N.ts', `export * from 'typebox';`],
  ['src/domain/x/N.ts', `export * from '../../domains/b.ts';`],
  ['src/actors/N.ts', `export type { A } from '../domain/b.ts';`],
  ['src/application/N.ts', `export * from '../adapters/sqlite/b.ts';`],
  ['src/application/N.ts', `export { Elysia } from 'elysia';`],
  ['src/recommend/N.ts', `export * from '../../projections/rates/query.ts';`],
  ['src/http/N.ts', `export * from '../../projections/rates/projection.ts';`],
  ['src/http/N.ts', `export * from '../../projections/rates/deep/query.ts';`],
  ['src/mcp/N.ts', `export * from '@elysiajs/openapi/deep';`],
  ['src/adapters/sqlite/N.ts', `export * from '../mongodb/b.ts';`],
  ['src/adapters/sqlite/N.ts', `export * from 'mongodb';`],
  ['src/app/N.ts', `export { Database } from 'bun:sqlite';`],
  ['src/app/N.ts', `export { test } from 'bun:test';`],
  ['src/http/N.ts', `export { Type } from '@sinclair/typebox';`],
  ['src/app/N.ts', `export * from '../../test/support/b.ts';`],
  ['src/app/N.ts', `export * from 'fs';`],
  ['src/app/N.ts', `export * from 'left-pad';`],
  ['projections/rates/N.ts', `export * from '../sales/read-model.ts';`],
  ['projections/rates/N.ts', `export * from '../index.ts';`],
  ['migrations/N.ts', `export * from '../src/adapters/sqlite/b.ts';`],
  ['examples/N.ts', `export * from '../src/vouchers/b.ts';`],
  ['src/unlisted/N.ts', `export * from './b.ts';`],
  ['src/N.ts', `export * from './ports/b.ts';`],
];

const PERMITTED_IMPORTS: readonly Case[] = [
  ['src/eventsourcing/N.ts', `export type { A } from './codec.ts';`],
  ['src/ports/N.ts', `export type { A } from '../eventsourcing/message.ts'; export * from 'node:fs/promises';`],
  ['src/domain/booking/N.ts', `export * from '../activity/price.ts'; export type { B } from '../../ports/clock.ts';`],
  ['src/domain/booking/deep/N.ts', `export * from '../../activity/price.ts'; export * from '../../../ports/clock.ts';`],
  ['src/recommend/N.ts', `export type { A } from '../../projections/rates/read-model.ts';`],
  ['src/http/booking/N.ts', `export * from 'elysia'; export * from '../../../projections/rates/query.ts';`],
  ['src/http/N.ts', `export * from '@elysiajs/openapi/deep'; export * from '../domain/activity/price.ts';`],
  ['src/adapters/sqlite/N.ts', `export { Database } from 'bun:sqlite'; export * from './rows.ts';`],
  ['src/adapters/mongodb/N.ts', `export { MongoClient } from 'mongodb';`],
  ['projections/rates/N.ts', `export * from '../grouping.ts'; export * from '../../src/domain/activity/price.ts';`],
  ['projections/N.ts', `export * from './rates/query.ts'; export * from '../src/ports/clock.ts';`],
  ['migrations/N.ts', `export * from '../src/adapters/mongodb/store.ts'; export * from '../projections/index.ts';`],
  ['src/cli/N.ts', `export * from '../adapters/sqlite/store.ts'; export * from '../../package.json';`],
  ['src/main.ts', `export * from './cli/serve.ts'; export * from '../package.json';`],
];

const PURE = 'src/domain/N.ts';
const TEST = 'test/unit/N.test.ts';

const REFUSED: readonly (readonly [rule: string, ...Case])[] = [
  ['import(no-dynamic-require)', 'src/app/N.ts', 'export const a = (name: string) => import(name);'],
  ['typescript(consistent-type-imports)', PURE, `export type A = import('bun').B;`],
  ['typescript(no-require-imports)', PURE, `import a = require('x'); export { a };`],
  ['import(no-cycle)', 'src/ports/circle-a.ts', `import type { B } from './circle-b.ts'; export type A = B;`],
  ['import(no-cycle)', 'src/ports/circle-b.ts', `export * from './circle-c.ts'; export type B = 1;`],
  ['import(no-cycle)', 'src/ports/circle-c.ts', `import { type A } from './circle-a.ts'; export const c: A = 1;`],

  ['eslint(no-restricted-properties)', PURE, 'export const a = Date.now();'],
  ['eslint(no-restricted-properties)', PURE, 'export const a = Math.random();'],
  ['eslint(no-restricted-properties)', PURE, 'export const { now } = Date;'],
  ['eslint(no-restricted-globals)', PURE, 'export const a = crypto.randomUUID();'],
  ['eslint(no-restricted-globals)', PURE, 'export const a = fetch;'],
  ['eslint(no-restricted-globals)', PURE, 'setTimeout(() => undefined, 1);'],
  ['eslint(no-restricted-globals)', PURE, 'export const a = process.env;'],
  ['eslint(no-restricted-globals)', PURE, 'export const a = Bun.hash("a");'],
  ['eslint(no-restricted-globals)', PURE, 'export const a = `${console}`;'],
  ['eslint(no-restricted-globals)', PURE, 'export const a = Promise.resolve();'],
  ['typescript(no-restricted-types)', PURE, 'export type A = Promise<void>;'],
  ['oxc(no-async-await)', PURE, 'export async function a() {}'],
  ['node(no-top-level-await)', PURE, 'export const a = await b;'],
  ['eslint(no-restricted-properties)', 'projections/N/projection.ts', 'export const a = Date.now();'],
  ['eslint(no-restricted-properties)', 'src/processes/N/process-manager.ts', 'export const a = Date.now();'],

  ['typescript(no-explicit-any)', TEST, 'export const a = b as any;'],
  ['typescript(ban-ts-comment)', TEST, '// @ts-expect-error because\nexport const a: string = 1;'],
  ['eslint(no-warning-comments)', TEST, '// later: TODO'],
  ['eslint(no-restricted-properties)', TEST, 'test.skip("a", b);'],
  ['eslint(no-restricted-properties)', TEST, 'test.todo("a");'],
  ['eslint(no-restricted-properties)', TEST, 'describe.concurrent.only("a", b);'],
  ['eslint(no-restricted-properties)', TEST, 'expect(a()).resolves.toBe(1);'],
  ['eslint(no-restricted-properties)', TEST, 'expect(a()).rejects.not.toThrow();'],
  ['eslint(no-restricted-properties)', TEST, 'Bun.sleepSync(1);'],
  ['eslint(no-restricted-globals)', TEST, 'setTimeout(a, 1);'],
  ['eslint(no-restricted-globals)', 'test/support/peers/N.mjs', 'setTimeout(a, 1);'],
  [IMPORTS, TEST, `import { setTimeout as pause } from 'node:timers/promises';`],

  ['typescript(no-floating-promises)', 'src/app/N.ts', 'export const a = async () => 1;\na();'],
  ['typescript(no-misused-promises)', 'src/app/N.ts', '[1].forEach(async () => Promise.resolve());'],
  ['typescript(no-unsafe-assignment)', 'src/app/N.ts', 'export const a: { b: string } = JSON.parse("{}");'],
  ['typescript(only-throw-error)', 'src/app/N.ts', 'throw "a";'],
  ['eslint(no-console)', 'src/app/N.ts', 'console.log(1);'],
  ['node(no-process-env)', 'src/app/N.ts', 'export const a = process.env["A"];'],
  ['eslint(no-restricted-properties)', 'src/app/N.ts', 'export const a = Bun.env["A"];'],
  ['eslint(max-lines)', 'src/app/N.ts', '// one line\n'.repeat(301)],
];

const PERMITTED: readonly (readonly [rule: string, ...Case])[] = [
  ['eslint(no-restricted-properties)', PURE, 'export const a = Date.UTC(2026, 0, 1); // not Date.now()'],
  ['eslint(no-restricted-globals)', PURE, 'export const a = (b: { fetch: number }) => b.fetch;'],
  ['eslint(no-restricted-properties)', TEST, 'describe.skipIf(true)("a", b); // test.skip'],
  ['eslint(max-lines)', 'src/app/N.ts', '// one line\n'.repeat(300)],
  ['eslint(no-console)', 'src/cli/N.ts', 'console.log(1);'],
  ['node(no-process-env)', 'src/config.ts', 'export const a = process.env["A"];'],
];

describe('the linter', () => {
  const cases = [
    ...REFUSED_IMPORTS.map(([path, source]) => ({ rule: IMPORTS, refused: true, path, source })),
    ...PERMITTED_IMPORTS.map(([path, source]) => ({ rule: IMPORTS, refused: false, path, source })),
    ...REFUSED.map(([rule, path, source]) => ({ rule, refused: true, path, source })),
    ...PERMITTED.map(([rule, path, source]) => ({ rule, refused: false, path, source })),
  ].map((made, index) => ({ ...made, path: made.path.replace('N', `n${index}`) }));
  const project = mkdtempSync(join(tmpdir(), 'lint-'));
  afterAll(() => rmSync(project, { recursive: true }));
  const found = lint(project, cases);

  test.each(cases.map((made) => [made.refused ? 'refuses' : 'permits', made.source.split('\n')[0], made] as const))(
    '%s %s',
    (_verb, _source, { path, rule, refused }) => {
      const rules = found.flatMap((fault) => (fault.path === path ? [fault.rule] : []));
      expect({ path, rules, refused: rules.includes(rule) }).toEqual({ path, rules, refused });
    },
  );
});

test('each path that the rules name exists', () => {
  // The table of imports becomes overrides for every depth of its folders, most of which are empty.
  const overrides = config.overrides.slice(importOverrides().length).flatMap(({ files }) => files);
  const rows = [...ROWS.flatMap(({ path, mayImport }) => [path, ...mayImport]), ...Object.values(RESERVED).flat()];
  const named = [...new Set([...overrides, ...rows])];
  const files = projectFiles();
  const exists = (path: string): boolean =>
    [path, `${path}/**`].some((pattern) => files.some((file) => new Bun.Glob(pattern).match(file)));
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

function lint(project: string, files: readonly { path: string; source: string }[]): { path: string; rule: string }[] {
  for (const { path, source } of files) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), source);
  }
  for (const path of ['oxlint.config.mjs', 'oxlint.imports.mjs', 'tsconfig.json', 'package.json']) {
    copyFileSync(join(ROOT, path), join(project, path));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  const oxlint = join(ROOT, 'node_modules', '.bin', 'oxlint');
  const folders = ['src', 'projections', 'migrations', 'examples', 'test'];
  const options = ['--config', 'oxlint.config.mjs', '--type-aware', '--format=unix'];
  const { stdout } = Bun.spawnSync([oxlint, ...options, ...folders], { cwd: project, stdout: 'pipe' });
  const errors = stdout.toString().matchAll(/^([^:\n]+):\d+:\d+: .*\[Error\/(.+)\]$/gm);
  return [...errors].map(([, path = '', rule = '']) => ({ path, rule }));
}
