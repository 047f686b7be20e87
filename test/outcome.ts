/** The result of `bun test`. `problem` says why its counts cannot be trusted; it counts as one more failure. */
export type Outcome = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly problem: string | null;
};

/**
 * Reads the summary that `bun test` prints. The exit code alone proves nothing: a test that calls `process.exit(0)` ends
 * the runner with code 0 before the remaining tests.
 *
 * @param expectedFiles the number of test files that should run; null if arguments select among them
 */
export function outcomeOf(output: string, exitCode: number, expectedFiles: number | null): Outcome {
  const summaries = Bun.stripANSI(output).matchAll(/((?:^.*\n){0,8})^Ran \d+ tests? across (\d+) files?\./gm);
  const summary = [...summaries].at(-1);
  const count = (what: string): number =>
    Number(new RegExp(`^ *(\\d+) ${what}$`, 'm').exec(summary?.[1] ?? '')?.[1] ?? 0);
  const [passed, failed, skipped] = [count('pass'), count('fail'), count('skip') + count('todo')];
  const files = Number(summary?.[2]);
  const problem = problemOf();
  return { passed, failed: failed + (problem === null ? 0 : 1), skipped, problem };

  function problemOf(): string | null {
    if (summary === undefined) return `the runner ended with code ${exitCode} before it had counted its tests`;
    if (passed + failed === 0) return 'no test ran';
    if (expectedFiles !== null && files !== expectedFiles) return `${files} of ${expectedFiles} test files ran`;
    if (failed === 0 && exitCode !== 0) return `the runner ended with code ${exitCode}, but no test failed`;
    if (failed > 0 && exitCode === 0) return 'the runner ended with code 0, but tests failed';
    return null;
  }
}
