import { Type } from 'typebox';
import { COUNT, DATE, MODE, nullable, pageOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { optional, path, query } from '../schema.ts';
import { RELEASED_HOLD_ANSWER } from './schema.ts';

export const DEFAULT_LIMIT = 20;

const OPEN_HOLD = Type.Object(
  {
    hold_id: Type.String(),
    key_id: nullable(Type.String()),
    mode: MODE,
    activity_id: Type.String(),
    booking_date: DATE,
    guests: COUNT,
    expires_at: TIMESTAMP,
  },
  { $id: 'OpenHold' },
);

const EXAMPLE = {
  hold_id: 'hd_06gzznzez9qfdm3bzqmg',
  key_id: 'key_3f0d9a52c1b84e67',
  mode: 'live' as const,
  activity_id: 'bkk-bamboo-bar-jazz',
  booking_date: '2026-12-05',
  guests: 2,
  expires_at: '2026-11-22T06:59:59.482Z',
};

export const holdsQuery = (context: HttpContext) =>
  query(
    Type.Object({
      activity_id: field.anyActivityId,
      date: anyExactDate('date', noCity, context),
      key: optional(Type.String({ minLength: 1, maxLength: 80 }), 'the id of an API key'),
      limit: field.limit(100, DEFAULT_LIMIT),
      cursor: field.cursor,
    }),
  );

export const ANY_HOLD_PATH = path({ id: 'The `hold_id` of any hold.' });

export const LIST_HOLDS_ANSWER = answers(pageOf(OPEN_HOLD), { items: [EXAMPLE], next_cursor: null }, []);
export const RELEASE_ANY_HOLD_ANSWER = RELEASED_HOLD_ANSWER;

export const LIST_HOLDS_DETAIL = {
  operationId: 'list_holds',
  summary: 'Open holds of all API keys',
  description: 'The next to end first. `activity_id`, `date` (of the booking) and `key` (its `id`) are filters.',
};

export const RELEASE_ANY_HOLD_DETAIL = {
  operationId: 'release_any_hold',
  summary: 'Release a hold of any API key',
  description: 'Like `release_hold`.',
};
