import { expect, test } from 'bun:test';
import { fuzz, rarelySent } from './fuzzer.ts';

/** FUZZ_SEED repeats a run, or selects another one. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const REQUESTS = 6_000;
/** Only ends a run that hangs. */
const TIMEOUT_MS = 300_000;

test(
  `a real process answers ${REQUESTS} hostile requests as the API reference says, and leaks no secret`,
  async () => {
    process.stdout.write(`fuzz: FUZZ_SEED=${SEED}\n`);
    const { faults, figures } = await fuzz({ seed: SEED, requests: REQUESTS, progress: () => undefined });
    process.stdout.write(`fuzz: ${JSON.stringify(figures)}\n`);
    expect(faults).toEqual([]);
    // If every request were refused early, the test would prove nothing.
    const { malformed, statuses } = figures;
    expect(rarelySent(figures)).toEqual([]);
    expect([malformed > REQUESTS / 10, (statuses['200'] ?? 0) > REQUESTS / 5]).toEqual([true, true]);
  },
  TIMEOUT_MS,
);
