/** The closed lists of the public contract. */

export const CATEGORIES = [
  'spa',
  'dinner',
  'theme-park',
  'zoo',
  'aquarium',
  'adventure',
  'cultural',
  'nightlife',
] as const;
export type Category = (typeof CATEGORIES)[number];

export const TRAVEL_TYPES = ['family', 'couple', 'solo', 'business', 'friends'] as const;
export type TravelType = (typeof TRAVEL_TYPES)[number];

export const AGE_GROUPS = ['family', 'young_adult', 'adult', 'senior'] as const;
export type AgeGroup = (typeof AGE_GROUPS)[number];

export const DIFFICULTIES = ['easy', 'moderate', 'challenging'] as const;
export type Difficulty = (typeof DIFFICULTIES)[number];

export const SETTINGS = ['indoor', 'outdoor', 'mixed'] as const;
export type Setting = (typeof SETTINGS)[number];

export const TIMES_OF_DAY = ['morning', 'afternoon', 'evening', 'night'] as const;
export type TimeOfDay = (typeof TIMES_OF_DAY)[number];

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const LANGUAGES = ['en', 'th', 'vi', 'id', 'ms', 'zh', 'ja', 'ko'] as const;
export type Language = (typeof LANGUAGES)[number];

export const CONFIRMATIONS = ['instant', 'on_request'] as const;
export type Confirmation = (typeof CONFIRMATIONS)[number];
