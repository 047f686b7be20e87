import { fnv1a } from '../domain/fnv1a.ts';
import { fromColumns, type RankedCandidate } from '../domain/recommendation/ranked.ts';
import { POWER_OF_MODEL } from '../domain/recommendation/ranking-model.ts';
import type { ServedFacts } from '../domain/recommendation/recommendation.ts';
import { byScore, scoreCenti } from '../domain/recommendation/score.ts';

export type ReplayedCandidate = RankedCandidate & {
  /** 0-100, in hundredths. */
  readonly scoreCenti: number;
};

/**
 * Recomputes an answer from its context log: the shown activities with the same scores in the same order. This is exact,
 * because scores are integers computed from the logged factors, and ids break ties. Null for a log of another scoring model.
 */
export function replay(facts: Pick<ServedFacts, 'model' | 'ranked' | 'shown'>): readonly ReplayedCandidate[] | null {
  return replayRanking(facts)?.slice(0, facts.shown) ?? null;
}

/** The same for all logged candidates: after the shown ones the next best. */
export function replayRanking({
  model,
  ranked,
}: Pick<ServedFacts, 'model' | 'ranked'>): readonly ReplayedCandidate[] | null {
  return POWER_OF_MODEL.has(model) ? bestFirst(fromColumns(ranked)) : null;
}

/** Candidates with their scores, in the order of a ranking. */
export function bestFirst(candidates: readonly RankedCandidate[]): readonly ReplayedCandidate[] {
  return candidates.map((candidate) => ({ ...candidate, scoreCenti: scoreCenti(candidate.factors) })).sort(byScore);
}

/** A check sum of an answer's ids, dates, scores and factors in their order: eight hexadecimal digits. */
export function answerDigest(answer: readonly ReplayedCandidate[]): string {
  const rows = answer.map(({ activityId, date, scoreCenti: score, factors }) => {
    const { profile, groundTruth, weather, time, price } = factors;
    return [activityId, date, score, profile, groundTruth, weather, time, price].join();
  });
  return (fnv1a(rows.join(';')) >>> 0).toString(16).padStart(8, '0');
}
