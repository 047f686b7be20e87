import { describe, expect, test } from 'bun:test';
import { creditVisit, type SeenVisit, withdrawVoided } from '../../../../src/application/learning/credit-visit.ts';
import type { KeyId, LogId } from '../../../../src/domain/ids.ts';
import { evidenceDecider } from '../../../../src/domain/learning/evidence.ts';
import { learningDecider } from '../../../../src/domain/learning/exclusions.ts';
import { toColumns } from '../../../../src/domain/recommendation/ranked.ts';
import {
  type RecommendationEvent,
  recommendationDecider,
} from '../../../../src/domain/recommendation/recommendation.ts';
import { decidedInMemory } from '../../../support/decided-in-memory.ts';
import { activityId, bookingId, date, deviceId, keyId, served } from '../../../support/examples.ts';
import { SOME_CAUSE } from '../../../support/recorded.ts';
import { LOG_ID } from '../../../support/visits.ts';

const VISIT: SeenVisit = {
  bookingId: bookingId('bk_1'),
  activityId: activityId('river-walk'),
  city: 'Bangkok',
  category: 'cultural',
  keyId: keyId('key_1'),
  deviceId: deviceId('dev_1'),
  verifiedAtMs: Date.parse('2026-12-24T03:00:00Z'),
  disputed: false,
  logId: LOG_ID,
};

/** An answer to a couple of `key_1` that shows the river walk second. */
function answer(): RecommendationEvent {
  const ranked = ['bkk-ocean-world', 'river-walk', 'bkk-rooftop'].map((id) => ({
    activityId: activityId(id),
    date: date('2026-11-21'),
    factors: { profile: 500, groundTruth: 500, weather: 500, time: 500, price: 500 },
  }));
  return {
    type: 'RecommendationServed',
    data: served({ ranked: toColumns(date('2026-11-21'), ranked), shown: 2 }),
  };
}

function scene() {
  const streams = {
    evidence: decidedInMemory(evidenceDecider),
    exclusions: decidedInMemory(learningDecider),
    recommendations: decidedInMemory(recommendationDecider, { [LOG_ID]: [answer()] }),
  };
  const credit = async (change: Partial<SeenVisit> = {}) => {
    await creditVisit({ ...VISIT, ...change }, SOME_CAUSE, 0, { streams });
    const [id = ''] = streams.evidence.ids();
    const [event] = streams.evidence.events(id);
    if (event?.type !== 'VisitCredited') throw new Error('no visit was credited');
    return { id, evidence: event.data.evidence };
  };
  return { streams, credit };
}

describe('the evidence of a visit', () => {
  test('has the shown activities with their expected visits, and the travel type of the answer', async () => {
    const { credit } = scene();
    const { logId: _logId, disputed: _disputed, ...visit } = VISIT;
    expect<object>(await credit()).toEqual({
      id: LOG_ID,
      evidence: {
        ...visit,
        travelType: 'couple',
        answer: {
          logId: LOG_ID,
          ids: ['bkk-ocean-world', 'river-walk'],
          expected: [6190, 3810],
          places: 'places-1',
        },
      },
    });
  });

  test.each<[string, Partial<SeenVisit>]>([
    ['names no recommendation', { logId: null }],
    ["names another key's", { keyId: keyId('key_2') }],
    ['names an unknown one', { logId: 'rec_06gzr2z3g3gzfxbt0d30' as LogId }],
    ['names none that could exist', { logId: 'as the caller sent it' as LogId }],
  ])('is that of a walk-in if the booking %s', async (_name, change) => {
    const { id, evidence } = await scene().credit(change);
    expect([id, evidence.travelType, evidence.answer]).toEqual([VISIT.bookingId, null, null]);
  });

  test('of a booking that did not record its key takes the key of the recommendation', async () => {
    const { evidence } = await scene().credit({ keyId: null });
    expect([evidence.keyId, evidence.answer?.logId]).toEqual([keyId('key_1') as KeyId | null, LOG_ID]);
  });

  test('is withdrawn from the stream in which it was credited', async () => {
    for (const change of [{}, { logId: null }]) {
      const { streams, credit } = scene();
      const { id, evidence } = await credit(change);
      await withdrawVoided({ ...VISIT, ...change }, SOME_CAUSE, 0, { streams });
      expect(streams.evidence.events(id)[1]).toEqual({
        type: 'VisitWithdrawn',
        data: { evidence, why: 'voided', at: SOME_CAUSE.at },
      });
    }
  });
});
