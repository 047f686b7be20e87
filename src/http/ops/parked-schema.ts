import { Type } from 'typebox';
import { nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { body, optional, path, required } from '../schema.ts';

export const PARKED_ITEM = Type.Object(
  {
    reader: Type.String({ description: 'A process manager, or a version of a projection.' }),
    item: Type.String({ description: 'The id of the event, or the key of the command.' }),
    kind: oneOf(['event', 'command']),
    status: oneOf(['parked', 'retried', 'skipped'], {
      description: 'Parked items wait for an operator. Retried ones are not read again yet.',
    }),
    event: nullable(
      Type.Object({
        stream: Type.String(),
        revision: Type.Integer({ minimum: 0 }),
        type: Type.String({ description: 'The type with the version in which the event is stored.' }),
        position: Type.String({ description: 'A position in the log.' }),
      }),
    ),
    fault: Type.String({ description: 'Why it failed.' }),
    parked_at: TIMESTAMP,
    decision: nullable(
      Type.Object({
        by: Type.String(),
        reason: Type.String(),
        at: TIMESTAMP,
      }),
    ),
  },
  { $id: 'ParkedItem' },
);

const EXAMPLE = {
  reader: 'claim-reaper',
  item: '7c9a6f0e-8f43-4a0b-9a51-5f0a4d8f6a11',
  kind: 'event',
  status: 'parked',
  event: { stream: 'booking-0', revision: 0, type: 'BookingConfirmed.v3', position: '0000000000000417' },
  fault: 'TypeError: undefined is not an object',
  parked_at: '2026-11-21T06:49:20.976Z',
  decision: null,
} as const;

export const PARKED_ANSWER = answers(Type.Object({ items: Type.Array(PARKED_ITEM) }), { items: [EXAMPLE] }, []);

export const READER_PATH = path({ reader: 'The name of a reader, as the list of parked items returns it.' });

const REASON = required(Type.String({ minLength: 1, maxLength: 500 }), 'a text of 1 to 500 characters in one line');

export const DECISION_BODY = body(
  Type.Object(
    {
      item: required(Type.String({ minLength: 1, maxLength: 500 }), 'the item, as the list of parked items returns it'),
      reason: REASON,
      operator: optional(Type.String({ minLength: 1, maxLength: 100 }), 'your name, 1 to 100 characters in one line'),
    },
    { examples: [{ item: EXAMPLE.item, reason: 'Another program wrote it.', operator: 'mai' }] },
  ),
);

const DECIDED = { by: 'mai', reason: 'Another program wrote it.', at: '2026-11-21T07:02:11.104Z' };

export const RETRIED_ANSWER = answers(
  Type.Object({
    item: PARKED_ITEM,
    rebuild: nullable(
      oneOf(['started', 'running'], {
        description:
          'Of a projection. `running`: another rebuild is under way and may leave the item out; retry it again later.',
      }),
    ),
  }),
  { item: { ...EXAMPLE, status: 'retried', decision: DECIDED }, rebuild: null },
  ['NOT_FOUND'],
);

export const SKIPPED_ANSWER = answers(
  Type.Object({ item: PARKED_ITEM }),
  { item: { ...EXAMPLE, status: 'skipped', decision: DECIDED } },
  ['NOT_FOUND'],
);

export const LIST_PARKED_DETAIL = {
  operationId: 'list_parked',
  summary: 'What readers of the log left out',
  description:
    'Events that a reader could not apply, and commands that failed for ever; the reader went on without them.',
};

export const RETRY_PARKED_DETAIL = {
  operationId: 'retry_parked',
  summary: 'Have a reader read a parked item again',
  description:
    'A process manager reads the log again from before the item. A projection is rebuilt with the event. An item that fails ' +
    'again is parked again.',
};

export const SKIP_PARKED_DETAIL = {
  operationId: 'skip_parked',
  summary: 'Leave a parked item out for good',
  description: 'The stored event names who decided and why. A rebuild leaves the item out too.',
};
