import { Type } from 'typebox';
import { WEBHOOK_EVENTS } from '../../domain/delivery/delivery.ts';
import { COUNT, nullable, oneOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { body, optional } from '../schema.ts';
import { DELIVERY, DELIVERY_EXAMPLE } from './schema.ts';

const SUSPENDED = Type.Integer({
  minimum: 0,
  description: 'How many were skipped because their receiver is suspended: `POST /api/webhooks/enable` first.',
});

export const RECOVER_BODY = body(
  Type.Object({ since: field.moment, cursor: field.cursor }, { examples: [{ since: '2026-11-21T02:00:00Z' }] }),
);

export const REPLAY_BODY = body(
  Type.Object(
    {
      from: field.moment,
      to: field.anyMoment,
      events: optional(
        Type.Array(oneOf(WEBHOOK_EVENTS), { minItems: 1 }),
        `a list of ${WEBHOOK_EVENTS.join(', ')}, with one of them at least`,
      ),
      cursor: field.cursor,
    },
    { examples: [{ from: '2026-11-20', to: '2026-11-21T06:00:00Z', events: ['booking_confirmed'] }] },
  ),
);

export const RESENT_ANSWER = answers(
  DELIVERY,
  { ...DELIVERY_EXAMPLE, next_attempt_at: '2026-11-21T15:20:00.000Z' },
  ['NOT_FOUND', 'WEBHOOK_SUSPENDED', 'SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const RECOVERED_ANSWER = answers(
  Type.Object({ resent: COUNT, suspended: SUSPENDED, next_cursor: nullable(Type.String()) }),
  { resent: 12, suspended: 0, next_cursor: null },
  ['SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const REPLAYED_ANSWER = answers(
  Type.Object({
    replay_id: Type.String(),
    scheduled: COUNT,
    suspended: SUSPENDED,
    next_cursor: nullable(Type.String()),
  }),
  { replay_id: 'rpl_5t0w2m8x4k9c1v7q3z6r0d5n', scheduled: 37, suspended: 0, next_cursor: null },
  ['SERVICE_UNAVAILABLE'],
  ['x-position'],
);
