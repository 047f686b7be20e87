import { expect, test } from 'bun:test';
import { fuzz, rarelySent } from './fuzzer.ts';

/** FUZZ_SEED and FUZZ_REQUESTS repeat a run, or make it longer. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 24_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
/** A leak of a tenth of all bodies and answers would need ten times as much. */
const MAX_MB = 600;
const TIMEOUT_MS = 1_800_000;

test(
  `a real process answers ${REQUESTS} hostile requests as the API reference says, leaks no secret, and does not grow`,
  async () => {
    process.stdout.write(`fuzz: FUZZ_SEED=${SEED}\n`);
    const progress = (line: string): void => void process.stdout.write(`fuzz: ${line}\n`);
    const { faults, figures } = await fuzz({ seed: SEED, requests: REQUESTS, progress });
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
    expect(faults).toEqual([]);
    const { requests, malformed, statuses } = figures;
    expect(requests).toBe(REQUESTS);
    expect(rarelySent(figures)).toEqual([]);
    expect([malformed > REQUESTS / 10, (statuses['200'] ?? 0) > REQUESTS / 5]).toEqual([true, true]);
    expect(Math.max(...figures.memoryMb)).toBeLessThan(MAX_MB);
  },
  TIMEOUT_MS,
);
