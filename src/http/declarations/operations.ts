import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { COUNT, nullable, oneOf, pageOf, TIMESTAMP } from '../schemas.ts';

const POSITION = Type.String({ description: 'A place in the log.' });

const PROJECTION = Type.Object(
  {
    name: Type.String(),
    version: COUNT,
    collection: Type.String({ description: 'What queries read now.' }),
    position: POSITION,
    head: Type.String({ description: "The place of the log's last event." }),
    caught_up: Type.Boolean(),
    rebuild: nullable(
      Type.Object({
        events: nullable(
          Type.Integer({ minimum: 0, description: 'Applied so far; null where another node counts them.' }),
        ),
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

export const PROJECTIONS = {
  by: 'operator',
  least: 'analyst',
  id: 'list_projections',
  tag: 'Operation',
  summary: 'How far each projection is',
  description: 'And what is being rebuilt, or how the last rebuild ended.',
  answer: {
    data: Type.Object({ items: Type.Array(PROJECTION) }),
    example: {
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
  },
  refusals: [],
} as const satisfies Declaration;

export const REBUILD = {
  by: 'operator',
  least: 'admin',
  id: 'rebuild_projection',
  tag: 'Operation',
  summary: 'Rebuild a projection from the log',
  description: 'Queries are served from the old one meanwhile. Its progress is in the list of projections.',
  params: { name: 'The name of a projection.' },
  answer: {
    data: Type.Object({ name: Type.String(), rebuild: oneOf(['started', 'running']) }),
    example: { name: 'inventory', rebuild: 'started' },
  },
  refusals: ['NOT_FOUND'],
} as const satisfies Declaration;

const STORED_EVENT = Type.Object(
  {
    revision: Type.Integer({ minimum: 0, description: 'Its number in the stream, from 0.' }),
    position: POSITION,
    event_id: Type.String({ format: 'uuid' }),
    type: Type.String({ description: 'With the version that it was stored in.' }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'As it is stored. What is hidden from the asker reads `[hidden]`.',
    }),
    at: TIMESTAMP,
    by: Type.String({ description: 'Who caused it: a key, a device, an operator, or a part of the service.' }),
    correlation_id: Type.String({ description: 'The same in all that one request brought about.' }),
    causation_id: nullable(
      Type.String({ description: 'The event that it follows from; null where a request did it.' }),
    ),
  },
  { $id: 'StoredEvent' },
);

export const STREAM = {
  by: 'operator',
  least: 'analyst',
  id: 'read_stream',
  tag: 'Operation',
  summary: 'The events of one stream',
  description:
    'For support and audit: what happened to a booking, a key, an allotment, and who did it, oldest first. Secrets and who the guests are stay hidden (the booking tells that); from analysts also receivers, addresses and voucher codes.',
  params: { stream: 'Its name: {category}-{id}, for example booking-bk_06h01vn0cr94nn8pxqng.' },
  answer: {
    data: pageOf(STORED_EVENT),
    example: {
      items: [
        {
          revision: 0,
          position: '0000000000000417',
          event_id: '7c9a6f0e-8f43-4a0b-9a51-5f0a4d8f6a11',
          type: 'DeviceRegistered.v1',
          data: { venueId: 'old-pier', deviceId: 'dev_5d41402abc4b2a76', name: 'Gate', hash: '[hidden]' },
          at: '2026-11-21T06:49:20.976Z',
          by: 'admin',
          correlation_id: 'req_5f0a4d8f6a11',
          causation_id: null,
        },
      ],
      next_cursor: null,
    },
  },
  refusals: ['NOT_FOUND', 'INVALID_REQUEST'],
} as const satisfies Declaration;

export const LIVEZ = {
  by: 'anybody',
  id: 'livez',
  tag: 'Operation',
  summary: 'The process runs',
  description: 'For the platform that restarts it.',
  answer: { data: Type.Object({ status: Type.Literal('ok') }), example: { status: 'ok' } },
  refusals: [],
} as const satisfies Declaration;

export const READYZ = {
  by: 'anybody',
  id: 'readyz',
  tag: 'Operation',
  summary: 'Every role can serve',
  description: 'For the load balancer in front. Otherwise 503, and the text names what is missing.',
  answer: {
    data: Type.Object({ status: Type.Literal('ready'), checks: Type.Record(Type.String(), Type.Boolean()) }),
    example: {
      status: 'ready',
      checks: { accepting_requests: true, event_store: true, read_models: true, projections_caught_up: true },
    },
  },
  refusals: ['SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;
