import { Elysia } from 'elysia';
import type { Static } from 'typebox';
import { countArms } from '../../../projections/experimentanswers/query.ts';
import { listExperiments } from '../../../projections/experiments/query.ts';
import {
  type ChangedExperiment,
  endExperiment,
  readExperiment,
  startExperiment,
} from '../../application/experiment/manage-experiments.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import { MAX_EXPERIMENT_MS } from '../../domain/experiment/experiment.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { appliedHere } from '../applied-here.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseTimestamp } from '../fields.ts';
import { presentExperiment, presentResults } from './present.ts';
import { armOf } from './rules.ts';
import * as schema from './schema.ts';

/** Two ranking models side by side. */
export function experimentRoutes(context: HttpContext) {
  const { clock, readModels } = context;
  const present = ({ experiment }: ChangedExperiment) => presentExperiment(experiment, clock.nowMs());
  return new Elysia({ name: 'experiment', tags: ['Operation'] })
    .use(access(context))
    .post(
      '/api/ops/experiments',
      async ({ body, call }) => {
        const started = await startExperiment(wantedIn(body, context), call.cause, context);
        return call.reply(await appliedHere('experiments', started, context), present, commandHeaders);
      },
      {
        operator: true,
        body: schema.startBody(context),
        response: schema.EXPERIMENT_ANSWER,
        detail: schema.START_DETAIL,
      },
    )
    .post(
      '/api/ops/experiments/:id/end',
      async ({ params: { id }, call }) => {
        const ended = await endExperiment(id, call.cause, context);
        return call.reply(await appliedHere('experiments', ended, context), present, commandHeaders);
      },
      {
        operator: true,
        params: schema.EXPERIMENT_PATH,
        response: schema.ENDED_ANSWER,
        detail: schema.END_DETAIL,
      },
    )
    .get(
      '/api/ops/experiments',
      async ({ query }) => {
        const { limit = schema.DEFAULT_LIMIT } = query;
        const after = readCursor(query.cursor);
        const page = await listExperiments(readModels, await context.collection('experiments'), { limit, after });
        const items = page.items.map((experiment) => presentExperiment(experiment, clock.nowMs()));
        return success({ items, next_cursor: writeCursor(page.next) });
      },
      {
        positioned: 'experiments',
        operator: true,
        query: schema.EXPERIMENTS_QUERY,
        response: schema.EXPERIMENTS_ANSWER,
        detail: schema.LIST_DETAIL,
      },
    )
    .get(
      '/api/ops/experiments/:id',
      async ({ params: { id }, call }) => {
        const read = await readExperiment(id, context);
        if (read.kind === 'refused') return call.refuse(read);
        const { experiment } = read;
        const collection = await context.collection('experimentanswers');
        const counted = await countArms(readModels, collection, experiment.experimentId);
        return success(presentResults(experiment, counted, clock.nowMs()));
      },
      {
        positioned: 'experimentanswers',
        operator: true,
        params: schema.EXPERIMENT_PATH,
        response: schema.RESULTS_ANSWER,
        detail: schema.READ_DETAIL,
      },
    );
}

type StartBody = Static<ReturnType<typeof schema.startBody>['schema']>;

function wantedIn({ name, city, arms, reason, ...stop }: StartBody, { clock, rankingModel }: HttpContext) {
  const [first, second] = arms.map((arm) => armOf(arm, rankingModel));
  if (first === undefined || second === undefined) throw new Error('a request without two arms has passed its schema');
  const endsAtMs = stop.ends_at === undefined ? null : parseTimestamp(stop.ends_at);
  return {
    name,
    city: city === undefined ? null : findCity(city),
    arms: [first, second] as const,
    stop: { endsAtMs: endsAtMs ?? clock.nowMs() + MAX_EXPERIMENT_MS, answersPerArm: stop.answers_per_arm ?? null },
    reason,
  };
}
