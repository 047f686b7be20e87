/**
 * Runs a suite and ends with one line, `N passed, N failed`; the exit code is 1 unless tests ran and all of them passed.
 *
 *     bun test/run.ts [--suite NAME] [paths under test/] [arguments of bun test]
 *
 * Paths replace the suite's own: `npm test -- test/unit/actors --bail`.
 */
import { join } from 'node:path';
import { type Outcome, outcomeOf } from './outcome.ts';
import { SUITES, type Suite } from './suites.ts';

export async function runSuite(suite: Suite, given: readonly string[]): Promise<Outcome> {
  const paths = given.filter((argument) => /^(\.\/)?test\//.test(argument));
  const options = given.filter((argument) => !paths.includes(argument));
  const files = testFiles(suite);
  const selected = paths.length > 0 ? paths.map((path) => path.replace(/^(?!\.\/)/, './')) : files;
  const { output, exitCode } = await bunTest([`--timeout=${suite.timeoutMs}`, ...options, ...selected]);
  return outcomeOf(output, exitCode, given.length === 0 ? files.length : null);
}

/** With a leading `./`: `bun test` matches other arguments against parts of file names. */
export function testFiles({ folders, without = [], long = false }: Suite): string[] {
  return folders
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.test.ts`).scanSync({ cwd: import.meta.dir })])
    .filter((file) => !without.some((folder) => file.startsWith(`${folder}/`)))
    .filter((file) => file.endsWith('.long.test.ts') === long)
    .toSorted()
    .map((file) => `./test/${file}`);
}

/** Passes the output on while it arrives. `--no-orphans` ends processes that tests left running. */
async function bunTest(options: readonly string[]): Promise<{ output: string; exitCode: number }> {
  const child = Bun.spawn([process.execPath, 'test', '--no-orphans', ...options], {
    cwd: join(import.meta.dir, '..'),
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
  const [name = 'unit'] = given[0] === '--suite' ? given.splice(0, 2).slice(1) : [];
  const suite = SUITES[name];
  if (suite === undefined) throw new Error(`"${name}" is not a suite; use one of ${Object.keys(SUITES).join(', ')}`);
  const { passed, failed, skipped, problem } = await runSuite(suite, given);
  console.log();
  if (skipped > 0) console.log(`${name}: ${skipped} skipped`);
  if (problem !== null) console.log(`${name}: ${problem}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
