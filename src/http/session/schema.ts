import { Type } from 'typebox';
import { ROLES } from '../../domain/operator/roles.ts';
import { nullable, oneOf, PERMISSION, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { headerParameter } from '../header-macros.ts';
import { body, required } from '../schema.ts';

const SESSION = Type.Object(
  {
    kind: oneOf(['key', 'operator']),
    id: Type.String(),
    prefix: nullable(Type.String()),
    name: Type.String(),
    role: nullable(oneOf(ROLES)),
    /** Like `prefix` of the key; an operator has none. */
    permissions: Type.Array(PERMISSION),
    expires_at: TIMESTAMP,
    idle_until: Type.String({ format: 'date-time', description: 'The end without a further request.' }),
    csrf_token: Type.String({ description: 'For the header `x-csrf-token` of writes.' }),
  },
  { $id: 'Session' },
);

const EXAMPLE = {
  kind: 'operator' as const,
  id: 'op_7k2m0q98b5n7gk2m',
  prefix: null,
  name: 'Nok',
  role: 'support' as const,
  permissions: [],
  expires_at: '2026-11-22T18:30:00.000Z',
  idle_until: '2026-11-22T07:00:00.000Z',
  csrf_token: '5f0c7d1a92b84e63a1d7c05e9b3f2864',
};

/** The longest token. Operators choose those of the settings. */
const MAX_TOKEN_CHARACTERS = 4_096;

/** The token is not stored, so it may be any text without spaces. */
export const SIGN_IN_BODY = body(
  Type.Object(
    {
      token: required(
        Type.String({ minLength: 1, maxLength: MAX_TOKEN_CHARACTERS, pattern: '^\\S+$' }),
        "an API key or an operator's token, without spaces",
      ),
    },
    { examples: [{ token: '<OPERATOR_TOKEN>' }] },
  ),
  {},
  ['token'],
);

/** The codes that the same key or token has in a header. */
export const SIGN_IN_ANSWER = answers(SESSION, EXAMPLE, [
  'INVALID_API_KEY',
  'INVALID_TOKEN',
  'KEY_INACTIVE',
  'IP_NOT_ALLOWED',
  'FORBIDDEN',
  'SERVICE_UNAVAILABLE',
]);
export const CURRENT_SESSION_ANSWER = answers(SESSION, EXAMPLE, []);
export const SIGN_OUT_ANSWER = answers(
  Type.Object({ ended_at: TIMESTAMP }),
  { ended_at: '2026-11-22T06:41:07.250Z' },
  [],
);

export const SIGN_IN_DETAIL = {
  operationId: 'sign_in',
  summary: 'Sign in to the dashboard',
  description:
    "Starts a session with the rights of the key or token. It sets the cookie `waymark_session`; every later answer but that of `GET /api/live` renews it. A session ends after 12 hours, after 30 minutes without a request, and within a second of its key's or token's end.",
};
export const CURRENT_SESSION_DETAIL = {
  operationId: 'current_session',
  summary: 'The session of the caller',
  description: 'Who signed in, and the token for writes.',
};
export const SIGN_OUT_DETAIL = {
  operationId: 'sign_out',
  summary: 'Sign out of the dashboard',
  description: 'Ends the session on every node within a second, and deletes the cookie.',
  parameters: [headerParameter('x-csrf-token')],
};
