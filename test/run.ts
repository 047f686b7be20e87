/**
 * Runs a suite and ends with one line, `N passed, N failed`; the exit code is 1 unless tests ran and all of them passed.
 *
 *     bun test/run.ts [--suite NAME] [paths under test/] [arguments of bun test]
 *
 * Paths replace the suite's own: `npm test -- test/unit/actors --bail`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, outcomeOf } from './outcome.ts';
import { isSuiteName, SUITES, type Suite } from './suites.ts';

const ROOT = join(import.meta.dir, '..');

/** What `bun test` takes for a test file. */
const TEST_FILES = new Bun.Glob('**/*{.test,_test,.spec,_spec}.{ts,tsx,js,jsx,mts,cts,mjs,cjs}');

export async function runSuite(name: keyof typeof SUITES, given: readonly string[]): Promise<Outcome> {
  const suite: Suite = SUITES[name];
  const paths = given.filter((argument) => /^(\.\/)?test\//.test(argument));
  const options = given.filter((argument) => !paths.includes(argument));
  const files = testFiles(suite);
  if (paths.length === 0 && files.length === 0) return nothingRan(`no test file in ${suite.folders.join(', ')}`);
  const selected = paths.length > 0 ? paths.map((path) => path.replace(/^(?!\.\/)/, './')) : files;
  const { output, exitCode } = await bunTest([...suite.options, ...options, ...selected]);
  return outcomeOf(output, exitCode, given.length === 0 ? files.length : null);
}

function nothingRan(problem: string): Outcome {
  return { passed: 0, failed: 1, skipped: 0, problem };
}

/** Paths with a leading dot: `bun test` takes a bare name for a part of a name. */
export function testFiles({ folders, without = [], long = false }: Suite): string[] {
  return folders
    .filter((folder) => existsSync(join(ROOT, 'test', folder)))
    .flatMap((folder) =>
      [...TEST_FILES.scanSync({ cwd: join(ROOT, 'test', folder) })].map((file) => `${folder}/${file}`),
    )
    .filter((file) => !without.some((left) => file.startsWith(`${left}/`)))
    .filter((file) => file.includes('.long.test.') === long)
    .toSorted()
    .map((file) => `./test/${file}`);
}

/** Lets the output through as it comes. `--no-orphans` ends what tests left running, and the tests if we are ended. */
async function bunTest(options: readonly string[]): Promise<{ output: string; exitCode: number }> {
  const child = Bun.spawn([process.execPath, 'test', '--no-orphans', ...options], {
    cwd: ROOT,
    env: process.stderr.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const decoder = new TextDecoder();
  let output = '';
  for await (const chunk of child.stderr) {
    output += decoder.decode(chunk, { stream: true });
    await Bun.write(Bun.stderr, chunk);
  }
  return { output, exitCode: await child.exited };
}

if (import.meta.main) {
  const given = Bun.argv.slice(2);
  const [suite = 'unit'] = given[0] === '--suite' ? given.splice(0, 2).slice(1) : [];
  if (!isSuiteName(suite))
    throw new Error(`there is no suite "${suite}"; there are: ${Object.keys(SUITES).join(', ')}`);
  const { passed, failed, skipped, problem } = await runSuite(suite, given);
  console.log();
  if (skipped > 0) console.log(`${suite}: ${skipped} skipped`);
  if (problem !== null) console.log(`${suite}: ${problem}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
