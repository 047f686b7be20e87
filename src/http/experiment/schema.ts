import { Type } from 'typebox';
import { MAX_EXPERIMENT_MS } from '../../domain/experiment/experiment.ts';
import { DEFAULT_MODEL_NAME, GROUND_TRUTH_POWER } from '../../domain/recommendation/ranking-model.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import { CITY_NAME, COUNT, extended, nullable, oneOf, pageOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import * as field from '../fields.ts';
import { body, optional, path, query, required } from '../schema.ts';
import { armsRule, endRule, stopRule } from './rules.ts';

export const DEFAULT_LIMIT = 20;
const MAX_DAYS = MAX_EXPERIMENT_MS / DAY_MS;
const [LEAST_POWER, GREATEST_POWER] = [0.25, 8];
const MOST_EXPLORATION = 50;

const MODEL_NAME = Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,29}$' });
const SHARE = Type.Integer({ minimum: 1, maximum: 99, description: 'Of the travellers, in percent.' });
const POWER = Type.Number({
  minimum: LEAST_POWER,
  maximum: GREATEST_POWER,
  description: 'The exponent p of `ground_truth`, r^p / (r^p + 1).',
});
const EXPLORATION = Type.Integer({ minimum: 0, maximum: MOST_EXPLORATION });
const ANSWERS_PER_ARM = Type.Integer({ minimum: 100, maximum: 100_000_000 });

const WANTED_ARM = Type.Object({
  name: MODEL_NAME,
  share: SHARE,
  ground_truth_power: Type.Optional(POWER),
  exploration_percent: Type.Optional(EXPLORATION),
});
const ARMS_RULE =
  'a list of two arms, each {"name": lower-case letters, digits, "." and "-", at most 30, "share": 1 to 99, ' +
  `"ground_truth_power": ${LEAST_POWER} to ${GREATEST_POWER}, "exploration_percent": 0 to ${MOST_EXPLORATION}}`;

export function startBody(context: Pick<HttpContext, 'clock' | 'rankingModel'>) {
  const fields = {
    name: required(Type.String({ minLength: 1, maxLength: 80, pattern: '\\S' }), 'a text of 1 to 80 characters'),
    city: field.cityName,
    arms: required(Type.Array(WANTED_ARM, { minItems: 2, maxItems: 2 }), ARMS_RULE),
    ends_at: optional(field.TIMESTAMP, field.TIMESTAMP_RULE, 'INVALID_DATE'),
    answers_per_arm: optional(ANSWERS_PER_ARM, 'a whole number from 100 to 100000000'),
    reason: required(
      Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
      'a text of 1 to 200 characters in one line',
    ),
  };
  return body(Type.Object(fields, { examples: [START_EXAMPLE] }), {
    arms: armsRule(context),
    ends_at: endRule(context),
    reason: stopRule,
  });
}

const START_EXAMPLE = {
  name: 'A steeper ground truth',
  city: 'Bangkok',
  arms: [
    { name: DEFAULT_MODEL_NAME, share: 50 },
    { name: 'power-4', share: 50, ground_truth_power: 4 },
  ],
  ends_at: '2026-12-21T00:00:00Z',
  answers_per_arm: 20_000,
  reason: 'The evaluation expects 4 % more visits.',
};

export const EXPERIMENT_PATH = path({ id: 'The `id` of an experiment.' });

export const EXPERIMENTS_QUERY = query(Type.Object({ limit: field.limit(100, DEFAULT_LIMIT), cursor: field.cursor }));

const EXPERIMENT = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    city: nullable(CITY_NAME),
    arms: Type.Array(
      Type.Object({ name: Type.String(), share: SHARE, ground_truth_power: POWER, exploration_percent: EXPLORATION }),
    ),
    ends_at: TIMESTAMP,
    answers_per_arm: nullable(ANSWERS_PER_ARM),
    reason: Type.String(),
    started_at: TIMESTAMP,
    started_by: Type.String(),
    ended: nullable(Type.Object({ at: TIMESTAMP, by: Type.String(), why: oneOf(['operator', 'stop rule']) })),
  },
  { $id: 'Experiment' },
);

const ESTIMATE = nullable(
  Type.Object(
    { value: Type.Number(), low: Type.Number(), high: Type.Number() },
    { $id: 'RateEstimate', description: 'With its 95 % interval. Null: an arm has no answers.' },
  ),
);

const RESULTS = Type.Object({
  arms: Type.Array(
    Type.Object({
      name: Type.String(),
      answers: COUNT,
      booked: COUNT,
      confirmed: COUNT,
      visited: COUNT,
      visits_per_100_answers: ESTIMATE,
    }),
    { description: 'The answers of each arm, and those that led to a booking, a confirmed one and a visit.' },
  ),
  difference: ESTIMATE,
  concluded: Type.Boolean(),
  conclusion: Type.String(),
});

const STARTED_EXAMPLE = {
  id: 'exp_5d41402abc4b2a76',
  name: START_EXAMPLE.name,
  city: 'Bangkok' as const,
  arms: [
    { name: DEFAULT_MODEL_NAME, share: 50, ground_truth_power: GROUND_TRUTH_POWER, exploration_percent: 10 },
    { name: 'power-4', share: 50, ground_truth_power: 4, exploration_percent: 10 },
  ],
  ends_at: '2026-12-21T00:00:00.000Z',
  answers_per_arm: 20_000,
  reason: START_EXAMPLE.reason,
  started_at: '2026-11-21T03:00:00.000Z',
  started_by: 'admin',
  ended: null,
};

export const EXPERIMENT_ANSWER = answers(
  EXPERIMENT,
  STARTED_EXAMPLE,
  ['EXPERIMENT_RUNNING', 'SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const ENDED_ANSWER = answers(
  EXPERIMENT,
  { ...STARTED_EXAMPLE, ended: { at: '2026-11-25T03:00:00.000Z', by: 'admin', why: 'operator' as const } },
  ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const EXPERIMENTS_ANSWER = answers(pageOf(EXPERIMENT), { items: [STARTED_EXAMPLE], next_cursor: null }, []);

export const RESULTS_ANSWER = answers(
  extended(EXPERIMENT, { results: RESULTS }, { $id: 'ExperimentResults' }),
  {
    ...STARTED_EXAMPLE,
    results: {
      arms: [
        {
          name: DEFAULT_MODEL_NAME,
          answers: 4_000,
          booked: 210,
          confirmed: 200,
          visited: 160,
          visits_per_100_answers: { value: 4, low: 3.44, high: 4.65 },
        },
        {
          name: 'power-4',
          answers: 4_010,
          booked: 225,
          confirmed: 214,
          visited: 170,
          visits_per_100_answers: { value: 4.24, low: 3.66, high: 4.91 },
        },
      ],
      difference: { value: 0.24, low: -0.64, high: 1.12 },
      concluded: false,
      conclusion: 'Not concluded: it runs until 2026-12-21T00:00:00.000Z, or until each arm has 20000 answers.',
    },
  },
  ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
);

export const START_DETAIL = {
  operationId: 'start_experiment',
  summary: 'Start an experiment with two ranking models',
  description:
    'Each traveller of a live key has one model, by a hash of key and profile. The stop rule is fixed here: it ends at ' +
    `\`ends_at\`, at the latest after ${MAX_DAYS} days, or earlier with \`answers_per_arm\` in both arms. Without \`city\` it ` +
    `runs in every city. The name \`${DEFAULT_MODEL_NAME}\` is the present model.`,
};

export const END_DETAIL = {
  operationId: 'end_experiment',
  summary: 'End an experiment before its stop rule',
  description: 'Such an experiment stays without a conclusion.',
};

export const LIST_DETAIL = {
  operationId: 'list_experiments',
  summary: 'All experiments',
  description: 'The latest first.',
};

export const READ_DETAIL = {
  operationId: 'get_experiment',
  summary: 'An experiment with its results',
  description:
    '`difference` is that of the second arm less the first, in visits per 100 answers. `concluded` is false, and ' +
    '`conclusion` names no better arm, until the stop rule is met. An answer counts once, whatever its bookings.',
};
