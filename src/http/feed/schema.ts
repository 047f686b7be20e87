import { Type } from 'typebox';
import { EVENT_CONTRACTS, EXAMPLE_ENVELOPE } from '../../webhooks/event-contracts.ts';
import { parsePublicEventId } from '../../webhooks/identifiers.ts';
import { pageOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { optional, query } from '../schema.ts';
import { PUBLIC_EVENT } from '../webhook/schema.ts';

export const DEFAULT_LIMIT = 20;

export const FEED_QUERY = query(
  Type.Object({
    after: optional(
      Type.Refine(Type.String({ maxLength: 80 }), (text) => parsePublicEventId(text) !== null),
      "an event's id",
    ),
    limit: field.limit(100, DEFAULT_LIMIT),
  }),
);

const EXAMPLE = {
  ...EXAMPLE_ENVELOPE,
  event: 'booking_confirmed' as const,
  data: EVENT_CONTRACTS.booking_confirmed.example,
};

export const FEED_ANSWER = answers(pageOf(PUBLIC_EVENT), { items: [EXAMPLE], next_cursor: null }, []);

export const EVENT_FEED_DETAIL = {
  operationId: 'event_feed',
  summary: "The key's events, oldest first",
  description:
    'All events of the key, of all types, with the same ids and bytes that a receiver gets, for as long as the ' +
    'delivery log is kept; the key needs no receiver. The events of one booking are in the order in which they ' +
    'happened. No event is inserted later before one that was returned. Send the `id` of the last event that you ' +
    'processed as `after`. `next_cursor` is the `id` of the last item; null if there are no more events now.',
};
