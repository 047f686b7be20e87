import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { COUNT, nullable, pageOf } from '../schemas.ts';
import { LEFT_ALONE } from './resend.ts';
import { DELIVERY_EXAMPLE, PUBLIC_EVENT } from './webhooks.ts';

export const REPLAY_EVENTS = {
  by: 'key',
  permission: 'webhook',
  id: 'replay_events',
  tag: 'Webhooks',
  summary: 'Send the events of a time again',
  description:
    'Every event since `from` (and before `to`; a day in either belongs to the range) is sent again, whether it arrived or ' +
    'not, and also where nobody listened then: with the same event id and bytes, as a delivery of its own, to the URL and ' +
    "with the secret of now. `events` names which; left out, those that the key listens for. A booking's own URL gets that " +
    "booking's. One request goes through 500 events: where `next_cursor` is not null, send it back as `cursor`, with the " +
    'rest as it was. Repeated with the same `Idempotency-Key` it sends nothing twice. No event is older than the delivery log.',
  headers: ['idempotency-key', 'x-position'],
  answer: {
    data: Type.Object({
      replay_id: Type.String(),
      scheduled: COUNT,
      suspended: LEFT_ALONE,
      next_cursor: nullable(Type.String()),
    }),
    example: { replay_id: 'rpl_5t0w2m8x4k9c1v7q3z6r0d5n', scheduled: 37, suspended: 0, next_cursor: null },
    headers: ['x-position'],
  },
  refusals: ['SERVICE_UNAVAILABLE'],
  example: { from: '2026-11-20', to: '2026-11-21T06:00:00Z', events: ['booking_confirmed'] },
} as const satisfies Declaration;

export const EVENT_FEED = {
  by: 'key',
  permission: 'webhook',
  id: 'event_feed',
  tag: 'Webhooks',
  summary: "The key's events, oldest first",
  description:
    'The same events as are posted to receivers, with the same ids and bytes, whether or not anybody listened: all five ' +
    'kinds, for as long as the delivery log goes back. Those of one booking stand in the order in which they happened; an ' +
    'event that has been answered is never followed later by one that stands before it. Send the `id` of the event you took ' +
    'last as `after`: `next_cursor` is that of the last item, and null where there is no more now.',
  headers: ['x-position'],
  answer: {
    data: pageOf(PUBLIC_EVENT),
    example: { items: [DELIVERY_EXAMPLE.payload], next_cursor: null },
  },
  refusals: [],
} as const satisfies Declaration;
