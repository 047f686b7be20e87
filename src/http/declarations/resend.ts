import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { COUNT, nullable } from '../schemas.ts';
import { DELIVERY, DELIVERY_EXAMPLE } from './webhooks.ts';

/** What a request to send again leaves alone. */
export const LEFT_ALONE = Type.Integer({
  minimum: 0,
  description: 'How many were left alone, because their receiver is suspended: `POST /api/webhooks/enable` first.',
});

export const RESEND_DELIVERY = {
  by: 'key',
  permission: 'webhook',
  id: 'resend_delivery',
  tag: 'Webhooks',
  summary: 'Send a delivery again',
  description:
    'One more round of attempts, at once and then with the same pauses, whatever became of the delivery: the same event id and ' +
    "bytes, to the URL and with the secret of now. The attempts are added to the delivery's. Where it is being retried, the " +
    'next attempt is brought forward; where its receiver is suspended, it is refused. Repeated with the same `Idempotency-Key` it changes nothing.',
  params: { id: 'The `delivery_id` of a delivery of this key.' },
  headers: ['idempotency-key', 'x-position'],
  answer: {
    data: DELIVERY,
    example: { ...DELIVERY_EXAMPLE, next_attempt_at: '2026-11-21T15:20:00.000Z' },
    headers: ['x-position'],
  },
  refusals: ['NOT_FOUND', 'WEBHOOK_SUSPENDED', 'SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;

export const RECOVER_DELIVERIES = {
  by: 'key',
  permission: 'webhook',
  id: 'recover_deliveries',
  tag: 'Webhooks',
  summary: 'Send again all that has failed since a time',
  description:
    'Every delivery that was scheduled at `since` or later and is `failed` now is sent again, the oldest first. One request ' +
    'goes through 500 of them: where `next_cursor` is not null, send it back as `cursor`, with the same `since`. What is ' +
    'being retried, or arrived, is left alone. With the same `Idempotency-Key`, no delivery is sent again twice.',
  headers: ['idempotency-key', 'x-position'],
  answer: {
    data: Type.Object({ resent: COUNT, suspended: LEFT_ALONE, next_cursor: nullable(Type.String()) }),
    example: { resent: 12, suspended: 0, next_cursor: null },
    headers: ['x-position'],
  },
  refusals: ['SERVICE_UNAVAILABLE'],
  example: { since: '2026-11-21T02:00:00Z' },
} as const satisfies Declaration;
