import { Type } from 'typebox';
import { parsePublicEventId } from '../../webhooks/identifiers.ts';
import { pageOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { optional, query } from '../schema.ts';
import { DELIVERY_EXAMPLE, PUBLIC_EVENT } from '../webhook/schema.ts';

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

export const FEED_ANSWER = answers(pageOf(PUBLIC_EVENT), { items: [DELIVERY_EXAMPLE.payload], next_cursor: null }, []);
