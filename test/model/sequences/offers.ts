import { type CityName, cityFacts } from '../../../src/domain/activity/cities.ts';
import type { Offer } from './reckoning.ts';

/** The offers of the tests' catalogue: one for each kind of terms. */
export const OFFERS = [
  offer('river-walk', 'Bangkok', { currency: 'THB', unitMinor: 12_050, capacity: 10 }),
  offer('fire-dance', 'Bali', {
    currency: 'IDR',
    unitMinor: 33_333_333,
    capacity: 20,
    freeUntilHours: 6,
    percentKept: 33,
  }),
  offer('village-loom', 'Bali', {
    currency: 'IDR',
    unitMinor: 15_000_000,
    capacity: 8,
    freeUntilHours: 0,
    percentKept: 100,
  }),
  offer('village-kitchen', 'Bali', { currency: 'IDR', unitMinor: 45_000_000, capacity: 12, onRequest: true }),
] as const satisfies readonly [Offer, ...Offer[]];

/** Open from 9:00 to 18:00, last entry at 17:00. */
function offer(
  activity: string,
  city: CityName,
  terms: Partial<Offer> & Pick<Offer, 'currency' | 'unitMinor' | 'capacity'>,
): Offer {
  const at = (date: string, time: string): number =>
    Date.parse(`${date}T${time}Z`) - cityFacts(city).utcOffsetMinutes * 60_000;
  return {
    activity,
    onRequest: false,
    freeUntilHours: 24,
    percentKept: 50,
    hours: (date) => ({
      beginsAtMs: at(date, '00:00'),
      opensAtMs: at(date, '09:00'),
      closesAtMs: at(date, '18:00'),
    }),
    lastEntryMs: (date) => at(date, '17:00'),
    ...terms,
  };
}
