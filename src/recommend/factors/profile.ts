import type { Activity } from '../../domain/activity/activity.ts';
import type { TravelProfile } from '../../domain/recommendation/profile.ts';

/** Weights of the profile's fields. */
const TRAVEL_TYPE = 4;
const INTERESTS = 4;
const AGE_GROUP = 2;

/** Score if the activity does not list the travel type. Above 0, because it is still possible: a couple can visit a zoo. */
const OTHER_TRAVEL_TYPE = 0.25;

type Described = Pick<Activity, 'travelTypes' | 'category' | 'ageGroups'>;

/**
 * How well an activity fits a traveller, in [0,1]: the weighted mean over the fields of the profile. Travel type (weight 4):
 * 1 if the activity lists it, else 0.25. Interests (4): 1 if they include the category, else 0. Age group (2): 1 if the
 * activity lists it, else 0. Missing fields are left out of the mean, so that a short profile has no disadvantage.
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
