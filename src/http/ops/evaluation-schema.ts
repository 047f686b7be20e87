import { type Static, Type } from 'typebox';
import { GROUND_TRUTH_POWER } from '../../domain/recommendation/ranking-model.ts';
import type { Weights } from '../../domain/recommendation/score.ts';
import { COUNT, nullable, oneOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { body, optional, type Rule, required } from '../schema.ts';

const PERCENT = Type.Integer({ minimum: 0, maximum: 100 });
const SHARE = Type.Number({ minimum: 0, maximum: 1 });

const WEIGHTS = Type.Object({
  profile: PERCENT,
  ground_truth: PERCENT,
  weather: PERCENT,
  time: PERCENT,
  price: PERCENT,
});

const MODEL = Type.Object({
  name: required(Type.String({ minLength: 1, maxLength: 100 }), 'a name of 1 to 100 characters in one line'),
  weights: optional(
    WEIGHTS,
    'an object of profile, ground_truth, weather, time and price in whole percent; their sum is 100',
  ),
  ground_truth_power: optional(
    Type.Number({
      minimum: 0,
      maximum: 8,
      default: GROUND_TRUTH_POWER,
      description: 'The exponent of r in the factor r^power / (r^power + 1).',
    }),
    'a number from 0 to 8',
  ),
  exploration_percent: optional(Type.Number({ minimum: 0, maximum: 50, default: 0 }), 'a number from 0 to 50'),
});

export type ModelFile = Static<typeof MODEL>;

const weightsRule: Rule = ({ model }) => {
  const sum = Object.values(weightsIn(model)).reduce((total, weight) => total + weight, 0);
  if (sum === 100) return null;
  return { code: 'INVALID_REQUEST', sentence: `model.weights have the sum ${sum}; send weights with the sum 100.` };
};

/** Of a body whose weights are valid; without weights those in force, whose sum is 100. */
function weightsIn(model: unknown): Readonly<Record<string, number>> {
  // The rule runs only after the schema of `model.weights` has passed.
  const { weights } = model as ModelFile;
  return weights ?? { all: 100 };
}

export const evaluationBody = (context: HttpContext) =>
  body(
    Type.Object(
      {
        model: required(MODEL, 'an object with a name and parameters'),
        from: anyExactDate('from', noCity, context),
        to: anyExactDate('to', noCity, context),
        city: field.cityName,
      },
      {
        examples: [
          {
            model: {
              name: 'more-ground-truth',
              weights: { profile: 25, ground_truth: 35, weather: 18, time: 13, price: 9 },
            },
            from: '2026-11-01',
            to: '2026-11-20',
            city: 'Bangkok',
          },
        ],
      },
    ),
    { ...field.rangeRules, 'model.weights': weightsRule },
  );

/** The weights of a model file under the names of the domain. */
export function namedWeights({ ground_truth: groundTruth, ...others }: Static<typeof WEIGHTS>): Weights {
  return { groundTruth, ...others };
}

const ESTIMATE = Type.Object(
  { value: Type.Number(), low: Type.Number(), high: Type.Number() },
  { $id: 'Estimate', description: 'Visits per answer, with the 95 % interval.' },
);

const PLACE = Type.Object({
  place: COUNT,
  answers: COUNT,
  visits: COUNT,
  in_force: Type.Number(),
  estimated: nullable(Type.Number({ description: 'From which of the shown activities was visited.' })),
  drawn: COUNT,
  drawn_visits: COUNT,
  of_drawn: nullable(Type.Number({ description: 'From the activities that exploration drew.' })),
});

const REPORT = Type.Object(
  {
    model: Type.String(),
    answers: COUNT,
    visits: COUNT,
    other_models: Type.Integer({ minimum: 0, description: 'Answers left out: this release cannot replay them.' }),
    visits_per_answer: ESTIMATE,
    effective_sample: Type.Number({ minimum: 0 }),
    differing: Type.Integer({ minimum: 0, description: 'Answers in which the model prefers another activity.' }),
    differing_explored: Type.Integer({ minimum: 0, description: 'Of these, those that could have shown another.' }),
    overlap: Type.Number({ ...SHARE, description: "Share of the model's first places that the logs support." }),
    conclusion: oneOf(['more_visits', 'fewer_visits', 'no_difference_shown', 'refused']),
    reasons: Type.Array(Type.String(), { description: 'Why the logs cannot support a conclusion.' }),
    snips: nullable(ESTIMATE),
    doubly_robust: nullable(ESTIMATE),
    difference: nullable(ESTIMATE),
    ndcg_at_10: nullable(Type.Object({ now: SHARE, model: SHARE })),
    moves: Type.Array(
      Type.Object({
        activity_id: Type.String(),
        answers: COUNT,
        mean_place_change: Type.Number({ description: 'Negative: nearer to the first place.' }),
      }),
    ),
    place_curve: Type.Object({ version: Type.String(), places: Type.Array(PLACE) }),
  },
  { $id: 'Evaluation' },
);

export type ReportAnswer = Static<typeof REPORT>;

const EXAMPLE: ReportAnswer = {
  model: 'more-ground-truth',
  answers: 48211,
  visits: 6120,
  other_models: 0,
  visits_per_answer: { value: 0.1269, low: 0.1239, high: 0.1299 },
  effective_sample: 5120.4,
  differing: 9120,
  differing_explored: 8870,
  overlap: 0.991,
  conclusion: 'more_visits',
  reasons: [],
  snips: { value: 0.1371, low: 0.1283, high: 0.1459 },
  doubly_robust: { value: 0.1366, low: 0.1291, high: 0.1441 },
  difference: { value: 0.0097, low: 0.0021, high: 0.0173 },
  ndcg_at_10: { now: 0.741, model: 0.752 },
  moves: [{ activity_id: 'bkk-bamboo-bar', answers: 48211, mean_place_change: -1.4 }],
  place_curve: {
    version: 'places-1',
    places: [
      {
        place: 1,
        answers: 48211,
        visits: 2810,
        in_force: 1,
        estimated: 1,
        drawn: 410,
        drawn_visits: 24,
        of_drawn: 1,
      },
    ],
  },
};

export const EVALUATION_ANSWER = answers(
  Type.Object({
    progress: nullable(
      Type.Object(
        { events: COUNT, answers: COUNT, position: Type.String(), head: Type.String() },
        {
          description: 'Of the pass over the log; null with the report.',
        },
      ),
    ),
    report: nullable(REPORT),
  }),
  { progress: null, report: EXAMPLE },
  ['INVALID_REQUEST', 'RATE_LIMITED'],
);

export const EVALUATE_DETAIL = {
  operationId: 'evaluate_model',
  summary: 'Evaluate other ranking parameters on the logged answers',
  description:
    'Estimates how many verified visits per answer a model would have, and stores nothing. An answer comes after a second; ' +
    'send the same request again until it has the `report`. One evaluation at a time; it ends if nobody asks for a minute.',
};
