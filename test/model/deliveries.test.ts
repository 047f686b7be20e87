import { expect, test } from 'bun:test';
import { proveDeliveries } from './deliveries/proof.ts';

/** DELIVERIES_SEED in the environment repeats a run. */
const SEED = Number(process.env['DELIVERIES_SEED'] ?? Math.floor(Math.random() * 1_000_000));
/** Far above its duration on a slow core. */
const TIMEOUT_MS = 120_000;

test(
  `given thousands of deliveries to a receiver that fails a fifth of them, when the service is killed three times, then all arrive, and its log says what came (seed ${SEED})`,
  async () => {
    const { faults, deliveries, events, succeeded, failed, repeated, arrivals } = await proveDeliveries({
      seed: SEED,
      receivers: 4,
      bookings: 25,
      replays: 29,
      progress: (line) => void process.stdout.write(`${line}\n`),
    });
    process.stdout.write(
      `${deliveries} deliveries of ${events} events: ${succeeded} succeeded, ${failed} failed six times; ${arrivals} requests, ${repeated.join(' + ')} of them repeated after kills\n`,
    );
    expect(faults).toEqual([]);
    // Each kill interrupted pending attempts.
    expect(repeated.every((count) => count > 0)).toBe(true);
    expect([deliveries, events]).toEqual([3_000, 100]);
  },
  TIMEOUT_MS,
);
