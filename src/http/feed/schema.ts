import { Type } from 'typebox';
import { parsePublicEventId } from '../../webhooks/identifiers.ts';
import { pageOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { optional, query } from '../schema.ts';
import { DELIVERY_EXAMPLE, PUBLIC_EVENT } from '../webhook/schema.ts';

export const DEFAULT_LIMIT = 20;

export const FEED_QUERY = query(
  Type.Object({
    after: optional(
      Type.Refine(Type.String({ maxLength: 80 }), (text) => parsePublicEventId(text) !== null),
      "an event's id",
    ),
    limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }), 'a whole number from 1 to 100'),
  }),
);

export const FEED = answers(pageOf(PUBLIC_EVENT), { items: [DELIVERY_EXAMPLE.payload], next_cursor: null }, []);
