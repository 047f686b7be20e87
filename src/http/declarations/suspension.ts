import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { nullable, TIMESTAMP } from '../schemas.ts';

/** How a receiver does. */
export const WEBHOOK_HEALTH = Type.Object(
  { failing_since: nullable(TIMESTAMP), suspended_since: nullable(TIMESTAMP) },
  {
    $id: 'WebhookHealth',
    description:
      'Since when every attempt has failed, told within a minute or so, and since when nothing is sent there any more; else null.',
  },
);
export const WEBHOOK_HEALTH_EXAMPLE = { failing_since: null, suspended_since: null };

export const ENABLE_WEBHOOK = {
  by: 'key',
  permission: 'webhook',
  id: 'enable_webhook',
  tag: 'Webhooks',
  summary: 'End the suspension of a receiver',
  description:
    "Of the key's own; with `webhook_url`, of the receiver that bookings name at its scheme, host and port. What happens from " +
    'now on is sent to it; `POST /api/webhooks/recover` sends what failed. Where nothing is suspended, nothing happens.',
  answer: { data: WEBHOOK_HEALTH, example: WEBHOOK_HEALTH_EXAMPLE, headers: ['x-position'] },
  refusals: ['SERVICE_UNAVAILABLE'],
  example: {},
} as const satisfies Declaration;
