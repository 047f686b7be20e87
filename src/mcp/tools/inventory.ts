import { Type } from 'typebox';
import { CITY_NAMES } from '../../domain/activity/cities.ts';
import { CATEGORIES } from '../../domain/activity/vocabulary.ts';
import { type Arguments, sent, tool } from '../tool.ts';
import * as field from './fields.ts';

const item = Type.Object({
  activity_id: Type.String({ description: 'Send this to book.' }),
  title: Type.String(),
  category: Type.String(),
  available_slots: Type.Number({ description: 'Places left; one guest takes one.' }),
  price: Type.Number({ description: 'Per person, now.' }),
  currency: Type.String(),
  is_flash_deal: Type.Boolean(),
  original_price: Type.Optional(Type.Number({ description: 'Before the discount of a flash deal.' })),
  discount_percent: Type.Optional(Type.Number()),
  flash_deal_expires: Type.Optional(Type.String({ description: 'ISO 8601, UTC.' })),
  operating_hours: Type.String(),
  last_updated: Type.String({ description: 'ISO 8601, UTC.' }),
  venue_id: Type.Optional(Type.String()),
  confirmation: Type.Optional(Type.String({ description: 'instant, or on_request: the venue answers first.' })),
  date: Type.Optional(Type.String({ description: 'Send it as booking_date to book.' })),
  cancellation_policy: Type.Optional(field.policy),
});

const output = Type.Object({
  inventory: Type.Array(item),
  metadata: Type.Object({
    total_results: Type.Number({ description: 'All that match; inventory holds the first 20 of them.' }),
    flash_deals_count: Type.Number(),
    query_date: Type.String(),
    query_date_to: Type.Optional(Type.String()),
    city: Type.String(),
  }),
});

/** What can be booked in a city on a date: `GET /api/b2a/inventory`. */
export const inventoryTool = tool({
  name: 'inventory',
  title: 'Availability and prices',
  purpose:
    'What can be booked in a city on a date: places left, prices and flash deals, flash deals first, then by price. Changes nothing. Use it to check a date before booking, or to browse.',
  input: Type.Object({
    city: Type.String({
      description: `One of ${CITY_NAMES.join(', ')}. Districts and names in eight languages are understood.`,
    }),
    date: Type.Optional(
      Type.String({ description: 'The date of the visit: YYYY-MM-DD, today, tomorrow or a weekday. Default: today.' }),
    ),
    date_to: Type.Optional(
      Type.String({ description: 'The last date of a range from date, at most 31 days; one item for each date.' }),
    ),
    category: Type.Optional(field.oneOf(CATEGORIES, 'Only activities of this category.')),
    flash_deals_only: Type.Optional(
      Type.Boolean({ description: 'true: only same-day discounts of 30 to 50 percent.' }),
    ),
  }),
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  request: (args) => ({ method: 'GET', path: `/api/b2a/inventory?${query(args).toString()}` }),
  summary: ({ inventory, metadata: { total_results: total, city, query_date: date, query_date_to: to } }) =>
    `${inventory.length} of ${total} bookable ${to === undefined ? 'activities' : 'activities and dates'} in ${city} ${to === undefined ? `on ${date}` : `from ${date} to ${to}`}. To book one, send its activity_id to the tool book.`,
  repeatAdvice: '',
});

/** Sends values that are not strings as JSON: an invalid value must reach the service, which names it in its error. */
function query(args: Arguments): URLSearchParams {
  const fields = Object.entries(sent(args, ['city', 'date', 'date_to', 'category', 'flash_deals_only']));
  return new URLSearchParams(fields.map(([name, value]): [string, string] => [name, asText(value)]));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
