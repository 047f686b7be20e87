import { Type } from 'typebox';
import { MAX_ACTIVITIES } from '../../application/learning/apply-exclusion.ts';
import { COUNT, nullable, oneOf, pageOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { body, optional, query, required } from '../schema.ts';

export const DEFAULT_LIMIT = 20;
const ID = Type.String({ minLength: 1, maxLength: 80 });

export const EXCLUSION_BODY = body(
  Type.Object(
    {
      key: optional(ID, 'the id of an API key'),
      device_id: optional(ID, 'the id of a gate device'),
      from: field.anyMoment,
      to: field.anyMoment,
      reason: required(
        Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
        'a text of 1 to 200 characters in one line',
      ),
    },
    { examples: [{ key: 'key_4c9a1f70b2de', from: '2026-11-21', reason: 'Scripted bookings.' }] },
  ),
  field.rangeRules,
);

const FACTOR = Type.Number({ minimum: 0, maximum: 1 });
const EXCLUSION = Type.Object(
  {
    exclusion_id: Type.String(),
    key: nullable(Type.String()),
    device_id: nullable(Type.String()),
    from: nullable(TIMESTAMP),
    to: nullable(TIMESTAMP),
    reason: Type.String(),
    created_at: TIMESTAMP,
    status: oneOf(['pending', 'applied']),
    applied_at: nullable(TIMESTAMP),
    visits: nullable(Type.Integer({ minimum: 0, description: 'Withdrawn; null: not counted yet.' })),
    activities: Type.Array(
      Type.Object({
        activity_id: Type.String(),
        visits: COUNT,
        ground_truth_before: FACTOR,
        ground_truth_after: FACTOR,
      }),
      { description: `Up to ${MAX_ACTIVITIES}, most withdrawn visits first, for all travellers; empty if pending.` },
    ),
  },
  { $id: 'Exclusion' },
);

const EXAMPLE = {
  exclusion_id: 'exc_h76cfakt2c43vdqm2ryg',
  key: 'key_4c9a1f70b2de',
  device_id: null,
  from: '2026-11-21T00:00:00.000Z',
  to: null,
  reason: 'Scripted bookings.',
  created_at: '2026-11-22T02:00:00.000Z',
  status: 'applied' as const,
  applied_at: '2026-11-22T02:00:00.000Z',
  visits: 20,
  activities: [{ activity_id: 'bkk-bamboo-bar-jazz', visits: 20, ground_truth_before: 0.71, ground_truth_after: 0.52 }],
};

export const EXCLUSION_ANSWER = answers(
  EXCLUSION,
  EXAMPLE,
  ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'SERVICE_UNAVAILABLE'],
  ['x-position', 'idempotent-replayed'],
);

export const EXCLUSIONS_QUERY = query(Type.Object({ limit: field.limit(100, DEFAULT_LIMIT), cursor: field.cursor }));

export const EXCLUSIONS_ANSWER = answers(pageOf(EXCLUSION), { items: [EXAMPLE], next_cursor: null }, [
  'SERVICE_UNAVAILABLE',
]);

export const EXCLUDE_DETAIL = {
  operationId: 'exclude_from_learning',
  summary: 'Exclude visits from learning',
  description:
    'Those that meet every given condition: bookings of `key`, scans of `device_id`, since `from` and before `to` (a date ' +
    'includes the whole day, in UTC); at least one. Rankings forget them, and learn from no later one. Reports do not ' +
    'change. `pending`: they are being withdrawn.',
};

export const LIST_EXCLUSIONS_DETAIL = {
  operationId: 'list_exclusions',
  summary: 'The exclusions from learning',
  description: 'Newest first.',
};
