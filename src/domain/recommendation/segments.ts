import { AGE_GROUPS, TRAVEL_TYPES } from '../activity/vocabulary.ts';
import { BUDGETS, type Segment } from './profile.ts';

/**
 * Travellers are alike at levels: all of them; those of a travel type; of a travel type and a budget, or an age group; of
 * all three. Each level has a place in the counts of an activity: 0 for all, then one for every combination of a travel
 * type with a budget or any, and an age group or any. A change of these lists, or of their order, is a new version of the
 * projection that counts.
 */
export const LEVELS = 1 + TRAVEL_TYPES.length * (BUDGETS.length + 1) * (AGE_GROUPS.length + 1);

/** The level that every traveller belongs to. */
export const EVERYBODY = 0;

/** Every level a traveller belongs to: what an event of theirs is counted under. */
export function levelsOf(segment: Segment): readonly number[] {
  return LEVELS_OF[place(segment)] ?? [];
}

/** The levels that lead from everybody to the travellers most like this one, each within the one before. */
export function chainOf({ travelType, budget, ageGroup }: Segment): readonly number[] {
  const chain = [EVERYBODY, place({ travelType, budget: null, ageGroup: null })];
  if (budget !== null) chain.push(place({ travelType, budget, ageGroup: null }));
  if (ageGroup !== null) chain.push(place({ travelType, budget, ageGroup }));
  return chain;
}

function place({ travelType, budget, ageGroup }: Segment): number {
  const budgetPlace = budget === null ? 0 : BUDGETS.indexOf(budget) + 1;
  const agePlace = ageGroup === null ? 0 : AGE_GROUPS.indexOf(ageGroup) + 1;
  const row = TRAVEL_TYPES.indexOf(travelType) * (BUDGETS.length + 1) + budgetPlace;
  return 1 + row * (AGE_GROUPS.length + 1) + agePlace;
}

/** The levels of every segment, by its own place: each showing asks for them ten times. */
const LEVELS_OF: readonly (readonly number[])[] = everySegment().reduce<number[][]>((table, segment) => {
  table[place(segment)] = listLevels(segment);
  return table;
}, []);

function listLevels({ travelType, budget, ageGroup }: Segment): number[] {
  const levels = [EVERYBODY, place({ travelType, budget: null, ageGroup: null })];
  if (budget !== null) levels.push(place({ travelType, budget, ageGroup: null }));
  if (ageGroup !== null) levels.push(place({ travelType, budget: null, ageGroup }));
  if (budget !== null && ageGroup !== null) levels.push(place({ travelType, budget, ageGroup }));
  return levels;
}

function everySegment(): Segment[] {
  return TRAVEL_TYPES.flatMap((travelType) =>
    [null, ...BUDGETS].flatMap((budget) => [null, ...AGE_GROUPS].map((ageGroup) => ({ travelType, budget, ageGroup }))),
  );
}
