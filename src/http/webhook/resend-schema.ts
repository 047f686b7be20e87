import { Type } from 'typebox';
import { WEBHOOK_EVENTS } from '../../domain/delivery/delivery.ts';
import { COUNT, nullable, WEBHOOK_EVENT } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { body, optional } from '../schema.ts';
import { DELIVERY, DELIVERY_EXAMPLE, KEY } from './schema.ts';

const SUSPENDED = Type.Integer({
  minimum: 0,
  description: 'How many were skipped because their receiver is suspended: `POST /api/webhooks/enable` first.',
});

export const RECOVER_BODY = body(
  Type.Object(
    {
      since: field.moment,
      status: field.choice(['failed', 'retrying'], { default: 'failed' }),
      cursor: field.cursor,
      key: KEY,
    },
    { examples: [{ since: '2026-11-20T02:00:00Z' }] },
  ),
);

export const REPLAY_BODY = body(
  Type.Object(
    {
      from: field.moment,
      to: field.anyMoment,
      events: optional(
        Type.Array(WEBHOOK_EVENT, { minItems: 1 }),
        `a list of ${WEBHOOK_EVENTS.join(', ')}, with one of them at least`,
      ),
      cursor: field.cursor,
      key: KEY,
    },
    { examples: [{ from: '2026-11-19', to: '2026-11-20T06:00:00Z', events: ['booking_confirmed'] }] },
  ),
  field.rangeRules,
);

export const RESENT_ANSWER = answers(
  DELIVERY,
  DELIVERY_EXAMPLE,
  ['NOT_FOUND', 'WEBHOOK_SUSPENDED', 'SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const RECOVERED_ANSWER = answers(
  Type.Object({ resent: COUNT, suspended: SUSPENDED, next_cursor: nullable(Type.String()) }),
  { resent: 12, suspended: 0, next_cursor: null },
  ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
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
  ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const REPLAY_DETAIL = {
  operationId: 'replay_events',
  summary: 'Send the events of a period again',
  description:
    'Sends every event since `from` and before `to` again (a date includes the whole day), whether or not it was delivered or ' +
    'had a receiver: with the same event id and bytes, as a new delivery, to the present URL, signed with the present ' +
    "secret. `events` selects types; without it, the key's `webhook_events` do. A booking's own URL gets the events of that " +
    'booking. One request covers at most 500 events: if `next_cursor` is not null, send it back as ' +
    '`cursor`, with the other fields unchanged. Repeated with the same `Idempotency-Key` it sends nothing twice. No event is ' +
    'older than the delivery log.',
};

export const RESEND_DETAIL = {
  operationId: 'resend_delivery',
  summary: 'Send a delivery again',
  description:
    'Makes one more round of attempts, the first at once, then with the same pauses, whatever the status of the delivery: ' +
    'with the same event id and bytes, to the present URL, signed with the present secret. The delivery keeps its earlier ' +
    'attempts. A delivery that is being retried gets its next attempt at once. A suspended receiver, and a test, are refused. Repeated ' +
    'with the same `Idempotency-Key` it changes nothing.',
};

export const RECOVER_DETAIL = {
  operationId: 'recover_deliveries',
  summary: 'Send all deliveries that failed since a time again',
  description:
    'Sends every delivery again that was scheduled at `since` or later and is `failed` now, oldest first; with `status` ' +
    '`retrying`, those that wait for their next attempt. One request covers at most 500: if `next_cursor` is not null, send ' +
    'it back as `cursor`, with the same `since`. Others stay as they are. With the same `Idempotency-Key`, no delivery is ' +
    'sent again twice.',
};
