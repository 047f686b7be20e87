import { Type } from 'typebox';
import { ROLES } from '../../domain/operator/roles.ts';
import { extended, oneOf, pageOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { body, optional, path, query, required } from '../schema.ts';

export const DEFAULT_LIMIT = 20;

const NAME = Type.String({ minLength: 1, maxLength: 120, pattern: '\\S' });
const NAME_RULE = 'a name of 1 to 120 characters in one line';
const ROLE = oneOf(ROLES, { $id: 'Role' });
const ROLE_RULE = `one of ${ROLES.join(', ')}`;

const OPERATOR = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    role: ROLE,
    active: Type.Boolean({ description: 'False once revoked.' }),
    created_at: TIMESTAMP,
  },
  { $id: 'Operator' },
);
const WITH_TOKEN = extended(
  OPERATOR,
  { token: Type.String({ description: '`wmo_` and 64 hexadecimal characters. Returned in this answer only.' }) },
  { $id: 'OperatorWithToken' },
);

const EXAMPLE = {
  id: 'op_3f0d9a52c1b84e67',
  name: 'Mai, front desk',
  role: 'support' as const,
  active: true,
  created_at: '2026-11-27T06:40:00.000Z',
};
const REFUSALS = ['NOT_FOUND', 'SERVICE_UNAVAILABLE'] as const;

export const OPERATOR_PATH = path({ id: 'The `id` of an operator.' });

export const CREATE_BODY = body(
  Type.Object(
    { name: required(NAME, NAME_RULE), role: required(ROLE, ROLE_RULE) },
    { examples: [{ name: 'Mai, front desk', role: 'support' }] },
  ),
);

export const CHANGE_BODY = body(
  Type.Object({ name: optional(NAME, NAME_RULE), role: optional(ROLE, ROLE_RULE) }, { examples: [{ role: 'viewer' }] }),
);

export const OPERATORS_QUERY = query(Type.Object({ limit: field.limit(100, DEFAULT_LIMIT), cursor: field.cursor }));

export const OPERATORS_ANSWER = answers(pageOf(OPERATOR), { items: [EXAMPLE], next_cursor: null }, []);
export const CREATED_ANSWER = answers(
  WITH_TOKEN,
  { ...EXAMPLE, token: '<OPERATOR_TOKEN>' },
  ['SERVICE_UNAVAILABLE'],
  ['x-position'],
);
export const CHANGED_ANSWER = answers(OPERATOR, { ...EXAMPLE, role: 'viewer' as const }, REFUSALS, ['x-position']);
export const ROTATED_ANSWER = answers(WITH_TOKEN, { ...EXAMPLE, token: '<OPERATOR_TOKEN>' }, REFUSALS, ['x-position']);
export const REVOKED_ANSWER = answers(OPERATOR, { ...EXAMPLE, active: false }, REFUSALS, ['x-position']);

export const LIST_OPERATORS_DETAIL = {
  operationId: 'list_operators',
  summary: 'All named operators',
  description: 'Newest first, revoked ones included, without the two tokens of the settings.',
};

export const CREATE_OPERATOR_DETAIL = {
  operationId: 'create_operator',
  summary: 'Create an operator',
  description: 'This answer is the only one that returns the token. Two operators may have one name; the `id` differs.',
};

export const CHANGE_OPERATOR_DETAIL = {
  operationId: 'change_operator',
  summary: "Change an operator's name or role",
  description:
    'A member that is left out stays as it is. The change applies from this answer on, on other nodes within a second.',
};

export const ROTATE_OPERATOR_DETAIL = {
  operationId: 'rotate_operator',
  summary: "Replace an operator's token",
  description:
    'This answer is the only one that returns the new token. The earlier token ends with it, on other nodes within a second.',
};

export const REVOKE_OPERATOR_DETAIL = {
  operationId: 'revoke_operator',
  summary: 'Revoke an operator',
  description:
    "The operator's token ends with this answer, on other nodes within a second; a request that was admitted before is " +
    'answered. It cannot be undone; the list keeps the operator.',
};
