import type { AgeGroup, Category, TravelType } from '../activity/vocabulary.ts';

export const BUDGETS = ['budget', 'mid', 'luxury'] as const;
export type Budget = (typeof BUDGETS)[number];

/** The kind of traveller that recommendations are for; contains no personal data. */
export type TravelProfile = {
  readonly travelType: TravelType;
  /** ISO 3166-1 alpha-2. */
  readonly nationality: string | null;
  readonly interests: readonly Category[];
  readonly budget: Budget | null;
  readonly ageGroup: AgeGroup | null;
};

/** The part of a profile by which visits are counted. */
export type Segment = Pick<TravelProfile, 'travelType' | 'budget' | 'ageGroup'>;

export function segmentOf({ travelType, budget, ageGroup }: TravelProfile): Segment {
  return { travelType, budget, ageGroup };
}
