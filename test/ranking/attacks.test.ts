import { describe, expect, test } from 'bun:test';
import { groundTruthProjection } from '../../projections/groundtruth/projection.ts';
import type { EvidenceEvent } from '../../src/domain/learning/evidence.ts';
import { activityId, bookingId } from '../support/examples.ts';
import { recorder } from '../support/recorded.ts';
import { formerRanker } from './other-rankers.ts';
import { presentRanker } from './present-ranker.ts';
import type { Ranker, SyntheticVisit } from './ranker.ts';

const ACTIVITIES = 10;
const [BEST, WORST] = [0, 9];
const NOW = Date.parse('2026-11-21T03:00:00Z');
const ASKED = { travelType: 'couple', nowMs: NOW } as const;
const ATTACKER = 'key-attacker';

/** Two hundred answers of nineteen keys, each with all activities, and forty visits: ten to the best, one to the worst. */
const VISITS_OF_HONEST_KEYS = [10, 6, 5, 4, 4, 3, 3, 2, 2, 1];
const HONEST_ANSWERS = 200;

function honest(ranker: Ranker): Ranker {
  const order = (answer: number): number[] => Array.from({ length: ACTIVITIES }, (_, at) => (answer + at) % ACTIVITIES);
  for (let answer = 0; answer < HONEST_ANSWERS; answer++) ranker.shown?.(ASKED, order(answer));
  let answer = 0;
  for (const [activity, visits] of VISITS_OF_HONEST_KEYS.entries())
    for (let visit = 0; visit < visits; visit++) {
      answer += 7;
      ranker.visited(visitTo(activity, `key-${answer % 19}`, order(answer)));
    }
  return ranker;
}

function visitTo(activity: number, key: string, shown: readonly number[] | null): SyntheticVisit {
  const answer = shown && { shown, ratios: shown.map(() => 1) };
  return { activity, key, travelType: ASKED.travelType, atMs: NOW, answer };
}

const IN_ORDER = Array.from({ length: ACTIVITIES }, (_, index) => index);

/** The factors of the best and the worst activity, rounded. */
function factors(ranker: Ranker): { readonly best: number; readonly worst: number } {
  const factorOf = (index: number): number => Number((ranker.estimate(ASKED)[index]?.factor ?? 0).toFixed(2));
  return { best: factorOf(BEST), worst: factorOf(WORST) };
}

type Attack = (ranker: Ranker) => void;

/** What an attack makes of the former and of the present formula. */
function figures(attack: Attack) {
  const [former, present] = [formerRanker(ACTIVITIES), presentRanker(ACTIVITIES)].map((ranker) => {
    const before = factors(honest(ranker));
    attack(ranker);
    return { before, after: factors(ranker) };
  });
  return { former, present };
}

describe('one key cannot move the ranking at will', () => {
  test('1,200 equal requests move nothing, whether others showed the activities or not', () => {
    const attack: Attack = (ranker) => {
      for (let request = 0; request < 1_200; request++) ranker.shown?.(ASKED, IN_ORDER);
    };
    expect(figures(attack)).toEqual({
      former: { before: { best: 0.68, worst: 0.3 }, after: { best: 0.27, worst: 0.05 } },
      present: { before: { best: 0.94, worst: 0.02 }, after: { best: 0.94, worst: 0.02 } },
    });
    const untried = presentRanker(ACTIVITIES);
    attack(untried);
    expect(factors(untried)).toEqual({ best: 0.5, worst: 0.5 });
    // The projection does not read the answers of recommend at all.
    expect(groundTruthProjection.categories).toEqual(['evidence']);
  });

  test('20 bookings on one answer count like one', () => {
    const times =
      (count: number): Attack =>
      (ranker) => {
        ranker.shown?.(ASKED, IN_ORDER);
        for (let visit = 0; visit < count; visit++) ranker.visited(visitTo(WORST, ATTACKER, IN_ORDER));
      };
    expect({ former: figures(times(20)).former, present: figures(times(1)).present }).toEqual({
      former: { before: { best: 0.68, worst: 0.3 }, after: { best: 0.68, worst: 0.81 } },
      present: { before: { best: 0.94, worst: 0.02 }, after: { best: 0.92, worst: 0.12 } },
    });
  });

  test('20 walk-ins do not lift the worst activity above the best', () => {
    const attack: Attack = (ranker) => {
      for (let visit = 0; visit < 20; visit++) ranker.visited(visitTo(WORST, ATTACKER, null));
    };
    expect(figures(attack)).toEqual({
      former: { before: { best: 0.68, worst: 0.3 }, after: { best: 0.68, worst: 0.62 } },
      present: { before: { best: 0.94, worst: 0.02 }, after: { best: 0.94, worst: 0.09 } },
    });
  });

  test('30 scans of refunded bookings move nothing', () => {
    const log = recorder();
    for (let scan = 0; scan < 30; scan++) {
      const refs = { bookingId: bookingId(`bk_${scan}`), activityId: activityId('worst'), deviceId: null };
      const data = { ...refs, verifiedAtMs: 0, why: 'disputed', at: '2026-11-21T03:00:00.000Z' } as const;
      const event = log<EvidenceEvent>(`evidence-bk_${scan}`, { type: 'VisitPassedOver', data });
      expect(groundTruthProjection.idsOf(event)).toEqual([]);
    }
  });

  test('the first visit of a demo moves the order', () => {
    const ranker = presentRanker(ACTIVITIES);
    ranker.visited(visitTo(WORST, 'key-demo', IN_ORDER));
    expect(factors(ranker)).toEqual({ best: 0.26, worst: 0.93 });
  });

  test('a large key that is alone is learnt from', () => {
    const ranker = presentRanker(ACTIVITIES);
    for (let visit = 0; visit < 300; visit++)
      ranker.visited(visitTo(visit % 3 === 0 ? 1 : BEST, 'key-large', IN_ORDER));
    expect(factors(ranker)).toEqual({ best: 0.95, worst: 0 });
  });
});
