import type { LogId } from '../../../src/domain/ids.ts';
import type { EvidenceEvent } from '../../../src/domain/learning/evidence.ts';
import type { ExclusionId, LearningEvent } from '../../../src/domain/learning/exclusions.ts';
import { activityId, bookingId, deviceId, fingerprint, keyId } from '../../support/examples.ts';

const VISIT = {
  bookingId: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
  activityId: activityId('bkk-sea-life-aquarium'),
  deviceId: deviceId('dev_8b5n7gk2m0q9'),
  verifiedAtMs: 1795230000000,
} as const;
const EVIDENCE = {
  ...VISIT,
  city: 'Bangkok',
  category: 'aquarium',
  keyId: keyId('key_4c9a1f70b2de'),
  travelType: 'family',
  answer: {
    logId: 'rec_06gzr2z3g3gzfxbt0d3g' as LogId,
    ids: [activityId('bkk-ocean-world'), activityId('bkk-sea-life-aquarium')],
    expected: [6190, 3810],
    places: 'places-1',
  },
} as const;

/** What the golden files of evidence mean today. */
export const STORED_EVIDENCE_EVENTS = {
  'VisitCredited.v1': { type: 'VisitCredited', data: { evidence: EVIDENCE, at: '2026-11-21T03:00:00.200Z' } },
  'VisitPassedOver.v1': {
    type: 'VisitPassedOver',
    data: { ...VISIT, why: 'counted', at: '2026-11-21T03:00:00.200Z' },
  },
  'VisitWithdrawn.v1': {
    type: 'VisitWithdrawn',
    data: {
      evidence: { ...EVIDENCE, keyId: null, deviceId: null, travelType: null, answer: null },
      why: 'voided',
      at: '2026-11-22T02:00:00.000Z',
    },
  },
} satisfies Record<string, EvidenceEvent>;

const EXCLUSION = 'exc_h76cfakt2c43vdqm2ryg' as ExclusionId;
const COUNTED = { activityId: activityId('bkk-sea-life-aquarium'), visits: 20, groundTruthBefore: 714 } as const;

/** What the golden files of exclusions mean today. */
export const STORED_LEARNING_EVENTS = {
  'LearningExcluded.v1': {
    type: 'LearningExcluded',
    data: {
      exclusion: EXCLUSION,
      excluded: { keyId: keyId('key_4c9a1f70b2de'), deviceId: null, fromMs: 1795219200000, toMs: null },
      reason: 'Scripted bookings.',
      fingerprint: fingerprint('0M5B8R2XT7K4Q9W1ZV6N3H0YJD'),
      at: '2026-11-22T02:00:00.000Z',
    },
  },
  'ExclusionCounted.v1': {
    type: 'ExclusionCounted',
    data: { exclusion: EXCLUSION, visits: 20, activities: [COUNTED], at: '2026-11-22T02:00:00.100Z' },
  },
  'ExclusionApplied.v1': {
    type: 'ExclusionApplied',
    data: {
      exclusion: EXCLUSION,
      visits: 20,
      activities: [{ ...COUNTED, groundTruthAfter: 523 }],
      at: '2026-11-22T02:00:00.300Z',
    },
  },
} satisfies Record<string, LearningEvent>;
