import type { Activity } from '../../domain/activity/activity.ts';
import type { TravelProfile } from '../../domain/recommendation/profile.ts';

/** How much each thing told of a traveller counts among those that were told. */
const TRAVEL_TYPE = 4;
const INTERESTS = 4;
const AGE_GROUP = 2;

/** An activity that is not made for a travel type is still open to it: a zoo for a couple is no mistake. */
const OTHER_TRAVEL_TYPE = 0.25;

type Described = Pick<Activity, 'travelTypes' | 'category' | 'ageGroups'>;

/**
 * How well an activity fits a traveller, in [0,1]: the weighted mean of what was told of them. The travel type (4) fits or
 * counts a quarter, the category (4) is among the interests or not, the age group (2) is among the activity's or not. What
 * was not told is left out of the mean, so that a short profile is not punished for being short.
 */
export function profileFactor(activity: Described, profile: TravelProfile): number {
  let weight = TRAVEL_TYPE;
  let sum = TRAVEL_TYPE * (activity.travelTypes.includes(profile.travelType) ? 1 : OTHER_TRAVEL_TYPE);
  if (profile.interests.length > 0) {
    weight += INTERESTS;
    if (profile.interests.includes(activity.category)) sum += INTERESTS;
  }
  if (profile.ageGroup !== null) {
    weight += AGE_GROUP;
    if (activity.ageGroups.includes(profile.ageGroup)) sum += AGE_GROUP;
  }
  return sum / weight;
}
