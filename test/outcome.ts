/** How a run of `bun test` ended. `problem` says why its numbers cannot be trusted; it counts as one failure more. */
export type Outcome = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly problem: string | null;
};

/**
 * Reads the closing lines that `bun test` writes. A run that ended without them, that exited with an error nobody
 * counted, or that ran fewer files than there are did not prove anything, whatever its exit code says: a test that
 * calls `process.exit(0)` ends the runner with code 0 and with the tests behind it unrun.
 *
 * @param expectedFiles the number of test files that should run; null where arguments select among them
 */
export function outcomeOf(output: string, exitCode: number, expectedFiles: number | null): Outcome {
  const lines = Bun.stripANSI(output).trimEnd().split('\n');
  const end = lines.findLastIndex((line) => /^Ran \d+ tests? across \d+ files?\./.test(line));
  const count = (what: string): number => countBefore(lines, end, what);
  const counted = { passed: count('pass'), failed: count('fail'), skipped: count('skip') + count('todo') };
  const files = Number(/across (\d+) file/.exec(lines[end] ?? '')?.[1] ?? 0);
  const problem = problemOf({ ...counted, ended: end >= 0, files }, exitCode, expectedFiles);
  return { ...counted, failed: counted.failed + (problem === null ? 0 : 1), problem };
}

type Run = { passed: number; failed: number; ended: boolean; files: number };

function problemOf(run: Run, exitCode: number, expectedFiles: number | null): string | null {
  if (!run.ended) return `the runner ended with code ${exitCode} before it had counted its tests`;
  if (run.passed + run.failed === 0) return 'no test ran';
  if (expectedFiles !== null && run.files !== expectedFiles) return `${run.files} of ${expectedFiles} test files ran`;
  if (run.failed === 0 && exitCode !== 0) return `the runner ended with code ${exitCode}, though no test failed`;
  if (run.failed > 0 && exitCode === 0) return 'the runner ended with code 0, though tests failed';
  return null;
}

/** The numbers stand in the lines right above the last one: ` 12 pass`. */
function countBefore(lines: readonly string[], end: number, what: string): number {
  const pattern = new RegExp(`^ *(\\d+) ${what}$`);
  for (const line of lines.slice(Math.max(0, end - 8), Math.max(0, end))) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return Number(found);
  }
  return 0;
}
