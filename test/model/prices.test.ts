import { expect, test } from 'bun:test';
import { playPrices } from './prices/play.ts';

/** PRICE_SEED in the environment repeats a run. */
const SEED = Number(process.env['PRICE_SEED'] ?? 20_261_124);
const RUNS = 250;
const TIMEOUT_MS = 60_000;

/** Proves that the random lives reach every rule. */
const EXPECTED = [
  'another total expected',
  'cancelled by the guest',
  'cancelled for the weather',
  'confirmed with lines',
  'lines',
  'lines while pending',
  'more retained than the total',
  'nothing refundable',
  'retained at a move',
  'retained more',
  'the last added left',
];

test(
  `${RUNS} random lives of bookings from seed ${SEED} cost and refund what an independent calculation says`,
  async () => {
    expect([...(await playPrices(SEED, RUNS))]).toEqual(expect.arrayContaining(EXPECTED));
  },
  TIMEOUT_MS,
);
