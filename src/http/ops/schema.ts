import { Type } from 'typebox';
import { COUNT, nullable, oneOf, pageOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { path, query } from '../schema.ts';

export const DEFAULT_LIMIT = 100;

export const POSITION = Type.String({ description: 'A position in the log.' });

const PROJECTION = Type.Object(
  {
    name: Type.String(),
    version: COUNT,
    collection: Type.String({ description: 'The collection that queries read now.' }),
    position: POSITION,
    head: Type.String({ description: 'The position of the last event in the log.' }),
    caught_up: Type.Boolean(),
    rebuild: nullable(
      Type.Object({
        events: nullable(Type.Integer({ minimum: 0, description: 'Applied events; null if another node rebuilds.' })),
        position: POSITION,
        head: POSITION,
      }),
    ),
    last_rebuild: nullable(
      Type.Union([
        Type.Object({ kind: Type.Literal('rebuilt'), collection: Type.String(), events: COUNT, differences: COUNT }),
        Type.Object({ kind: Type.Literal('failed'), message: Type.String() }),
      ]),
    ),
  },
  { $id: 'Projection' },
);

export const PROJECTION_PATH = path({ name: 'The name of a projection.' });

export const STREAM_PATH = path({
  stream: 'Its name: {category}-{id}, for example booking-bk_06h01vn0cr94nn8pxqng.',
});

export const STREAM_QUERY = query(
  Type.Object({
    limit: field.limit(100, DEFAULT_LIMIT),
    cursor: field.cursor,
  }),
);

export const PROJECTIONS_ANSWER = answers(
  Type.Object({ items: Type.Array(PROJECTION) }),
  {
    items: [
      {
        name: 'inventory',
        version: 1,
        collection: 'inventory.v1.b1',
        position: '0000000000000417',
        head: '0000000000000417',
        caught_up: true,
        rebuild: null,
        last_rebuild: { kind: 'rebuilt', collection: 'inventory.v1.b1', events: 417, differences: 0 },
      },
    ],
  },
  [],
);

export const REBUILD_ANSWER = answers(
  Type.Object({ name: Type.String(), rebuild: oneOf(['started', 'running']) }),
  { name: 'inventory', rebuild: 'started' },
  ['NOT_FOUND'],
);

export const STORED_EVENT = Type.Object(
  {
    revision: Type.Integer({ minimum: 0, description: 'Its number in the stream, from 0.' }),
    position: POSITION,
    event_id: Type.String({ format: 'uuid' }),
    type: Type.String({ description: 'The type with the version in which the event is stored.' }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'As it is stored. Data that the caller may not see is `[hidden]`.',
    }),
    at: TIMESTAMP,
    by: Type.String({ description: 'Who caused the event: a key, a device, an operator, or a part of the service.' }),
    correlation_id: Type.String({ description: 'The same for all events that one request caused.' }),
    causation_id: nullable(Type.String({ description: 'The event that caused it; null if a request did.' })),
  },
  { $id: 'StoredEvent' },
);

export const EXAMPLE_EVENT = {
  revision: 0,
  position: '0000000000000417',
  event_id: '7c9a6f0e-8f43-4a0b-9a51-5f0a4d8f6a11',
  type: 'DeviceRegistered.v1',
  data: { venueId: 'old-pier', deviceId: 'dev_5d41402abc4b2a76', name: 'Gate', hash: '[hidden]' },
  at: '2026-11-21T06:49:20.976Z',
  by: 'admin',
  correlation_id: 'req_5f0a4d8f6a11',
  causation_id: null,
};

export const STREAM_ANSWER = answers(
  pageOf(STORED_EVENT),
  {
    items: [EXAMPLE_EVENT],
    next_cursor: null,
  },
  ['NOT_FOUND', 'INVALID_REQUEST'],
);

export const LIST_PROJECTIONS_DETAIL = {
  operationId: 'list_projections',
  summary: 'The position of each projection',
  description: 'With the progress of a rebuild, or the outcome of the last one.',
};

export const READ_STREAM_DETAIL = {
  operationId: 'read_stream',
  summary: 'The events of one stream',
  description:
    'For support and audit: the events of a booking, a key or an allotment and who caused them, oldest first. Secrets ' +
    'and personal data of guests are hidden (GET /api/bookings/{booking_id} returns the guest).',
};

export const REBUILD_PROJECTION_DETAIL = {
  operationId: 'rebuild_projection',
  summary: 'Rebuild a projection from the log',
  description: 'Queries read the old collection meanwhile. The list of projections shows the progress.',
};
