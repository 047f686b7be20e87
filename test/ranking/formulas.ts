import { CATEGORIES } from '../../src/domain/activity/vocabulary.ts';
import { type Alternative, alternativeRanker, constantRanker, formerRanker } from './other-rankers.ts';
import { presentRanker } from './present-ranker.ts';
import type { RankerOf } from './ranker.ts';

/** A formula, and the share of its answers that explore. */
export type Formula = { readonly name: string; readonly rankerOf: RankerOf | null; readonly exploration: number };

const EXPLORATION = 0.1;

export const IN_FORCE: Formula = { name: 'in force', rankerOf: presentRanker, exploration: EXPLORATION };
export const FORMER: Formula = { name: 'former (weights-1)', rankerOf: formerRanker, exploration: 0 };
/** The ceiling: as if the hidden rates were known. */
export const KNOWN: Formula = { name: 'known rates', rankerOf: null, exploration: 0 };
export const CONSTANT: Formula = { name: 'constant', rankerOf: constantRanker, exploration: 0 };

/** The formula in force, without the bound of a key's share. */
const PRESENT: Alternative = { halfLifeDays: 14, slowHalfLifeDays: 180, prior: 2, power: 3, expectedFrom: 'choice' };

/** Formulas that were compared with the one in force; each differs from it in what its name says. */
export const ALTERNATIVES: readonly Formula[] = [
  alternative('no bound of a key', {}),
  alternative('no exploration', {}, 0),
  alternative('exploration 20 %', {}, 0.2),
  alternative('all showings', { expectedFrom: 'showings' }),
  alternative('all showings, no exploration', { expectedFrom: 'showings' }, 0),
  alternative('strengths', { strengths: 1 }),
  alternative('root of strengths', { strengths: 0.5 }),
  {
    name: 'categories',
    exploration: EXPLORATION,
    rankerOf: (activities) => {
      const categories = Array.from({ length: activities }, (_, index) => index % CATEGORIES.length);
      return alternativeRanker(activities, { ...PRESENT, categories });
    },
  },
  alternative('one half-life of 14 days', { slowHalfLifeDays: null }),
  alternative('one half-life of 30 days', { halfLifeDays: 30, slowHalfLifeDays: null }),
  alternative('one half-life of 60 days', { halfLifeDays: 60, slowHalfLifeDays: null }),
  alternative('prior 1', { prior: 1 }),
  alternative('prior 4', { prior: 4 }),
  alternative('power 2', { power: 2 }),
  alternative('power 4', { power: 4 }),
];

function alternative(name: string, difference: Partial<Alternative>, exploration = EXPLORATION): Formula {
  return { name, exploration, rankerOf: (activities) => alternativeRanker(activities, { ...PRESENT, ...difference }) };
}
