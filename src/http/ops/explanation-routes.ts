import { Elysia } from 'elysia';
import { keyPseudonym } from '../../application/identifiers.ts';
import { explainRecommendation } from '../../application/ops/explain-recommendation.ts';
import type { TravelType } from '../../domain/activity/vocabulary.ts';
import type { LogId } from '../../domain/ids.ts';
import { type Role, sees } from '../../domain/operator/roles.ts';
import type { Evidence } from '../../domain/recommendation/evidence.ts';
import { MILLION } from '../../domain/recommendation/recommendation.ts';
import { type Factors, WEIGHTS_PERCENT, WHOLE } from '../../domain/recommendation/score.ts';
import type { ExplainedActivity, Explanation } from '../../recommend/explanation.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './explanation-schema.ts';

export function explanationRoutes(context: HttpContext) {
  return new Elysia({ name: 'explanation', tags: ['Operation'] })
    .use(access(context))
    .get(
      '/api/ops/recommendations/:log_id/explanation',
      async ({ params, operator, call }) =>
        call.reply(await explainRecommendation(params.log_id, context), ({ logId, explanation }) =>
          presentExplanation(logId, explanation, operator.role, context),
        ),
      {
        operator: true,
        params: schema.EXPLANATION_PATH,
        response: schema.EXPLANATION_ANSWER,
        detail: schema.EXPLANATION_DETAIL,
      },
    );
}

function presentExplanation(
  logId: LogId,
  { facts, reproduced, activities }: Explanation,
  role: Role,
  { digest }: Pick<HttpContext, 'digest'>,
) {
  const { travelType } = facts.profile;
  return {
    log_id: logId,
    key_id: sees(role, 'keyOfRecommendation') ? facts.keyId : keyPseudonym(digest, facts.keyId),
    city: facts.city,
    travel_type: travelType,
    at: facts.at,
    model: facts.model,
    candidates: facts.candidates,
    reproduced,
    first_place_probability: facts.propensity / MILLION,
    activities: activities.map((activity) => presentActivity(activity, travelType)),
  };
}

function presentActivity(activity: ExplainedActivity, travelType: TravelType) {
  const { activityId, place, shown, date, evidence, learnt } = activity;
  return {
    activity_id: activityId,
    place,
    shown,
    available_date: date,
    relevance_score: activity.scoreCenti / 100,
    factors: {
      profile: presentFactor(activity, 'profile'),
      ground_truth: presentFactor(activity, 'groundTruth'),
      weather: presentFactor(activity, 'weather'),
      time: presentFactor(activity, 'time'),
      price: presentFactor(activity, 'price'),
    },
    evidence: evidence === null ? null : inWords(evidence, travelType),
    without_exploration: learnt && {
      place: learnt.place,
      relevance_score: learnt.scoreCenti / 100,
      ground_truth: learnt.groundTruth / WHOLE,
    },
  };
}

function presentFactor({ factors, next }: ExplainedActivity, factor: keyof Factors) {
  const change = next?.changes[factor] ?? null;
  return {
    value: factors[factor] / WHOLE,
    points: (factors[factor] * WEIGHTS_PERCENT[factor]) / WHOLE,
    change_to_swap: change === null ? null : change / WHOLE,
  };
}

const TRAVELLERS: Readonly<Record<TravelType, string>> = {
  family: 'families',
  couple: 'couples',
  solo: 'solo travellers',
  business: 'business travellers',
  friends: 'groups of friends',
};

function inWords({ visited, expected, sameType }: Evidence, travelType: TravelType): string {
  const visits = visited === 1 ? '1 visit' : `${visited} visits`;
  const usual = expected === 0 ? 'below 0.1' : String(expected);
  return `${visits} by ${sameType ? TRAVELLERS[travelType] : 'all travellers'}, usual is ${usual}`;
}
