import { Type } from 'typebox';
import { CITY_NAMES } from '../../domain/activity/cities.ts';
import { CATEGORIES, CONFIRMATIONS } from '../../domain/activity/vocabulary.ts';
import type { Declaration } from '../endpoint.ts';
import { COUNT, CURRENCY, DATE, oneOf, TIMESTAMP } from '../schemas.ts';

const INVENTORY_ITEM = Type.Object(
  {
    activity_id: Type.String({ description: 'Send it to execute_booking.' }),
    title: Type.String(),
    category: oneOf(CATEGORIES),
    available_slots: Type.Integer({ minimum: 0, description: 'One slot is one guest, children included.' }),
    price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, now.' }),
    original_price: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'Before the discount; only of a flash deal.' }),
    ),
    currency: CURRENCY,
    is_flash_deal: Type.Boolean({ description: 'Discounted now, for who books it on the day itself.' }),
    flash_deal_expires: Type.Optional(TIMESTAMP),
    discount_percent: Type.Optional(Type.Integer({ minimum: 30, maximum: 50 })),
    operating_hours: Type.String({ description: 'Local times, `HH:MM-HH:MM`.' }),
    last_updated: TIMESTAMP,
    venue_id: Type.String(),
    confirmation: oneOf(CONFIRMATIONS),
  },
  { $id: 'InventoryItem' },
);

export const INVENTORY = {
  by: 'key',
  permission: 'inventory',
  id: 'inventory',
  tag: 'Inventory',
  summary: 'What can still be booked for a date',
  description: [
    `Cities: ${CITY_NAMES.join(', ')}. Case, accents and usual other names (\`Saigon\`, \`KL\`) do not matter. \`city\` may be ` +
      'left out where `activity_id` is given.',
    'Flash deals first, then the cheapest, then by `activity_id`. `total_results` and `flash_deals_count` count all ' +
      "matches, before `limit`. Follows bookings within moments; sees your own at once where you send that answer's " +
      '`X-Position` back.',
    'A flash deal is a discount of 30 to 50 percent on the day itself. It counts until `flash_deal_expires`: at that ' +
      'instant the price is the full one again. A hold keeps the price at which it was given.',
  ].join('\n\n'),
  headers: ['accept-language', 'x-position'],
  answer: {
    data: Type.Object({
      inventory: Type.Array(INVENTORY_ITEM),
      metadata: Type.Object({
        total_results: COUNT,
        flash_deals_count: COUNT,
        query_date: DATE,
        city: oneOf(CITY_NAMES),
      }),
    }),
    example: {
      inventory: [
        {
          activity_id: 'bkk-jim-thompson-house-tour',
          title: "Jim Thompson House: guided tour of the silk trader's home",
          category: 'cultural',
          available_slots: 300,
          price: 250,
          currency: 'THB',
          is_flash_deal: false,
          operating_hours: '10:00-18:00',
          last_updated: '2026-11-21T06:49:26.015Z',
          venue_id: 'bkk-jim-thompson-house',
          confirmation: 'instant',
        },
      ],
      metadata: { total_results: 12, flash_deals_count: 0, query_date: '2026-11-21', city: 'Bangkok' },
    },
  },
  refusals: ['ACTIVITY_NOT_FOUND', 'NO_INVENTORY', 'SERVICE_UNAVAILABLE'],
  example: { city: 'Bangkok', date: '2026-11-21', category: 'cultural' },
} as const satisfies Declaration;
