import { Type } from 'typebox';
import { TRAVEL_TYPES } from '../../domain/activity/vocabulary.ts';
import { CITY_NAME, COUNT, DATE, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { path } from '../schema.ts';

export const EXPLANATION_PATH = path({ log_id: 'The `context.log_id` of an answer.' });

const PLACE = Type.Integer({ minimum: 1 });
const SCORE = Type.Number({ minimum: 0, maximum: 100 });

const FACTOR = Type.Object(
  {
    value: Type.Number({ minimum: 0, maximum: 1 }),
    points: Type.Number({ description: 'What it adds to the score.' }),
    change_to_swap: nullable(
      Type.Number({
        description: 'The smallest change with which the next activity comes first; null: none is enough.',
      }),
    ),
  },
  { $id: 'ExplainedFactor' },
);

const ACTIVITY = Type.Object(
  {
    activity_id: Type.String(),
    place: PLACE,
    shown: Type.Boolean({ description: 'False: one of the next best.' }),
    available_date: DATE,
    relevance_score: SCORE,
    factors: Type.Object({ profile: FACTOR, ground_truth: FACTOR, weather: FACTOR, time: FACTOR, price: FACTOR }),
    evidence: nullable(Type.String({ description: 'The visits behind `ground_truth`. Only of what was shown.' })),
    without_exploration: nullable(
      Type.Object(
        { place: PLACE, relevance_score: SCORE, ground_truth: Type.Number() },
        { description: 'Only of the activity that exploration lifted.' },
      ),
    ),
  },
  { $id: 'ExplainedActivity' },
);

export const EXPLANATION_ANSWER = answers(
  Type.Object({
    log_id: Type.String(),
    key_id: Type.String({ description: 'For analysts the pseudonym of the reports.' }),
    city: CITY_NAME,
    travel_type: oneOf(TRAVEL_TYPES),
    at: TIMESTAMP,
    model: Type.String(),
    candidates: COUNT,
    reproduced: nullable(
      Type.Boolean({ description: 'Whether the recomputed answer is the one that was sent; null for old logs.' }),
    ),
    first_place_probability: Type.Number({ description: 'With which the first one came first.' }),
    activities: Type.Array(ACTIVITY),
  }),
  {
    log_id: 'rec_06gzznzez9qfdm3bzqmg',
    key_id: 'key_3f0d9a52c1b84e67',
    city: 'Bangkok' as const,
    travel_type: 'couple' as const,
    at: '2026-11-21T10:41:00.000Z',
    model: 'weights-2',
    candidates: 31,
    reproduced: true,
    first_place_probability: 0.962104,
    activities: [
      {
        activity_id: 'bkk-bamboo-bar-jazz',
        place: 1,
        shown: true,
        available_date: '2026-11-22',
        relevance_score: 86.04,
        factors: {
          profile: { value: 1, points: 30, change_to_swap: -0.087 },
          ground_truth: { value: 0.758, points: 18.95, change_to_swap: -0.104 },
          weather: { value: 0.715, points: 14.3, change_to_swap: -0.13 },
          time: { value: 0.888, points: 13.32, change_to_swap: -0.174 },
          price: { value: 0.947, points: 9.47, change_to_swap: -0.26 },
        },
        evidence: '31 visits by couples, usual is 12',
        without_exploration: null,
      },
    ],
  },
  ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
);

export const EXPLANATION_DETAIL = {
  operationId: 'explain_recommendation',
  summary: 'Why an answer of recommend has its order',
  description: 'Recomputes the answer from its context log: the shown activities, then the next best.',
};
