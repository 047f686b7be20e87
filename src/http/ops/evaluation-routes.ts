import { Elysia } from 'elysia';
import type { EvaluationState } from '../../application/ops/evaluate.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import { GROUND_TRUTH_POWER } from '../../domain/recommendation/ranking-model.ts';
import { WEIGHTS_PERCENT } from '../../domain/recommendation/score.ts';
import type { PositionForm } from '../../eventsourcing/message.ts';
import { PLACE_CURVE } from '../../recommend/evaluation/place-curve.ts';
import type { TargetModel } from '../../recommend/evaluation/ranked-by.ts';
import type { Report } from '../../recommend/evaluation/report.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import { dateOf } from '../fields.ts';
import * as schema from './evaluation-schema.ts';

export function evaluationRoutes(context: HttpContext) {
  return new Elysia({ name: 'evaluations', tags: ['Operation'] }).use(access(context)).post(
    '/api/ops/evaluations',
    async ({ body: { model, from, to, city }, call }) => {
      const span = { from: dateIn(from), to: dateIn(to), city: city === undefined ? null : findCity(city) };
      const state = await context.evaluations.evaluate({ model: modelOf(model), ...span });
      return call.reply(state, (known) => presentState(known, model.name, context.positions));
    },
    {
      operator: true,
      body: schema.evaluationBody(context),
      response: schema.EVALUATION_ANSWER,
      detail: schema.EVALUATE_DETAIL,
    },
  );
}

function dateIn(text: string | undefined) {
  return text === undefined ? null : dateOf(text);
}

function modelOf({ name, weights, ground_truth_power, exploration_percent }: schema.ModelFile): TargetModel {
  return {
    name,
    weights: weights === undefined ? WEIGHTS_PERCENT : schema.namedWeights(weights),
    groundTruthPower: ground_truth_power ?? GROUND_TRUTH_POWER,
    exploration: (exploration_percent ?? 0) / 100,
  };
}

type Known = Exclude<EvaluationState, { readonly kind: 'refused' }>;

function presentState(state: Known, model: string, { format }: PositionForm) {
  if (state.kind === 'report') return { progress: null, report: presentReport(state.report, model) };
  const { events, answers, position, head } = state.progress;
  return { progress: { events, answers, position: format(position), head: format(head) }, report: null };
}

function presentReport(report: Report, model: string): schema.ReportAnswer {
  const { outcome, ndcg } = report;
  const estimates = outcome.kind === 'concluded' ? outcome.estimates : null;
  return {
    model,
    answers: report.answers,
    visits: report.visits,
    other_models: report.otherModels,
    visits_per_answer: { ...report.visitsPerAnswer },
    effective_sample: report.effectiveSample,
    differing: report.differing,
    differing_explored: report.differingExplored,
    overlap: report.overlap,
    conclusion: outcome.kind === 'concluded' ? outcome.conclusion : 'refused',
    reasons: outcome.kind === 'concluded' ? [] : [...outcome.reasons],
    snips: estimates && { ...estimates.snips },
    doubly_robust: estimates && { ...estimates.doublyRobust },
    difference: estimates && { ...estimates.difference },
    ndcg_at_10: ndcg && { now: ndcg.now, model: ndcg.target },
    moves: report.moves.map(({ activityId, answers, meanPlaceChange }) => ({
      activity_id: activityId,
      answers,
      mean_place_change: meanPlaceChange,
    })),
    place_curve: { version: PLACE_CURVE.version, places: report.places.map(presentPlace) },
  };
}

function presentPlace({ inForce, drawnVisits, ofDrawn, ...place }: Report['places'][number]) {
  return { ...place, in_force: inForce, drawn_visits: drawnVisits, of_drawn: ofDrawn };
}
