import { expect, test } from 'bun:test';
import { proveDeliveries } from './deliveries/proof.ts';

/** DELIVERIES_SEED in the environment repeats a run. */
const SEED = Number(process.env['DELIVERIES_SEED'] ?? Date.now() % 1_000_000);
const TIMEOUT_MS = 1_800_000;

test(
  'given 100,000 deliveries to a receiver that fails a fifth of them, when the service is killed three times, then all arrive, and its log says what came',
  async () => {
    const startedMs = performance.now();
    const { faults, ...figures } = await proveDeliveries({
      seed: SEED,
      receivers: 5,
      bookings: 500,
      replays: 39,
      progress: (line) => void process.stdout.write(`${Math.round(performance.now() - startedMs)} ms: ${line}\n`),
    });
    process.stdout.write(`${JSON.stringify({ seed: SEED, ...figures })}\n`);
    expect(faults).toEqual([]);
    // Each kill interrupted pending attempts.
    expect(figures.repeated.every((count) => count > 0)).toBe(true);
    expect([figures.deliveries, figures.events]).toEqual([100_000, 2_500]);
  },
  TIMEOUT_MS,
);
