import { describe, expect, test } from 'bun:test';
import { rowOf, type Summary, summaryOf } from './comparison.ts';
import { ALTERNATIVES, CONSTANT, FORMER, type Formula, IN_FORCE, KNOWN } from './formulas.ts';
import { WORLDS, type World } from './world.ts';

/** RANKING_SEEDS in the environment makes the run longer or shorter. */
const SEEDS = Number(process.env['RANKING_SEEDS'] ?? 5);
const TIMEOUT_MS = 1_800_000;
/** Worlds in which the formula was chosen. */
const COMPARED = ['strong tastes', 'limit 3', 'weak tastes', 'a quarter reversed', 'few visits', 'one key'];

function printed(world: World, formula: Formula): Summary {
  const summary = summaryOf(world, formula, SEEDS);
  process.stdout.write(`${rowOf(world, formula.name, summary)}\n`);
  return summary;
}

describe(`over ${SEEDS} synthetic cities of each kind`, () => {
  test.each(WORLDS.map((world) => [world.name, world] as const))(
    'with %s',
    (_name, world) => {
      const known = printed(world, KNOWN);
      printed(world, CONSTANT);
      const former = printed(world, FORMER);
      const present = printed(world, IN_FORCE);
      expect(present.ndcg).toBeGreaterThan(former.ndcg);
      expect(present.ndcg).toBeGreaterThan(0.87 * known.ndcg);
      expect(present.visitsPerAnswer).toBeGreaterThan(former.visitsPerAnswer);
      if (world.late === true) expect(present.answersUntilShown).toBeLessThanOrEqual(200);
    },
    TIMEOUT_MS,
  );

  test.each(COMPARED)(
    'alternatives learn too: with %s',
    (name) => {
      for (const world of WORLDS.filter((each) => each.name === name))
        for (const formula of ALTERNATIVES)
          expect(printed(world, formula).ndcg).toBeGreaterThan(summaryOf(world, CONSTANT, 1).ndcg);
    },
    TIMEOUT_MS,
  );
});
