import { describe, expect, test } from 'bun:test';
import { rowOf, type Summary, summaryOf } from './comparison.ts';
import { FORMER, type Formula, IN_FORCE, KNOWN } from './formulas.ts';
import { type World, worldNamed } from './world.ts';

/** Of the long form (ranking.long.test.ts), a fifth of the travellers and one seed. */
const TRAVELLERS = 4_000;

function shortForm(name: string): World {
  return { ...worldNamed(name), travellers: TRAVELLERS };
}

function shown(world: World, formula: Formula): Summary {
  const summary = summaryOf(world, formula, 1);
  process.stdout.write(`${rowOf(world, formula.name, summary)}\n`);
  return summary;
}

describe('in a synthetic city', () => {
  test.each([
    ['strong tastes', 0.88, 1.05],
    ['limit 3', 0.78, 1.14],
  ])(
    'with %s, the order is near that of known rates, and leads to more visits than the former formula',
    (name, ofKnown, ofFormer) => {
      const world = shortForm(name);
      const [known, former, present] = [KNOWN, FORMER, IN_FORCE].map((formula) => shown(world, formula));
      expect(present?.ndcg).toBeGreaterThan(ofKnown * (known?.ndcg ?? 1));
      expect(present?.visitsPerAnswer).toBeGreaterThan(ofFormer * (former?.visitsPerAnswer ?? 1));
    },
  );

  test('an activity that comes late is shown within 200 answers', () => {
    expect(shown(shortForm('a fifth comes late'), IN_FORCE).answersUntilShown).toBeLessThanOrEqual(200);
  });

  test('reversed tastes are learnt again', () => {
    expect(shown(shortForm('a quarter reversed'), IN_FORCE).recovered).toBeGreaterThan(0.8);
  });
});
