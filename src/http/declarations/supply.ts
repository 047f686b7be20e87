import { Type } from 'typebox';
import { CITY_NAMES } from '../../domain/activity/cities.ts';
import type { Declaration } from '../endpoint.ts';
import { COUNT, DATE, nullable, oneOf, TIMESTAMP } from '../schemas.ts';

export const REFRESH = {
  by: 'key',
  permission: 'inventory',
  id: 'refresh_inventory',
  tag: 'Inventory',
  summary: 'Look at the catalogue now',
  description: [
    'The catalogue is looked at every few minutes, and when it is seen to change: there is seldom a need to ask. Free slots ' +
      'follow bookings at once, and need no refresh. All cities are looked at; `city` and `activity_id` choose what the answer ' +
      'tells of.',
    'Whoever asks again within three seconds gets the same answer. `refreshed` is false where the catalogue cannot be used as it ' +
      'is now; then what it said before goes on, as of `last_updated`.',
  ].join('\n\n'),
  answer: {
    data: Type.Object({
      refreshed: Type.Boolean(),
      city: nullable(oneOf(CITY_NAMES)),
      activity_id: nullable(Type.String()),
      activities: Type.Integer({ minimum: 0, description: 'So many are sold, of those asked for.' }),
      changed: Type.Integer({ minimum: 0, description: 'So many of them were new, different or gone.' }),
      last_updated: TIMESTAMP,
    }),
    example: {
      refreshed: true,
      city: 'Bangkok',
      activity_id: null,
      activities: 14,
      changed: 1,
      last_updated: '2026-11-21T06:49:26.015Z',
    },
  },
  refusals: ['ACTIVITY_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  example: { city: 'Bangkok' },
} as const satisfies Declaration;

export const SUPPLY = {
  by: 'operator',
  least: 'analyst',
  id: 'supply_status',
  tag: 'Operation',
  summary: 'What this node knows of the catalogue and the exchange rates',
  description:
    'And what is wrong with their files: a file with faults is not used, and what it said before goes on until it is mended. ' +
    'Every node reads its own files.',
  answer: {
    data: Type.Object({
      confirmed_at: Type.String({ format: 'date-time', description: 'When all files were last found without fault.' }),
      looked_at: TIMESTAMP,
      faults: Type.Array(
        Type.Object({
          file: Type.String(),
          line: Type.Integer({ minimum: 1 }),
          field: Type.String({ description: 'Empty where the whole file is meant.' }),
          message: Type.String(),
        }),
      ),
      failure: nullable(Type.String({ description: 'Why the last look came to nothing; it is repeated soon.' })),
      activities: Type.Integer({ minimum: 0, description: 'In the files.' }),
      hotels: COUNT,
      exchange_rates_as_of: DATE,
      overridden: Type.Array(Type.String(), { description: "Ids of activities of which an operator's entry holds." }),
    }),
    example: {
      confirmed_at: '2026-11-21T06:34:26.002Z',
      looked_at: '2026-11-21T06:49:26.015Z',
      faults: [
        {
          file: 'bangkok.json',
          line: 12,
          field: 'activities[0].price',
          message: 'must be an amount in THB from 50 to 20000, not 5',
        },
      ],
      failure: null,
      activities: 223,
      hotels: 32,
      exchange_rates_as_of: '2026-11-01',
      overridden: ['bkk-jim-thompson-house-tour'],
    },
  },
  refusals: [],
} as const satisfies Declaration;
