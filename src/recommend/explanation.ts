import type { ActivityId } from '../domain/activity/activity.ts';
import { type Evidence, fromEvidenceDigits } from '../domain/recommendation/evidence.ts';
import { learntCandidates, type ServedFacts } from '../domain/recommendation/recommendation.ts';
import { type Factors, scoreCenti } from '../domain/recommendation/score.ts';
import { answerDigest, bestFirst, type ReplayedCandidate, replayRanking } from './replay.ts';

/** How an activity comes to its place in an answer. */
export type ExplainedActivity = ReplayedCandidate & {
  /** From 1. */
  readonly place: number;
  readonly shown: boolean;
  /** Null if it was not shown, and in logs of earlier releases. */
  readonly evidence: Evidence | null;
  /** Place, score and ground truth without exploration; null unless exploration lifted this activity. */
  readonly learnt: { readonly place: number; readonly scoreCenti: number; readonly groundTruth: number } | null;
  /** Null for the last logged one. */
  readonly next: {
    readonly activityId: ActivityId;
    /** The smallest change of each factor, in thousandths, with which the next one comes first; null: none is enough. */
    readonly changes: { readonly [Factor in keyof Factors]: number | null };
  } | null;
};

export type Explanation = {
  readonly facts: ServedFacts;
  /** Whether the recomputed answer is the one that was sent; null: the log of an earlier release cannot tell. */
  readonly reproduced: boolean | null;
  /** The shown ones, then the next best. */
  readonly activities: readonly ExplainedActivity[];
};

/** Recomputes an answer from its context log. Null for a log of another scoring model. Pure. */
export function explain(facts: ServedFacts): Explanation | null {
  const ranking = replayRanking(facts);
  if (ranking === null) return null;
  const evidence = facts.evidence === null ? [] : fromEvidenceDigits(facts.evidence);
  const learnt = bestFirst(learntCandidates(facts));
  const activities = ranking.map((candidate, index) => {
    const { activityId } = candidate;
    const lifted = facts.lifted?.place === index + 1;
    const before = learnt.findIndex((each) => each.activityId === activityId);
    return {
      ...candidate,
      place: index + 1,
      shown: index < facts.shown,
      evidence: evidence[index] ?? null,
      learnt: lifted ? learntOf(learnt, before) : null,
      next: nextOf(candidate, ranking[index + 1]),
    };
  });
  const reproduced = facts.digest === null ? null : facts.digest === answerDigest(ranking.slice(0, facts.shown));
  return { facts, reproduced, activities };
}

function learntOf(ranking: readonly ReplayedCandidate[], index: number): ExplainedActivity['learnt'] {
  const found = ranking[index];
  if (found === undefined) return null;
  return { place: index + 1, scoreCenti: found.scoreCenti, groundTruth: found.factors.groundTruth };
}

function nextOf(candidate: ReplayedCandidate, next: ReplayedCandidate | undefined): ExplainedActivity['next'] {
  if (next === undefined) return null;
  const changeOf = (factor: keyof Factors) => smallestChange(candidate, next, factor);
  return {
    activityId: next.activityId,
    changes: {
      profile: changeOf('profile'),
      groundTruth: changeOf('groundTruth'),
      weather: changeOf('weather'),
      time: changeOf('time'),
      price: changeOf('price'),
    },
  };
}

/** Bisection: the smaller the factor, the lower the score. */
function smallestChange(candidate: ReplayedCandidate, next: ReplayedCandidate, factor: keyof Factors): number | null {
  const present = candidate.factors[factor];
  const fallsBehindAt = (value: number): boolean => {
    const score = scoreCenti({ ...candidate.factors, [factor]: value });
    return score < next.scoreCenti || (score === next.scoreCenti && next.activityId < candidate.activityId);
  };
  if (!fallsBehindAt(0)) return null;
  let [behind, ahead] = [0, present];
  while (ahead - behind > 1) {
    const middle = Math.floor((behind + ahead) / 2);
    if (fallsBehindAt(middle)) behind = middle;
    else ahead = middle;
  }
  return behind - present;
}
