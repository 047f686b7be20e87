import { afterAll, describe, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Outcome, outcomeOf } from '../gate/outcome.ts';
import { isSuiteName, SUITES, type Suite } from '../gate/suites.ts';
import { ROOT, sourceFiles } from './files.ts';

// A gate that cannot fail proves nothing: here the gates meet what they must refuse, with the tools themselves.

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true });
});

describe('the count of a run', () => {
  const PASS = `test('a', () => {});`;
  const FAIL = `test('b', () => { throw new Error('b'); });`;

  test('is what the runner counted', () => {
    expect(
      run({ 'a.test.ts': PASS + FAIL, 'b.test.ts': `${PASS} test.skip('c', () => {}); test.todo('d');` }, 2),
    ).toEqual({
      passed: 2,
      failed: 1,
      skipped: 2,
      problem: null,
    });
  });

  test('is one failure when no test ran', () => {
    expect(run({ 'a.test.ts': '' }, 1)).toEqual({ passed: 0, failed: 1, skipped: 0, problem: 'no test ran' });
    const problem = 'the runner ended with code 1 before it had counted its tests';
    expect(run({}, 0)).toEqual({ passed: 0, failed: 1, skipped: 0, problem });
  });

  test('is one failure when a test ends the runner with code 0', () => {
    const problem = 'the runner ended with code 0 before it had counted its tests';
    expect(run({ 'a.test.ts': `${PASS} test('b', () => process.exit(0)); ${PASS}` }, 1)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      problem,
    });
  });

  test('includes a file that cannot be loaded', () => {
    const outcome = run({ 'a.test.ts': PASS, 'b.test.ts': `throw new Error('b');` }, 2);
    expect(outcome).toEqual({ passed: 1, failed: 1, skipped: 0, problem: null });
  });

  test('misses no file', () => {
    const outcome = run({ 'a.test.ts': PASS }, 3);
    expect(outcome).toEqual({ passed: 1, failed: 1, skipped: 0, problem: '1 of 3 test files ran' });
  });

  test('agrees with the exit code', () => {
    const closing = ' 2 pass\n 0 fail\n 2 expect() calls\nRan 2 tests across 1 file. [3.00ms]\n';
    expect(outcomeOf(closing, 0, null)).toEqual({ passed: 2, failed: 0, skipped: 0, problem: null });
    expect(outcomeOf(closing, 1, null).failed).toBe(1);
    expect(outcomeOf(closing.replace('0 fail', '1 fail'), 0, null).failed).toBe(2);
    expect(outcomeOf(`\u001B[32m${closing.replaceAll('\n', '\u001B[0m\n')}`, 0, null).passed).toBe(2);
  });

  function run(files: Readonly<Record<string, string>>, expected: number): Outcome {
    const sources = Object.entries(files).map(([path, source]) => [
      path,
      `import { test } from 'bun:test';\n${source}`,
    ]);
    const cwd = project(Object.fromEntries(sources));
    const { stderr, exitCode } = Bun.spawnSync([process.execPath, 'test'], { cwd, stdout: 'ignore', stderr: 'pipe' });
    return outcomeOf(stderr.toString(), exitCode, expected);
  }
});

test('every test file belongs to a suite', () => {
  const suites: readonly Suite[] = Object.values(SUITES);
  const run = suites.flatMap(({ folders }) => folders.map((folder) => `test/${folder}/`));
  const tests = sourceFiles(['test']).filter((path) => path.endsWith('.test.ts'));
  expect(tests.filter((path) => !run.some((folder) => path.startsWith(folder)))).toEqual([]);
  expect(isSuiteName('unit') && !isSuiteName('units')).toBe(true);
});

describe('the linter', () => {
  const lint = (files: Readonly<Record<string, string>>): string[] => {
    const cwd = project(files);
    for (const path of ['.oxlintrc.json', 'tsconfig.json']) copyFileSync(join(ROOT, path), join(cwd, path));
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    const oxlint = join(ROOT, 'node_modules', '.bin', 'oxlint');
    const { stdout } = Bun.spawnSync([oxlint, '--type-aware', '--format=unix', '.'], { cwd, stdout: 'pipe' });
    const errors = stdout.toString().matchAll(/^\.?\/?([^:]+):(\d+):\d+: .*\[Error\/(.+)\]$/gm);
    return [...errors].map(([, path, line, rule]) => `${path}:${line} ${rule}`).toSorted();
  };

  test('refuses lost promises, holes in the types, and the world outside', () => {
    const refused = [
      'export async function work(): Promise<number> {',
      '  work();',
      '  [1].forEach(async () => work());',
      '  const hole: any = 1;',
      '  const read: { a: string } = JSON.parse("{}");',
      '  console.log(hole, [read.a].at(0)!);',
      '  return Number(process.env["A"] ?? Bun.env["A"]);',
      '}',
      'export function unfinished(kind: "a" | "b"): number {',
      '  switch (kind) { case "a": return 1; }',
      '  throw "kind";',
      '}',
    ];
    expect(lint({ 'src/a.ts': refused.join('\n') })).toEqual([
      'src/a.ts:10 typescript(switch-exhaustiveness-check)',
      'src/a.ts:11 typescript(only-throw-error)',
      'src/a.ts:2 typescript(no-floating-promises)',
      'src/a.ts:3 typescript(no-misused-promises)',
      'src/a.ts:4 typescript(no-explicit-any)',
      'src/a.ts:5 typescript(no-unsafe-assignment)',
      'src/a.ts:6 eslint(no-console)',
      'src/a.ts:6 typescript(no-non-null-assertion)',
      'src/a.ts:7 eslint(no-restricted-properties)',
      'src/a.ts:7 node(no-process-env)',
    ]);
  });

  test('lets the command line speak, and configuration read its environment', () => {
    const cli = `console.log('ready');\nprocess.exit(1);\n`;
    expect(lint({ 'src/cli.ts': cli, 'src/config.ts': 'export const port = process.env["PORT"];\n' })).toEqual([]);
  });
});

function project(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'gate-'));
  made.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
