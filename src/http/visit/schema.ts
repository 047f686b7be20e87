import { Type } from 'typebox';
import { MAX_VOIDED } from '../../application/venue/void-visits.ts';
import { EARLY_MS, LEAST_COUNT, LEAST_SHARE, MOST_PER_MINUTE, UNUSUAL } from '../../domain/venue/device-figures.ts';
import { HOUR_MS } from '../../eventsourcing/durations.ts';
import { CITY_NAME, COUNT, DATE, nullable, oneOf, pageOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { body, optional, query, required } from '../schema.ts';

export const DEFAULT_LIMIT = 20;
const ID = Type.String({ minLength: 1, maxLength: 80 });
const deviceId = optional(ID, 'the id of a gate device');
const bookingId = optional(ID, 'the id of a booking');

export const VOID_BODY = body(
  Type.Object(
    {
      booking_id: bookingId,
      device_id: deviceId,
      from: field.anyMoment,
      to: field.anyMoment,
      reason: required(
        Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
        'a text of 1 to 200 characters in one line',
      ),
    },
    { examples: [{ device_id: 'dev_5b0c', from: '2026-11-21T10:00:00Z', reason: 'The device was stolen.' }] },
  ),
  field.rangeRules,
);

export const VOIDED_ANSWER = answers(
  Type.Object({
    voided: Type.Integer({ minimum: 0, description: 'By this request.' }),
    complete: Type.Boolean({ description: 'If false, send the same request again.' }),
  }),
  { voided: 41, complete: true },
  ['BOOKING_NOT_FOUND', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const VOIDED_QUERY = query(
  Type.Object({
    booking_id: bookingId,
    device_id: deviceId,
    limit: field.limit(100, DEFAULT_LIMIT),
    cursor: field.cursor,
  }),
);

export const VOIDED_VISITS_ANSWER = answers(
  pageOf(
    Type.Object({
      booking_id: Type.String(),
      activity_id: Type.String(),
      venue_id: Type.String(),
      device_id: Type.String(),
      gate: nullable(Type.String()),
      verified_at: TIMESTAMP,
      reported_at: nullable(TIMESTAMP),
      uploaded_sequence: nullable(COUNT),
      disputed: Type.Boolean(),
      voided_at: TIMESTAMP,
      reason: Type.String(),
    }),
  ),
  {
    items: [
      {
        booking_id: 'bk_h76cfakt2c43vdqm2ryg',
        activity_id: 'bkk-bamboo-bar-jazz',
        venue_id: 'bkk-bamboo-bar',
        device_id: 'dev_5b0c',
        gate: 'door',
        verified_at: '2026-11-21T13:02:11.000Z',
        reported_at: '2026-11-21T13:02:11.000Z',
        uploaded_sequence: null,
        disputed: false,
        voided_at: '2026-11-22T02:00:00.000Z',
        reason: 'The device was stolen.',
      },
    ],
    next_cursor: null,
  },
  [],
);

export const devicesQuery = (context: HttpContext) =>
  query(
    Type.Object(
      {
        unusual: optional(Type.Boolean(), 'true or false'),
        venue_id: optional(ID, 'a venue_id, as inventory returns it'),
        device_id: deviceId,
        from: anyExactDate('from', noCity, context),
        to: anyExactDate('to', noCity, context),
        limit: field.limit(100, DEFAULT_LIMIT),
        cursor: field.cursor,
      },
      { examples: [{ unusual: true }] },
    ),
    field.rangeRules,
  );

export const DEVICE_DAYS_ANSWER = answers(
  pageOf(
    Type.Object({
      device_id: Type.String(),
      venue_id: Type.String(),
      name: nullable(Type.String({ description: 'Null: the device was removed.' })),
      paused: nullable(Type.Boolean()),
      day: DATE,
      /** Null: the catalogue no longer has the venue. */
      city: nullable(CITY_NAME),
      visits: COUNT,
      disputed: COUNT,
      voided: COUNT,
      early: COUNT,
      most_per_minute: COUNT,
      unusual: Type.Array(oneOf(UNUSUAL)),
    }),
  ),
  {
    items: [
      {
        device_id: 'dev_5b0c',
        venue_id: 'bkk-bamboo-bar',
        name: 'Gate B1',
        paused: false,
        day: '2026-11-21',
        city: 'Bangkok' as const,
        visits: 60,
        disputed: 0,
        voided: 0,
        early: 48,
        most_per_minute: 52,
        unusual: ['early' as const, 'per_minute' as const],
      },
    ],
    next_cursor: null,
  },
  [],
);

export const VOID_VISITS_DETAIL = {
  operationId: 'void_visits',
  summary: 'Take recorded visits back',
  description:
    'The visits of `booking_id`, or those that `device_id` scanned, since `from` and before `to` (a date is the whole ' +
    'day in UTC). Rankings, reports and bookings follow; no money moves. ' +
    `A request voids at most ${MAX_VOIDED} visits.`,
};

export const LIST_VOIDED_DETAIL = {
  operationId: 'list_voided_visits',
  summary: 'The visits that were taken back',
  description: 'The latest void first.',
};

export const LIST_DEVICE_DAYS_DETAIL = {
  operationId: 'list_device_days',
  summary: 'What each gate device recorded, by day',
  description:
    'By local date, the latest first. `unusual=true`: only days with `disputed`, `voided` ' +
    `or \`early\` (over ${EARLY_MS / HOUR_MS} hours before the opening) at least ${LEAST_COUNT} and ` +
    `${LEAST_SHARE * 100} % of \`visits\`, or \`most_per_minute\` over ${MOST_PER_MINUTE}.`,
};
