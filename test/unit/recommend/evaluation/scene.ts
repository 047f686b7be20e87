import { toColumns } from '../../../../src/domain/recommendation/ranked.ts';
import type { ServedFacts } from '../../../../src/domain/recommendation/recommendation.ts';
import { type Factors, WEIGHTS_PERCENT } from '../../../../src/domain/recommendation/score.ts';
import type { TargetModel } from '../../../../src/recommend/evaluation/ranked-by.ts';
import { activityId, date, served } from '../../../support/examples.ts';

/** The parameters in force for context logs of `served()`. */
export const PRESENT: TargetModel = {
  name: 'present',
  weights: WEIGHTS_PERCENT,
  groundTruthPower: 1,
  exploration: 0,
};
/** Ranks by ground truth alone. */
export const BY_GROUND_TRUTH: TargetModel = {
  ...PRESENT,
  name: 'by-ground-truth',
  weights: { profile: 0, groundTruth: 100, weather: 0, time: 0, price: 0 },
};

/** What exploration adds to a context log. */
export type Explored = {
  readonly propensity?: number;
  readonly lifted?: { readonly place: number; readonly groundTruth: number };
};

const TODAY = date('2026-11-21');

/** Profile and ground truth in thousandths; the other factors are 500. */
export type Row = readonly [id: string, profile: number, groundTruth: number];

/** A context log with these candidates in this order, all of them shown. */
export function logged(rows: readonly Row[], change: Partial<ServedFacts> & Explored = {}): ServedFacts {
  const ranked = rows.map(([id, profile, groundTruth]) => {
    const factors: Factors = { profile, groundTruth, weather: 500, time: 500, price: 500 };
    return { activityId: activityId(id), date: TODAY, factors };
  });
  return served({ model: 'weights-1', ranked: toColumns(TODAY, ranked), shown: rows.length, ...change });
}
