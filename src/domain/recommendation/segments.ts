import { AGE_GROUPS, TRAVEL_TYPES } from '../activity/vocabulary.ts';
import { BUDGETS, type Segment } from './profile.ts';

/**
 * Visits are counted at levels: all travellers; a travel type; a travel type with a budget or an age group; all three.
 * Each level has an index in the counts of an activity: 0 for all, then one for every combination of a travel type with
 * a budget or any, and an age group or any. If these lists or their order change, raise the version of the projection.
 */
export const LEVELS = 1 + TRAVEL_TYPES.length * (BUDGETS.length + 1) * (AGE_GROUPS.length + 1);

/** The level of all travellers. */
export const EVERYBODY = 0;

/** Every level of a traveller; each event is counted at all of them. */
export function levelsOf(segment: Segment): readonly number[] {
  return LEVELS_OF[levelIndex(segment)] ?? [];
}

/** Levels from all travellers to those most similar to this one, each a subset of the one before. */
export function chainOf({ travelType, budget, ageGroup }: Segment): readonly number[] {
  const chain = [EVERYBODY, levelIndex({ travelType, budget: null, ageGroup: null })];
  if (budget !== null) chain.push(levelIndex({ travelType, budget, ageGroup: null }));
  if (ageGroup !== null) chain.push(levelIndex({ travelType, budget, ageGroup }));
  return chain;
}

function levelIndex({ travelType, budget, ageGroup }: Segment): number {
  const budgetIndex = budget === null ? 0 : BUDGETS.indexOf(budget) + 1;
  const ageIndex = ageGroup === null ? 0 : AGE_GROUPS.indexOf(ageGroup) + 1;
  const row = TRAVEL_TYPES.indexOf(travelType) * (BUDGETS.length + 1) + budgetIndex;
  return 1 + row * (AGE_GROUPS.length + 1) + ageIndex;
}

/** Precomputed levels per segment: each answer of recommend needs them ten times. */
const LEVELS_OF: readonly (readonly number[])[] = everySegment().reduce<number[][]>((table, segment) => {
  table[levelIndex(segment)] = listLevels(segment);
  return table;
}, []);

function listLevels({ travelType, budget, ageGroup }: Segment): number[] {
  const levels = [EVERYBODY, levelIndex({ travelType, budget: null, ageGroup: null })];
  if (budget !== null) levels.push(levelIndex({ travelType, budget, ageGroup: null }));
  if (ageGroup !== null) levels.push(levelIndex({ travelType, budget: null, ageGroup }));
  if (budget !== null && ageGroup !== null) levels.push(levelIndex({ travelType, budget, ageGroup }));
  return levels;
}

function everySegment(): Segment[] {
  return TRAVEL_TYPES.flatMap((travelType) =>
    [null, ...BUDGETS].flatMap((budget) => [null, ...AGE_GROUPS].map((ageGroup) => ({ travelType, budget, ageGroup }))),
  );
}
