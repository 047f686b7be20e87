import type { ActivityId } from '../domain/activity/activity.ts';
import { POWER_OF_MODEL } from '../domain/recommendation/ranking-model.ts';
import { learntCandidates, MILLION, type ServedFacts } from '../domain/recommendation/recommendation.ts';
import { type Factors, WHOLE } from '../domain/recommendation/score.ts';
import { bestFirst, type Ranked, takesFirst } from './evaluation/ranked-by.ts';

/** A context log as evaluations read it. Only this module knows how exploration is logged. */
export type LoggedAnswer = {
  /** With the factors that the candidates had without exploration; best first. */
  readonly ranked: readonly Ranked[];
  /** In the order of the answer. */
  readonly shown: readonly ActivityId[];
  /** The exponent of the visit rate r in the logged ground truth: f = r^power / (r^power + 1). */
  readonly groundTruthPower: number;
  /** The probability that the answer's first activity was shown first. */
  readonly propensity: number;
  /** Another activity could have been shown first than the best one. */
  readonly explores: boolean;
  /** The activity that exploration ranked with ground truth 1. */
  readonly lifted: ActivityId | null;
};

/** Null for a log of a scoring model that this release does not know. */
export function loggedAnswer(facts: ServedFacts): LoggedAnswer | null {
  const { model, shown, lifted, experiment } = facts;
  const powerOfModel = POWER_OF_MODEL.get(model);
  if (powerOfModel === undefined) return null;
  const groundTruthPower = experiment?.groundTruthPower ?? powerOfModel;
  const ranked = learntCandidates(facts).map(({ activityId, factors }) => ({ activityId, factors }));
  const propensity = facts.propensity / MILLION;
  return {
    ranked: bestFirst(ranked),
    shown: facts.ranked.ids.slice(0, shown),
    groundTruthPower,
    propensity,
    explores: lifted !== undefined || propensity < 1,
    lifted: lifted === undefined ? null : (facts.ranked.ids[lifted.place - 1] ?? null),
  };
}

/** Whether the logged policy shows the activity first in some of its answers to this request: exploration can draw every candidate. */
export function couldBeFirst({ ranked, explores }: LoggedAnswer, activityId: ActivityId): boolean {
  const [best] = ranked;
  const candidate = ranked.find((each) => each.activityId === activityId);
  if (best === undefined || candidate === undefined) return false;
  return candidate === best || (explores && takesFirst(candidate, best));
}

/**
 * How often travellers visit an activity, relative to what its places lead to expect: r of the logged ground truth. Bounded
 * like the strengths of the choice model.
 */
export function strengthOf({ groundTruth }: Factors, power: number): number {
  const odds = groundTruth / (WHOLE - groundTruth);
  return Math.min(4, Math.max(0.25, odds ** (1 / power)));
}
