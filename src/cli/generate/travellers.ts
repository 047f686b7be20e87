import { AGE_GROUPS, CATEGORIES, LANGUAGES, TRAVEL_TYPES } from '../../domain/activity/vocabulary.ts';
import type { GuestDetails } from '../../domain/guest/guest.ts';
import { BUDGETS, type TravelProfile } from '../../domain/recommendation/profile.ts';
import type { SeededRandom } from './seeded-random.ts';

const GIVEN_NAMES = [
  'Anong',
  'Bao',
  'Citra',
  'Daisuke',
  'Elena',
  'Farid',
  'Grace',
  'Hana',
  'Ines',
  'Jun',
  'Kiri',
  'Lan',
];
const FAMILY_NAMES = [
  'Abe',
  'Bakri',
  'Chai',
  'Dang',
  'Evans',
  'Fong',
  'Garcia',
  'Hassan',
  'Ito',
  'Jansen',
  'Kim',
  'Lim',
];
const NATIONALITIES = ['AU', 'CN', 'DE', 'FR', 'GB', 'ID', 'JP', 'KR', 'MY', 'SG', 'TH', 'US', 'VN'];
const REQUESTS = [
  'A vegetarian menu, please.',
  'We arrive by boat.',
  'One guest uses a wheelchair.',
  'A seat by the window.',
];

const WITH_REQUESTS = 0.1;
const WITH_REFERENCE = 0.1;

/** Nobody's data: the domain `example` belongs to no one. `number` makes the name unique. */
export function guestOf(number: number, random: SeededRandom): GuestDetails {
  return {
    name: `${random.pick(GIVEN_NAMES)} ${random.pick(FAMILY_NAMES)} ${number}`,
    email: `guest-${number}@travellers.example`,
    specialRequests: random.chance(WITH_REQUESTS) ? random.pick(REQUESTS) : null,
    reference: random.chance(WITH_REFERENCE) ? `trip-${number}` : null,
    metadata: {},
  };
}

export function profileOf(random: SeededRandom): TravelProfile {
  return {
    travelType: random.pick(TRAVEL_TYPES),
    nationality: random.pick(NATIONALITIES),
    interests: CATEGORIES.filter(() => random.chance(0.25)),
    budget: random.pick([...BUDGETS, null]),
    ageGroup: random.pick([...AGE_GROUPS, null]),
  };
}

export function languageOf(random: SeededRandom) {
  return random.pick(LANGUAGES);
}
