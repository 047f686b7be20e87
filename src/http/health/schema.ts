import { Type } from 'typebox';
import { PLANS } from '../../domain/apikey/apikey.ts';
import { MODE, nullable, oneOf, PERMISSION, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { PARKED_ITEM } from '../ops/parked-schema.ts';

export const KEY_WORKS_ANSWER = answers(
  Type.Object({
    status: Type.Literal('ok'),
    version: Type.String(),
    time: TIMESTAMP,
    key: Type.Object({
      prefix: Type.String(),
      mode: MODE,
      name: Type.String(),
      plan: oneOf(PLANS),
      permissions: Type.Array(PERMISSION),
      daily_remaining: nullable(Type.Integer({ minimum: 0, description: 'Null: unlimited.' })),
    }),
  }),
  {
    status: 'ok',
    version: '0.1.0',
    time: '2026-11-21T06:41:00.000Z',
    key: {
      prefix: 'pk_9c41d7',
      mode: 'live' as const,
      name: 'Trip planner',
      plan: 'basic' as const,
      permissions: ['execute_booking', 'inventory'] as const,
      daily_remaining: 988,
    },
  },
  [],
);

export const ALIVE_ANSWER = answers(Type.Object({ status: Type.Literal('ok') }), { status: 'ok' }, []);

export const READY_ANSWER = answers(
  Type.Object({
    status: Type.Literal('ready'),
    checks: Type.Record(Type.String(), Type.Boolean()),
    parked: Type.Optional(
      Type.Array(PARKED_ITEM, { description: 'What the readers of this node left out; at most 20.' }),
    ),
    parked_total: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  {
    status: 'ready',
    checks: { accepting_requests: true, event_store: true, read_models: true, projections_caught_up: true },
  },
  ['SERVICE_UNAVAILABLE'],
);

export const HEALTH_DETAIL = {
  operationId: 'health',
  tags: ['Keys'],
  summary: 'Check an API key',
  description: 'For any valid key. The request counts for no limit.',
};

export const LIVEZ_DETAIL = {
  operationId: 'livez',
  tags: ['Operation'],
  summary: 'Liveness',
  description: 'Liveness probe: restart a process that does not answer.',
};

export const READYZ_DETAIL = {
  operationId: 'readyz',
  tags: ['Operation'],
  summary: 'Readiness',
  description:
    'Readiness probe for a load balancer. Otherwise 503: the error names each check that fails, `details` the reasons. ' +
    'An event that a reader left out is shown in `parked`; the node stays ready.',
};
