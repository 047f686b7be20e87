import { Type } from 'typebox';
import { ROLES } from '../../domain/operator/roles.ts';
import { nullable, oneOf, pageOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { optional, query } from '../schema.ts';

export const DEFAULT_LIMIT = 50;

const ID = Type.String({ minLength: 1, maxLength: 128 });

const AUDIT_ENTRY = Type.Object(
  {
    audit_id: Type.String(),
    at: TIMESTAMP,
    kind: oneOf(['act', 'guest_read']),
    by: Type.String({
      description: 'The id of an operator (`admin`, `analyst` for the tokens of the settings) or device.',
    }),
    role: nullable(oneOf(ROLES, { description: 'The role of the operator at that time; null for a device.' })),
    venue_id: nullable(Type.String({ description: 'Of a device.' })),
    operation: Type.String({ description: 'The `operationId`.' }),
    objects: Type.Array(Type.String(), { description: 'The ids that the request names, created, or showed.' }),
    fields: Type.Array(Type.String(), { description: 'The names of the fields that were sent.' }),
    address: nullable(Type.String({ description: "The client's address." })),
    request_id: Type.String(),
    outcome: nullable(
      Type.Object(
        { status: Type.Integer(), code: nullable(Type.String()) },
        { description: 'Null if it is unknown: the service ended before its answer, and may have done the act.' },
      ),
    ),
  },
  { $id: 'AuditEntry' },
);

export const AUDIT_QUERY = query(
  Type.Object({
    operator: optional(ID, 'the id of an operator or gate device'),
    object: optional(ID, 'the id of a booking, key, venue, activity or other object'),
    operation: optional(ID, 'the operationId of an audited operation'),
    from: field.anyMoment,
    to: field.anyMoment,
    limit: field.limit(100, DEFAULT_LIMIT),
    cursor: field.cursor,
  }),
  field.rangeRules,
);

export const AUDIT_ANSWER = answers(
  pageOf(AUDIT_ENTRY),
  {
    items: [
      {
        audit_id: 'aud_06gzznzez9qfdm3bzqmg',
        at: '2026-11-27T06:49:59.482Z',
        kind: 'act' as const,
        by: 'op_3f0d9a52c1b84e67',
        role: 'support' as const,
        venue_id: null,
        operation: 'cancel_any_booking',
        objects: ['bk_h76cfakt2c43vdqm2ryg'],
        fields: ['reason'],
        address: '192.0.2.1',
        request_id: '7c9a6f0e-8f43-4a0b-9a51-5f0a4d8f6a11',
        outcome: { status: 200, code: null },
      },
    ],
    next_cursor: null,
  },
  [],
);

export const LIST_AUDIT_DETAIL = {
  operationId: 'list_audit',
  summary: 'What operators did, and who read guest data',
  description:
    'Newest first. The acts of operators, and the reads of guest data by operators and gate devices. `from` and `to` are ' +
    'times of the request; a day includes its whole day in UTC. An entry has no data of guests and no values that were sent.',
};
