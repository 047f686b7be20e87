import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf } from '../../outcome.ts';
import { testFiles } from '../../run.ts';
import { SUITES, type Suite } from '../../suites.ts';
import { sourceFiles } from '../../support/files.ts';

// A run that proves nothing must fail. The files here are run by `bun test` itself.

const PASS = `test('a', () => {});`;
const ENDED = (code: number): string => `the runner ended with code ${code} before it had counted its tests`;

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true });
});

describe('a run fails when', () => {
  const runs: readonly (readonly [what: string, files: string[], expected: number, passed: number, problem: string])[] =
    [
      ['its only file has no test', [''], 1, 0, 'no test ran'],
      ['there is no file', [], 0, 0, ENDED(1)],
      ['a test ends the runner with code 0', [`${PASS} test('b', () => process.exit(0));`], 1, 0, ENDED(0)],
      ['a file is missing', [PASS], 3, 1, '1 of 3 test files ran'],
    ];
  test.each(runs)('%s', (_what, sources, expectedFiles, passed, problem) => {
    const cwd = mkdtempSync(join(tmpdir(), 'run-'));
    made.push(cwd);
    for (const [index, source] of sources.entries()) {
      writeFileSync(join(cwd, `${index}.test.ts`), `import { test } from 'bun:test';\n${source}`);
    }
    const { stderr, exitCode } = Bun.spawnSync([process.execPath, 'test'], { cwd, stdout: 'ignore', stderr: 'pipe' });
    const outcome = outcomeOf(stderr.toString(), exitCode, expectedFiles);
    expect(outcome).toEqual({ passed, failed: 1, skipped: 0, problem });
  });
});

test('every test file belongs to a suite', () => {
  const suites: readonly Suite[] = Object.values(SUITES);
  const run = new Set(suites.flatMap((suite) => testFiles(suite)));
  const tests = sourceFiles(['test']).filter((path) => path.endsWith('.test.ts'));
  expect(tests.filter((path) => !run.has(`./${path}`))).toEqual([]);
});
