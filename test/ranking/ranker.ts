import type { TravelType } from '../../src/domain/activity/vocabulary.ts';

/** What a ranking may know of a visit. Activities are indexes. */
export type SyntheticVisit = {
  readonly activity: number;
  readonly key: string;
  readonly travelType: TravelType;
  readonly atMs: number;
  /** The answer in its order, and the ratio that the ranking assumed for each; null for a walk-in. */
  readonly answer: { readonly shown: readonly number[]; readonly ratios: readonly number[] } | null;
};

export type Asked = { readonly travelType: TravelType; readonly nowMs: number };

/** A formula of the ground truth, which learns from what happens in a synthetic city. */
export type Ranker = {
  /** The factor of each activity, in [0,1], and the evidence for exploration: expected visits of the travel type. */
  estimate(asked: Asked): readonly Estimate[];
  shown?(asked: Asked, shown: readonly number[]): void;
  visited(visit: SyntheticVisit): void;
};
export type Estimate = { readonly factor: number; readonly ratio: number; readonly expected: number };

export type RankerOf = (activities: number) => Ranker;

/** A candidate of an answer. */
export type Ranked = {
  readonly index: number;
  readonly scoreCenti: number;
  /** The score with the highest ground truth. */
  readonly liftedCenti: number;
  readonly estimate: Estimate;
  /** The hidden rate of this traveller, relative to the city's mean. */
  readonly rate: number;
};
