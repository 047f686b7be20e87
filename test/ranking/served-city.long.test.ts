import { expect, test } from 'bun:test';
import { summaryOf } from './comparison.ts';
import { KNOWN } from './formulas.ts';
import { serveCity } from './served-city.ts';
import { worldNamed } from './world.ts';

const TIMEOUT_MS = 1_800_000;
/** Of the NDCG with known rates, offline. */
const OF_KNOWN = 0.93;

test.each(['14 activities', 'strong tastes'])(
  'the running service learns a city of 20,000 travellers: %s',
  async (name) => {
    const world = worldNamed(name);
    const served = await serveCity(world, 1);
    const known = summaryOf(world, KNOWN, 1);
    process.stdout.write(
      `| ${name} | served | ${JSON.stringify(served)} | known rates offline ${known.ndcg.toFixed(3)} |\n`,
    );
    expect(served.ndcg.last).toBeGreaterThan(OF_KNOWN * known.ndcg);
  },
  TIMEOUT_MS,
);
