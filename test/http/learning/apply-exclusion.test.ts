import { expect, test } from 'bun:test';
import { applyExclusion } from '../../../src/application/learning/apply-exclusion.ts';
import {
  EXCLUSIONS,
  type ExclusionId,
  type LearningEvent,
  learningDecider,
} from '../../../src/domain/learning/exclusions.ts';
import { decidedInMemory } from '../../support/decided-in-memory.ts';
import { evidenceOf } from '../../support/evidence.ts';
import { fingerprint } from '../../support/examples.ts';
import { NOW, openService, TODAY } from '../../support/service.ts';
import { excluding } from '../../support/visits.ts';

const VISITS = 5;
const AT = new Date(NOW).toISOString();
const CAUSE = { correlationId: 'exclusion', causationId: null, by: 'visit-crediting', at: AT };
const EXCLUSION = 'exc_1' as ExclusionId;
const EXCLUDED: LearningEvent = {
  type: 'LearningExcluded',
  data: {
    exclusion: EXCLUSION,
    ...excluding({ fromMs: NOW }),
    reason: 'Scripted bookings.',
    fingerprint: fingerprint('FP1'),
    at: AT,
  },
};

test.each([0, 1, 3, VISITS])(
  'an exclusion that dies after %d withdrawals ends in the same numbers',
  async (survived) => {
    await using service = await openService();
    for (let number = 0; number < VISITS; number++) {
      const { voucher } = (await service.book({ booking_date: TODAY, num_adults: 1 })).data;
      expect((await service.verify({ code: voucher.code })).status).toBe(200);
    }
    await evidenceOf(service, VISITS);
    const { context } = service.node;
    const { evidence } = context.streams;
    const exclusions = decidedInMemory(learningDecider, { [EXCLUSIONS]: [EXCLUDED] });
    let left = survived;
    const handle: typeof evidence.handle = async (...args) => {
      if (left-- <= 0) throw new Error('the process died');
      return evidence.handle(...args);
    };
    const dying = { ...context, streams: { evidence: { ...evidence, handle }, exclusions } };
    const first = await applyExclusion(EXCLUSION, CAUSE, dying).catch(() => 'died');
    expect(first).toBe(survived < VISITS ? 'died' : true);
    await evidenceOf(service, VISITS + survived);
    const living = { ...context, streams: { evidence, exclusions } };
    expect(await applyExclusion(EXCLUSION, CAUSE, living)).toBe(true);
    expect(await applyExclusion(EXCLUSION, CAUSE, living)).toBe(true);
    // With the prior of 200 impressions at 2 %: 9 of 205, and 4 of 200, each in relation to 2 %.
    const river = { activityId: 'river-walk', visits: VISITS, groundTruthBefore: 973 };
    expect<readonly unknown[]>(exclusions.events(EXCLUSIONS)).toEqual([
      EXCLUDED,
      { type: 'ExclusionCounted', data: { exclusion: EXCLUSION, visits: VISITS, activities: [river], at: AT } },
      {
        type: 'ExclusionApplied',
        data: { exclusion: EXCLUSION, visits: VISITS, activities: [{ ...river, groundTruthAfter: 500 }], at: AT },
      },
    ]);
    const withdrawn = (await evidenceOf(service, 0)).filter(({ type }) => type === 'VisitWithdrawn');
    expect(withdrawn).toHaveLength(VISITS);
  },
);
