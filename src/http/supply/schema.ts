import { Type } from 'typebox';
import { CITY_NAME, COUNT, DATE, nullable, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { body } from '../schema.ts';

const FIELDS = { city: field.cityName, activity_id: field.anyActivityId };

export const REFRESH_BODY = body(Type.Object(FIELDS, { examples: [{ city: 'Bangkok' }] }));

export const REFRESHED_ANSWER = answers(
  Type.Object({
    refreshed: Type.Boolean(),
    city: nullable(CITY_NAME),
    activity_id: nullable(Type.String()),
    activities: Type.Integer({ minimum: 0, description: 'How many of the selected activities are sold.' }),
    changed: Type.Integer({ minimum: 0, description: 'How many of them were added, changed or removed.' }),
    last_updated: TIMESTAMP,
  }),
  {
    refreshed: true,
    city: 'Bangkok',
    activity_id: null,
    activities: 14,
    changed: 1,
    last_updated: '2026-11-21T06:49:26.015Z',
  },
  ['ACTIVITY_NOT_FOUND'],
);

export const SUPPLY_ANSWER = answers(
  Type.Object({
    confirmed_at: Type.String({ format: 'date-time', description: 'When all files were last found without fault.' }),
    looked_at: Type.String({ format: 'date-time', description: 'When the files were last read.' }),
    faults: Type.Array(
      Type.Object({
        file: Type.String(),
        line: Type.Integer({ minimum: 1 }),
        column: nullable(Type.Integer({ minimum: 1, description: 'Null if the fault concerns the whole file.' })),
        field: Type.String({ description: 'Empty if the fault concerns the whole file.' }),
        message: Type.String({ description: 'After the field: what is wrong, and what to do.' }),
      }),
    ),
    failure: nullable(Type.String({ description: 'Why the last refresh failed; it is retried soon.' })),
    activities: Type.Integer({ minimum: 0, description: 'In the files.' }),
    hotels: COUNT,
    exchange_rates_as_of: DATE,
    overridden: Type.Array(Type.String(), { description: 'Ids of the activities that an operator has overridden.' }),
  }),
  {
    confirmed_at: '2026-11-21T06:34:26.002Z',
    looked_at: '2026-11-21T06:49:26.015Z',
    faults: [
      {
        file: 'bangkok.json',
        line: 12,
        column: 7,
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
  [],
);

export const REFRESH_INVENTORY_DETAIL = {
  operationId: 'refresh_inventory',
  summary: 'Refresh the catalogue now',
  description: [
    'The service reads the catalogue every few minutes, and when its files change: a request is seldom needed. Free ' +
      'slots follow bookings at once, and need no refresh. All cities are refreshed; `city` and `activity_id` select ' +
      'what the answer counts.',
    'A repeated request within three seconds returns the same answer. `refreshed` is false if the catalogue has ' +
      'faults; then the version of `last_updated` stays in force.',
  ].join('\n\n'),
};

export const SUPPLY_STATUS_DETAIL = {
  operationId: 'supply_status',
  summary: 'The catalogue and the exchange rates of this node',
  description:
    'With the faults of their files. A file with faults is not used; its last version without faults stays in force. ' +
    'Every node reads its own files.',
};
