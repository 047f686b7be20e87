import type { LogId } from '../../src/domain/ids.ts';
import type { VisitEvidence } from '../../src/domain/learning/evidence.ts';
import type { Excluded } from '../../src/domain/learning/exclusions.ts';
import { activityId, bookingId, deviceId, keyId } from './examples.ts';

export const LOG_ID = 'rec_06gzr2z3g3gzfxbt0d3g' as LogId;

/** A couple's visit to the aquarium, which an answer showed first of two. */
export function someEvidence(change: Partial<VisitEvidence> = {}): VisitEvidence {
  return {
    bookingId: bookingId('bk_1'),
    activityId: activityId('bkk-ocean-world'),
    city: 'Bangkok',
    category: 'aquarium',
    keyId: keyId('key_1'),
    deviceId: deviceId('dev_1'),
    verifiedAtMs: Date.parse('2026-12-24T03:00:00Z'),
    travelType: 'couple',
    answer: {
      logId: LOG_ID,
      ids: [activityId('bkk-ocean-world'), activityId('river-walk')],
      expected: [6190, 3810],
      places: 'places-1',
    },
    ...change,
  };
}

/** An exclusion of everything that meets the given conditions. */
export function excluding(conditions: Partial<Excluded>): { readonly excluded: Excluded } {
  return { excluded: { keyId: null, deviceId: null, fromMs: null, toMs: null, ...conditions } };
}
