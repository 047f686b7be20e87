import type { Formula } from './formulas.ts';
import { meanOf, type Outcome } from './measures.ts';
import { simulate } from './simulate.ts';
import type { World } from './world.ts';

/** Means over the seeds, and the standard deviation of the NDCG between them. */
export type Summary = Omit<Outcome, 'answersUntilShown'> & {
  readonly spread: number;
  /** Nineteen of twenty activities that came late were shown within so many answers. */
  readonly answersUntilShown: number;
};

/** @param seeds from 1 */
export function summaryOf(world: World, { rankerOf, exploration }: Formula, seeds: number): Summary {
  const outcomes = Array.from({ length: seeds }, (_, index) =>
    simulate({ world, seed: index + 1, rankerOf, exploration }),
  );
  const ndcgs = outcomes.map(({ ndcg }) => ndcg);
  const ndcg = meanOf(ndcgs);
  const answers = outcomes.flatMap(({ answersUntilShown }) => answersUntilShown).sort((left, right) => left - right);
  return {
    ndcg,
    spread: Math.sqrt(meanOf(ndcgs.map((each) => (each - ndcg) ** 2))),
    visitsPerAnswer: meanOf(outcomes.map(({ visitsPerAnswer }) => visitsPerAnswer)),
    recovered: meanOf(outcomes.map(({ recovered }) => recovered)),
    answersUntilShown: answers[Math.floor(answers.length * 0.95)] ?? 0,
  };
}

/** A row of docs/recommend.md. */
export function rowOf(world: World, name: string, summary: Summary): string {
  const { ndcg, spread, visitsPerAnswer, recovered, answersUntilShown } = summary;
  const cells = [world.name, name, `${ndcg.toFixed(3)} ± ${spread.toFixed(3)}`, visitsPerAnswer.toFixed(4)];
  if (world.reversed === true) cells.push(`recovered ${recovered.toFixed(3)}`);
  if (world.late === true) cells.push(`shown within ${answersUntilShown}`);
  return `| ${cells.join(' | ')} |`;
}
