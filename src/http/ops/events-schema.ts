import { Type } from 'typebox';
import { extended, pageOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { optional, query } from '../schema.ts';
import { DEFAULT_LIMIT, EXAMPLE_EVENT, STORED_EVENT } from './schema.ts';

const NAME = Type.String({ minLength: 1, maxLength: 128 });

export const EVENTS_QUERY = query(
  Type.Object({
    category: optional(NAME, 'a category of streams'),
    type: optional(NAME, 'the type of an event, with or without its version'),
    correlation_id: optional(NAME, 'the correlation id of an event'),
    direction: field.choice(['backwards', 'forwards']),
    position: optional(NAME, 'the position of an event'),
    limit: field.limit(100, DEFAULT_LIMIT),
    cursor: field.cursor,
  }),
);

export const EVENTS_ANSWER = answers(
  pageOf(extended(STORED_EVENT, { stream: Type.String() }, { $id: 'LogEvent' })),
  { items: [{ stream: 'venue-old-pier', ...EXAMPLE_EVENT }], next_cursor: null },
  ['INVALID_REQUEST', 'FORBIDDEN'],
);

export const CATEGORIES_ANSWER = answers(
  Type.Object({ items: Type.Array(Type.String()) }),
  { items: ['booking', 'venue'] },
  [],
);

export const BROWSE_EVENTS_DETAIL = {
  operationId: 'browse_events',
  summary: 'Events of the log',
  description:
    'Newest first, or forwards. An answer ends after a second: it may have fewer events, or none, and a `next_cursor` with which ' +
    'the search goes on. Hidden as in one stream.',
};

export const LIST_CATEGORIES_DETAIL = {
  operationId: 'list_stream_categories',
  summary: 'The categories of streams',
  description: 'Those that the role may read.',
};
