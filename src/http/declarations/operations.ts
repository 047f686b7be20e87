import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { COUNT, nullable, oneOf } from '../schemas.ts';

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
