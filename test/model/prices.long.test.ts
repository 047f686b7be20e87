import { expect, test } from 'bun:test';
import { playPrices } from './prices/play.ts';

/** PRICE_SEED in the environment repeats a run; PRICE_RUNS makes it longer or shorter. */
const SEED = Number(process.env['PRICE_SEED'] ?? Date.now() % 1_000_000);
const RUNS = Number(process.env['PRICE_RUNS'] ?? 10_000);
const RUNS_PER_SERVICE = 250;
const TIMEOUT_MS = 1_800_000;

const services = Array.from({ length: Math.ceil(RUNS / RUNS_PER_SERVICE) }, (_, n) => {
  const before = n * RUNS_PER_SERVICE;
  return [Math.min(RUNS_PER_SERVICE, RUNS - before), SEED + before] as const;
});

test.each(services)(
  '%i random lives of bookings from seed %i cost and refund what an independent calculation says',
  async (count, seed) => {
    expect((await playPrices(seed, count)).size).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
