import { expect, test } from 'bun:test';
import { serveCity } from './served-city.ts';
import { worldNamed } from './world.ts';

/** Of the long form (served-city.long.test.ts), a twentieth of the travellers. */
const TRAVELLERS = 1_000;
const TIMEOUT_MS = 120_000;

const LEARNS = 'the running service learns a synthetic city from the visits of its travellers';
test(
  LEARNS,
  async () => {
    const served = await serveCity({ ...worldNamed('14 activities'), travellers: TRAVELLERS }, 1);
    process.stdout.write(`${JSON.stringify(served)}\n`);
    expect(served.visits).toBeGreaterThan(100);
    expect(served.ndcg.last).toBeGreaterThan(served.ndcg.first + 0.05);
  },
  TIMEOUT_MS,
);
