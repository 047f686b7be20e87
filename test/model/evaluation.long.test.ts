import { expect, test } from 'bun:test';
import { coverageOf, MORE_GROUND_TRUTH, STEEPER_GROUND_TRUTH } from './evaluation/coverage.ts';

/** EVALUATION_SEED in the environment repeats a run; EVALUATION_RUNS makes it longer or shorter. */
const SEED = process.env['EVALUATION_SEED'] ?? String(Date.now() % 1_000_000);
const RUNS = Number(process.env['EVALUATION_RUNS'] ?? 1_000);
const ANSWERS = 4_000;
const TIMEOUT_MS = 3_600_000;

test.each([MORE_GROUND_TRUTH, STEEPER_GROUND_TRUTH])(
  `in ${RUNS} runs from seed "${SEED}" at least 92 % of the intervals of $name hold the truth`,
  async (target) => {
    const { concluded, snips, doublyRobust } = await coverageOf(target, SEED, RUNS, ANSWERS);
    process.stdout.write(`${target.name}: ${JSON.stringify({ concluded, snips, doublyRobust })}\n`);
    expect(snips / concluded).toBeGreaterThanOrEqual(0.92);
    expect(doublyRobust / concluded).toBeGreaterThanOrEqual(0.92);
  },
  TIMEOUT_MS,
);
