import type { Arm } from '../../domain/experiment/experiment.ts';
import { MAX_EXPERIMENT_MS } from '../../domain/experiment/experiment.ts';
import type { RankingModel } from '../../domain/recommendation/ranking-model.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import type { HttpContext } from '../context.ts';
import { parseTimestamp } from '../fields.ts';
import type { Rule } from '../schema.ts';

/** An arm as the request names it. */
export type WantedArm = {
  readonly name: string;
  readonly share: number;
  readonly ground_truth_power?: number;
  readonly exploration_percent?: number;
};

/** What is left out is as in the present model. */
export function armOf({ name, share, ...changes }: WantedArm, present: RankingModel): Arm {
  const {
    ground_truth_power: groundTruthPower = present.groundTruthPower,
    exploration_percent: explorationPercent = present.explorationPercent,
  } = changes;
  return { model: { name, groundTruthPower, explorationPercent }, sharePercent: share };
}

/** Checks the two arms together. Runs only if each of them is valid. */
export function armsRule({ rankingModel }: Pick<HttpContext, 'rankingModel'>): Rule {
  return ({ arms }) => {
    // The schema of the field has this type.
    const [first, second] = arms as readonly [WantedArm, WantedArm];
    const sentence = faultOfArms(first, second, rankingModel);
    return sentence === null ? null : { code: 'INVALID_REQUEST', sentence };
  };
}

function faultOfArms(first: WantedArm, second: WantedArm, present: RankingModel): string | null {
  const sum = first.share + second.share;
  if (sum !== 100) return `arms: the shares are ${sum} together; send two shares whose sum is 100.`;
  if (first.name === second.name) return `arms: both are named "${first.name}"; send two names.`;
  const models = [first, second].map((arm) => armOf(arm, present).model);
  if (models.some((model) => model.name === present.name && !isSame(model, present)))
    return `arms: "${present.name}" is the present model; leave its parameters out, or send another name.`;
  const [one, other] = models;
  return one !== undefined && other !== undefined && isSame(one, other)
    ? 'arms: both have the same parameters; send another ground_truth_power or exploration_percent in one of them.'
    : null;
}

function isSame(one: RankingModel, other: RankingModel): boolean {
  return one.groundTruthPower === other.groundTruthPower && one.explorationPercent === other.explorationPercent;
}

/** The end must lie ahead, and not too far. */
export function endRule({ clock }: Pick<HttpContext, 'clock'>): Rule {
  return ({ ends_at: endsAt }) => {
    const endsAtMs = typeof endsAt === 'string' ? parseTimestamp(endsAt) : null;
    if (endsAtMs === null) return null;
    const nowMs = clock.nowMs();
    if (endsAtMs > nowMs && endsAtMs <= nowMs + MAX_EXPERIMENT_MS) return null;
    const last = new Date(nowMs + MAX_EXPERIMENT_MS).toISOString();
    const sentence = `ends_at must lie in the future, at most ${MAX_EXPERIMENT_MS / DAY_MS} days ahead (${last}); it was "${String(endsAt)}".`;
    return { code: 'INVALID_DATE', sentence };
  };
}

/** An experiment needs a stop rule. The rule belongs to the last field, as both of these may be left out. */
export const stopRule: Rule = ({ ends_at: endsAt, answers_per_arm: answersPerArm }) => {
  if (endsAt !== undefined || answersPerArm !== undefined) return null;
  const sentence = 'ends_at and answers_per_arm are missing; send one of them or both, as the stop rule.';
  return { code: 'INVALID_REQUEST', sentence };
};
