import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { isFile, ROOT, readSource, sourceFiles } from './files.ts';
import { covers, type Judgement, judge, roomOf } from './import-rules.ts';
import { RESERVED, ROOMS } from './rules.ts';
import { codeOnly } from './tokens.ts';

const JUDGED = ['src', 'projections', 'migrations'];

describe('the tree', () => {
  const sources = new Map(sourceFiles(JUDGED).map((path) => [path, readSource(path)]));
  const { faults, imports } = judge(sources, {
    rooms: ROOMS,
    reserved: RESERVED,
    packages: new Set(Object.keys(manifest.dependencies)),
    exists: (path) => isFile(join(ROOT, path)),
  });

  test('keeps every import rule', () => {
    expect(faults).toEqual([]);
  });

  test('was seen: dozens of files, and every room that holds one', () => {
    expect(sources.size).toBeGreaterThan(40);
    const seen = new Set([...sources.keys()].map((path) => roomOf(path, ROOMS)?.own));
    expect(roomsOnDisk().filter((room) => !seen.has(room))).toEqual([]);
  });

  test("was read: no import that begins a line, and none that Bun's own parser sees, is missing", () => {
    const parser = new Bun.Transpiler({ loader: 'ts' });
    const overlooked = [...sources].filter(([path, source]) => {
      const found = imports.get(path) ?? [];
      const program = source.replace(/^#!.*/, ''); // which that parser takes for a fault
      const specifiers = new Set(found.map(({ specifier }) => specifier));
      const lines = codeOnly(source).match(/^(?:import|export (?:type )?(?:\*|\{[^}]*\} from))\b/gm) ?? [];
      return lines.length > found.length || parser.scanImports(program).some((seen) => !specifiers.has(seen.path));
    });
    expect(overlooked.map(([path]) => path)).toEqual([]);
    expect([...imports.values()].flat().length).toBeGreaterThan(sources.size);
  });
});

describe('the judgement', () => {
  test('lets pass what the table grants', () => {
    const sources = {
      'src/eventsourcing/message.ts': `import type { A } from './codec.ts';`,
      'src/eventsourcing/codec.ts': '',
      'src/ports/clock.ts': `import type { A } from '../eventsourcing/message.ts'; import 'node:events';`,
      'src/domain/booking/decide.ts': `import { a } from '../activity/price.ts'; import type { B } from '../../ports/clock.ts';`,
      'src/domain/activity/price.ts': '',
      'src/recommend/rank.ts': `import type { A } from '../../projections/rates/read-model.ts';`,
      'src/http/bookings.ts': `import { Elysia } from 'elysia'; import { a } from '../../projections/rates/query.ts';`,
      'src/http/reference.ts': `import { openapi } from '@elysiajs/openapi/deep'; export * from '../domain/activity/price.ts';`,
      'src/adapters/sqlite/store.ts': `import { Database } from 'bun:sqlite'; import { a } from './rows.ts';`,
      'src/adapters/sqlite/rows.ts': `import 'node:fs';`,
      'src/adapters/mongodb/store.ts': `import { MongoClient } from 'mongodb';`,
      'projections/rates/read-model.ts': `import { a } from '../../src/domain/activity/price.ts';`,
      'projections/rates/query.ts': `import type { A } from './read-model.ts';`,
      'projections/index.ts': `export * from './rates/query.ts'; import './run.ts';`,
      'projections/run.ts': '',
      'migrations/0001-indexes.ts': `import '../src/adapters/mongodb/store.ts'; import '../projections/index.ts';`,
      'src/roles/serve.ts': `import '../adapters/sqlite/store.ts'; import '../http/bookings.ts'; import 'bun';`,
      'src/main.ts': `import { a } from './roles/serve.ts'; import { version } from '../package.json';`,
    };
    expect(faultsOf(sources, ['package.json'])).toEqual([]);
  });

  const forbidden: readonly (readonly [path: string, source: string, fault: string])[] = [
    [
      'src/eventsourcing/a.ts',
      `import type { A } from '../ports/b.ts';`,
      'src/eventsourcing may import nothing of ours',
    ],
    ['src/eventsourcing/a.ts', `import 'node:fs';`, 'src/eventsourcing may use nothing that is not ours'],
    ['src/ports/a.ts', `import type { A } from '../domain/b.ts';`, 'only src/eventsourcing'],
    ['src/ports/a.ts', `import type { A } from 'pino';`, 'src/ports may use built-in modules'],
    ['src/domain/x/a.ts', `import type { A } from '../../actors/b.ts';`, 'src/domain may import only'],
    ['src/domain/x/a.ts', `export type { A } from '../../application/b.ts';`, 'src/domain may import only'],
    ['src/domain/x/a.ts', `type A = import('bun').B;`, 'src/domain may use nothing that is not ours'],
    ['src/domain/x/a.ts', `import { Type } from 'typebox';`, 'src/domain may use nothing that is not ours'],
    ['src/actors/a.ts', `import type { A } from '../domain/b.ts';`, 'src/actors may import only'],
    ['src/application/a.ts', `import '../adapters/sqlite/b.ts';`, 'src/application may import only'],
    ['src/application/a.ts', `import { Elysia } from 'elysia';`, 'only src/http may'],
    ['src/recommend/a.ts', `import '../../projections/rates/query.ts';`, 'src/recommend may import only'],
    ['src/supply/a.ts', `import type { A } from '../application/b.ts';`, 'src/supply may import only'],
    ['src/webhooks/a.ts', `import type { A } from '../vouchers/b.ts';`, 'src/webhooks may import only'],
    ['src/http/a.ts', `import '../../projections/rates/projection.ts';`, 'src/http may import only'],
    ['src/http/a.ts', `import type { A } from '../actors/b.ts';`, 'src/http may import only'],
    ['src/mcp/a.ts', `import '../http/b.ts';`, 'src/mcp may import only'],
    ['src/mcp/a.ts', `import '@elysiajs/openapi';`, 'only src/http may'],
    ['src/adapters/sqlite/a.ts', `import '../mongodb/b.ts';`, 'src/adapters/sqlite may import only'],
    ['src/adapters/sqlite/a.ts', `import 'mongodb';`, 'only src/adapters/mongodb may'],
    ['src/adapters/sqlite/a.ts', `import pino from 'pino';`, 'src/adapters/sqlite may use built-in modules'],
    ['src/adapters/sqlite/a.ts', `import '../../domain/b.ts';`, 'src/adapters/sqlite may import only'],
    ['src/roles/a.ts', `import { Database } from 'bun:sqlite';`, 'only src/adapters/sqlite may'],
    ['src/roles/a.ts', `import { a } from '../../test/support/b.ts';`, 'src/roles may import only'],
    ['src/roles/a.ts', `import { test } from 'bun:test';`, 'which no room may'],
    ['projections/rates/query.ts', `import '../sales/read-model.ts';`, 'projections/* may import only'],
    ['projections/rates/query.ts', `import '../index.ts';`, 'projections/* may import only'],
    ['projections/rates/query.ts', `import type { A } from 'mongodb';`, 'only src/adapters/mongodb may'],
    ['migrations/0001-a.ts', `import '../src/adapters/sqlite/b.ts';`, 'migrations may import only'],
    ['src/main.ts', `import 'left-pad';`, 'package.json does not declare'],
    ['src/main.ts', `import fs from 'fs';`, 'package.json does not declare'],
    ['src/main.ts', `import { a } from 'src/roles/b.ts';`, 'package.json does not declare'],
    ['src/main.ts', `import '/src/roles/b.ts';`, 'by a path that is not relative'],
    ['src/main.ts', 'import(`./${name}.ts`);', 'computes what it imports'],
    ['src/other.ts', '', 'stands in no room'],
    ['src/adapters/other.ts', '', 'stands in no room'],
    ['src/adapters/redis/store.ts', '', 'stands in no room'],
    ['src/extra/a.ts', '', 'stands in no room'],
  ];
  test.each(forbidden)('%s: %s', (path, source, fault) => {
    const targets = [...source.matchAll(/'(\.[^']*)'/g)].map((match) => join(path, '..', match[1] ?? ''));
    const [found, ...more] = faultsOf({ [path]: source }, targets);
    expect(found).toStartWith(path);
    expect(found).toContain(fault);
    expect(more).toEqual([]);
  });

  test('names the line, and a file that is not there', () => {
    expect(faultsOf({ 'src/ports/a.ts': `\nimport type { A } from '../eventsourcing/gone.ts';` })).toEqual([
      'src/ports/a.ts:2 imports src/eventsourcing/gone.ts, which does not exist',
    ]);
  });

  test('names files that import each other in a circle, types included', () => {
    const sources = {
      'src/domain/a.ts': `import type { B } from './b.ts';`,
      'src/domain/b.ts': `export * from './c.ts'; import './d.ts';`,
      'src/domain/c.ts': `import { a } from './a.ts';`,
      'src/domain/d.ts': '',
    };
    expect(faultsOf(sources)).toEqual([
      'these files import each other in a circle: src/domain/a.ts → src/domain/b.ts → src/domain/c.ts → src/domain/a.ts',
    ]);
  });

  test('knows a folder from one whose name only begins the same', () => {
    expect(covers('src/domain', 'src/domains/a.ts')).toBe(false);
    expect(covers('projections/*/query.ts', 'projections/rates/query.ts')).toBe(true);
    expect(covers('projections/*/query.ts', 'projections/rates/deep/query.ts')).toBe(false);
  });
});

/** Judged by the real table, with a few packages declared; the sources, and `others`, are the files that exist. */
function faultsOf(sources: Readonly<Record<string, string>>, others: readonly string[] = []): readonly string[] {
  const judgement: Judgement = {
    rooms: ROOMS,
    reserved: RESERVED,
    packages: new Set(['elysia', '@elysiajs/openapi', 'mongodb', 'pino', 'typebox']),
    exists: (path) => path in sources || others.includes(path),
  };
  return judge(new Map(Object.entries(sources)), judgement).faults;
}

/** Found by another way than the sources were: the folders themselves, as far as they hold a source file. */
function roomsOnDisk(): string[] {
  const folders = ROOMS.flatMap(({ room }) => {
    if (!room.endsWith('/*')) return [room];
    const parent = room.slice(0, -2);
    const inside = readdirSync(join(ROOT, parent), { withFileTypes: true });
    return inside.filter((entry) => entry.isDirectory()).map((entry) => `${parent}/${entry.name}`);
  });
  return folders.filter((room) => {
    if (room.endsWith('.ts')) return isFile(join(ROOT, room));
    const pattern = room === 'projections' ? `${room}/*.ts` : `${room}/**/*.ts`;
    return [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].length > 0;
  });
}
