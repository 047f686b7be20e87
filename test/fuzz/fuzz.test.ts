import { expect, test } from 'bun:test';
import { attack } from './run.ts';

/** FUZZ_SEED in the environment repeats a run, or tries another one. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const REQUESTS = 3_000;
/** Far beyond what it takes on a slow core. */
const PATIENCE_MS = 300_000;

test(
  `given a real process, ${REQUESTS} requests made to break it are each answered as its API reference says, and show no secret`,
  async () => {
    process.stdout.write(`fuzz: FUZZ_SEED=${SEED}\n`);
    const { faults, figures } = await attack({ seed: SEED, requests: REQUESTS, progress: () => undefined });
    process.stdout.write(`fuzz: ${JSON.stringify(figures)}\n`);
    expect(faults).toEqual([]);
    // Requests that were all refused at the door would have proved nothing.
    const { aimed, malformed, statuses } = figures;
    expect(Object.entries(aimed).filter(([, times]) => times < REQUESTS / 100)).toEqual([]);
    expect([malformed > REQUESTS / 10, (statuses['200'] ?? 0) > REQUESTS / 5]).toEqual([true, true]);
  },
  PATIENCE_MS,
);
