import { expect, test } from 'bun:test';
import { coverageOf, MORE_GROUND_TRUTH, STEEPER_GROUND_TRUTH } from './evaluation/coverage.ts';

const SEED = 'evaluation';
const RUNS = 25;
const ANSWERS = 6_000;
const TIMEOUT_MS = 60_000;

test.each([MORE_GROUND_TRUTH, STEEPER_GROUND_TRUTH])(
  `in ${RUNS} runs from seed "${SEED}" the 95 % intervals of $name hold the truth, and not without importance weights`,
  async (target) => {
    const { concluded, snips, doublyRobust, unweighted } = await coverageOf(target, SEED, RUNS, ANSWERS);
    expect(concluded).toBeGreaterThanOrEqual(RUNS / 2);
    expect(snips / concluded).toBeGreaterThanOrEqual(0.88);
    expect(doublyRobust / concluded).toBeGreaterThanOrEqual(0.88);
    expect(unweighted / concluded).toBeLessThan(0.7);
  },
  TIMEOUT_MS,
);
