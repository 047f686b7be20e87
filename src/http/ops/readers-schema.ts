import { Type } from 'typebox';
import { COUNT, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { POSITION } from './schema.ts';

export const READERS_ANSWER = answers(
  Type.Object({
    head: POSITION,
    items: Type.Array(
      Type.Object({
        reader: Type.String(),
        kind: oneOf(['projection', 'process_manager']),
        projection: nullable(Type.String()),
        position: POSITION,
        lag_seconds: nullable(
          Type.Number({
            minimum: 0,
            description:
              'Age of the oldest event that waits; null: not found in a second. A process manager stores its position every 30 s: up to that age its items can be done already.',
          }),
        ),
        parked: COUNT,
      }),
    ),
  }),
  {
    head: '0000000000000417',
    items: [
      {
        reader: 'inventory.v2',
        kind: 'projection',
        projection: 'inventory',
        position: '0000000000000417',
        lag_seconds: 0,
        parked: 0,
      },
    ],
  },
  [],
);

export const LEASES_ANSWER = answers(
  Type.Object({
    this_node: Type.Object({
      node: nullable(Type.String({ description: 'As leases name it; null with embedded stores.' })),
      roles: Type.Array(Type.String()),
      version: Type.String(),
    }),
    items: Type.Array(
      Type.Object({ name: Type.String(), node: Type.String(), since: nullable(TIMESTAMP), until: TIMESTAMP }),
    ),
  }),
  {
    this_node: { node: 'api-1-7c9a6f0e', roles: ['api'], version: '0.1.0' },
    items: [
      {
        name: 'projection-inventory.v2',
        node: 'projector-1-5f0a4d8f',
        since: '2026-11-21T06:49:20.976Z',
        until: '2026-11-21T06:59:20.976Z',
      },
    ],
  },
  [],
);

export const LIST_READERS_DETAIL = {
  operationId: 'list_readers',
  summary: 'The readers of the log',
  description:
    'Projections and process managers, with how far they are behind. A process manager waits at its oldest open item.',
};

export const LIST_LEASES_DETAIL = {
  operationId: 'list_leases',
  summary: 'Which node does what',
  description: 'The held leases. With embedded stores one node does everything.',
};
