import { sumOf } from '../../projections/groundtruth/read-model.ts';
import { fadeAt } from '../../src/domain/learning/fading.ts';
import { groundTruthFactor, USUAL, visitRatio } from '../../src/recommend/factors/ground-truth.ts';
import { activityId, keyId } from '../support/examples.ts';
import { answerShowing, aVisitEvidence, credited, foldedEvidence } from '../support/folded-evidence.ts';
import type { Estimate, Ranker } from './ranker.ts';

const NOTHING: Estimate = { factor: USUAL, ratio: 1, expected: 0 };

/** The projection and the factor of the service. */
export function presentRanker(activities: number): Ranker {
  const { documents, apply } = foldedEvidence();
  const ids = Array.from({ length: activities }, (_, index) => `activity-${index}`);
  return {
    estimate({ travelType, nowMs }) {
      const sum = sumOf(travelType);
      const fade = fadeAt(nowMs);
      return ids.map((id) => {
        const sums = documents.get(id);
        if (sums === undefined) return NOTHING;
        return {
          factor: groundTruthFactor(sums, sum, fade),
          ratio: visitRatio(sums, sum, fade),
          expected: (sums.lasting.expected[sum] ?? 0) * fade.lasting,
        };
      });
    },
    visited({ activity, key, travelType, atMs, answer }) {
      const evidence = aVisitEvidence({
        activityId: activityId(ids[activity] ?? ''),
        keyId: keyId(key),
        verifiedAtMs: atMs,
        ...(answer && { travelType, answer: answerShowing(answer.shown.map((index) => ids[index] ?? '')) }),
      });
      apply(credited(evidence));
    },
  };
}
