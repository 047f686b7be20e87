import { describe, test } from 'bun:test';
import {
  type ExclusionId,
  type LearningCommand,
  type LearningEvent,
  learningDecider,
  MAX_EXCLUSIONS,
} from '../../../src/domain/learning/exclusions.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { activityId, fingerprint, keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';
import { learningCommand } from '../../support/learning-commands.ts';
import { excluding } from '../../support/visits.ts';

const AT = '2026-12-24T03:00:01.000Z';
const FACTS = {
  exclusion: 'exc_1' as ExclusionId,
  ...excluding({ keyId: keyId('key_1') }),
  reason: 'Scripted bookings.',
  fingerprint: fingerprint('FP1'),
  at: AT,
};
const EXCLUDED: LearningEvent = { type: 'LearningExcluded', data: FACTS };
const ACTIVITY = { activityId: activityId('bkk-ocean-world'), visits: 2, groundTruthBefore: 700 };
const COUNT = { exclusion: FACTS.exclusion, visits: 2, activities: [ACTIVITY], at: AT };
const COUNTED: LearningEvent = { type: 'ExclusionCounted', data: COUNT };
const RESULT = { ...COUNT, activities: [{ ...ACTIVITY, groundTruthAfter: 500 }] };
const APPLIED: LearningEvent = { type: 'ExclusionApplied', data: RESULT };
const exclude = (change: Partial<typeof FACTS> = {}): LearningCommand => ({
  type: 'ExcludeFromLearning',
  ...FACTS,
  ...change,
});

describe('an exclusion', () => {
  test('is stored once; the same id with other conditions is refused', () => {
    given(learningDecider, []).when(exclude()).then([EXCLUDED]);
    given(learningDecider, [EXCLUDED]).when(exclude()).thenNothing();
    given(learningDecider, [EXCLUDED])
      .when(exclude({ fingerprint: fingerprint('FP2') }))
      .thenRejected({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('is counted once and applied once', () => {
    given(learningDecider, [EXCLUDED])
      .when({ type: 'RecordExclusionCounted', ...COUNT })
      .then([COUNTED]);
    given(learningDecider, [EXCLUDED, COUNTED])
      .when({ type: 'RecordExclusionCounted', ...COUNT, visits: 1 })
      .thenNothing();
    given(learningDecider, [EXCLUDED, COUNTED])
      .when({ type: 'RecordExclusionApplied', ...RESULT })
      .then([APPLIED]);
    given(learningDecider, [EXCLUDED, COUNTED, APPLIED])
      .when({ type: 'RecordExclusionApplied', ...RESULT })
      .thenNothing();
  });

  test('is refused beyond the maximum', () => {
    const many = Array.from(
      { length: MAX_EXCLUSIONS },
      (_, index): LearningEvent => ({
        type: 'LearningExcluded',
        data: { ...FACTS, exclusion: `exc_many_${index}` as ExclusionId },
      }),
    );
    given(learningDecider, many.slice(1)).when(exclude()).then([EXCLUDED]);
    given(learningDecider, many).when(exclude()).thenRejected({ code: 'TOO_MANY_EXCLUSIONS' });
  });
});

test('a command decided twice adds nothing the second time', () => decidedTwice(learningDecider, learningCommand));
