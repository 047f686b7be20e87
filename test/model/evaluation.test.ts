import { expect, test } from 'bun:test';
import { coverageOf, MORE_GROUND_TRUTH } from './evaluation/coverage.ts';

const SEED = 'evaluation';
const RUNS = 20;
const ANSWERS = 4_000;
const TIMEOUT_MS = 120_000;

test(
  `in ${RUNS} runs from seed "${SEED}" the intervals hold the truth, and not without importance weights`,
  async () => {
    const { concluded, ...held } = await coverageOf(MORE_GROUND_TRUTH, SEED, RUNS, ANSWERS);
    expect(concluded).toBeGreaterThanOrEqual(RUNS / 2);
    expect(held.snips / concluded).toBeGreaterThanOrEqual(0.88);
    expect(held.doublyRobust / concluded).toBeGreaterThanOrEqual(0.88);
    expect(held.unweighted / concluded).toBeLessThan(0.7);
  },
  TIMEOUT_MS,
);
