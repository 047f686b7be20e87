import { expect, test } from 'bun:test';
import { attack } from './run.ts';

/** FUZZ_SEED and FUZZ_REQUESTS in the environment repeat a run, or make it longer. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 24_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
/** A tenth of what it would be, were a tenth of the bodies and answers kept. */
const MOST_MB = 600;
const PATIENCE_MS = 1_800_000;

test(
  `given a real process, ${REQUESTS} requests made to break it are each answered as its API reference says, show no secret, and leave it no larger`,
  async () => {
    process.stdout.write(`fuzz: FUZZ_SEED=${SEED}\n`);
    const progress = (line: string): void => void process.stdout.write(`fuzz: ${line}\n`);
    const { faults, figures } = await attack({ seed: SEED, requests: REQUESTS, progress });
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
    expect(faults).toEqual([]);
    const { requests, aimed, malformed, statuses } = figures;
    expect(requests).toBe(REQUESTS);
    expect(Object.entries(aimed).filter(([, times]) => times < REQUESTS / 100)).toEqual([]);
    expect([malformed > REQUESTS / 10, (statuses['200'] ?? 0) > REQUESTS / 5]).toEqual([true, true]);
    expect(Math.max(...figures.memoryMb)).toBeLessThan(MOST_MB);
  },
  PATIENCE_MS,
);
