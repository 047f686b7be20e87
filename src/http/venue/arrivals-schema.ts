import { Type } from 'typebox';
import { BOOKING_STATUS, COUNT, DATE, MODE, nullable, pageOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { body, query, required } from '../schema.ts';

/** As of other lists: a guest that the read model lacks is read from its stream. */
const MAX_ARRIVALS = 100;
export const DEFAULT_ARRIVALS = 100;

export const arrivalsQuery = (context: HttpContext) =>
  query(
    Type.Object(
      {
        date: anyExactDate('date', noCity, context),
        limit: field.limit(MAX_ARRIVALS, DEFAULT_ARRIVALS),
        cursor: field.cursor,
      },
      { examples: [{ limit: 50 }] },
    ),
  );

const ARRIVAL = Type.Object(
  {
    booking_id: Type.String(),
    status: BOOKING_STATUS,
    revision: Type.Integer({ minimum: 1, description: 'Tokens and codes of an earlier revision are outdated.' }),
    code_hash: Type.String({ description: "The first 16 bytes of the SHA-256 of the voucher's code, in base32." }),
    activity_id: Type.String(),
    activity_title: Type.String(),
    opens_at: nullable(TIMESTAMP),
    closes_at: nullable(TIMESTAMP),
    valid_until: TIMESTAMP,
    user_name: Type.String(),
    special_requests: nullable(Type.String()),
    num_adults: Type.Integer({ minimum: 1 }),
    num_children: COUNT,
    num_guests: Type.Integer({ minimum: 1 }),
    guests_present: Type.Integer({ minimum: 0, description: '0 before the visit.' }),
    verified_at: nullable(TIMESTAMP),
  },
  { $id: 'Arrival' },
);

export const ARRIVALS_ANSWER = answers(
  Type.Object({
    venue_id: Type.String(),
    venue_name: Type.String(),
    time_zone: Type.String({ description: "Of the venue, as IANA's database names it." }),
    device_name: Type.String(),
    mode: MODE,
    admit_at_once: Type.Boolean({ description: 'The venue wants a valid scan to count without a tap.' }),
    date: DATE,
    issued_at: TIMESTAMP,
    ...pageOf(ARRIVAL).properties,
  }),
  {
    venue_id: 'bkk-bamboo-bar',
    venue_name: 'The Bamboo Bar',
    time_zone: 'Asia/Bangkok',
    device_name: 'Gate B1',
    mode: 'live' as const,
    admit_at_once: false,
    date: '2026-11-22',
    issued_at: '2026-11-22T06:49:59.482Z',
    items: [
      {
        booking_id: 'bk_h76cfakt2c43vdqm2ryg',
        status: 'confirmed' as const,
        revision: 1,
        code_hash: '7Z3K5H0Q9XW4T1ZC8RB5N3H6V0',
        activity_id: 'bkk-bamboo-bar-jazz',
        activity_title: 'Live jazz and two cocktails at The Bamboo Bar',
        opens_at: '2026-11-22T10:00:00.000Z',
        closes_at: '2026-11-22T18:00:00.000Z',
        valid_until: '2026-11-22T18:00:00.000Z',
        user_name: 'Ada Lovelace',
        special_requests: null,
        num_adults: 2,
        num_children: 0,
        num_guests: 2,
        guests_present: 0,
        verified_at: null,
      },
    ],
    next_cursor: null,
  },
  ['SERVICE_UNAVAILABLE'],
);

export const ARRIVAL_BODY = body(
  Type.Object(
    {
      booking_id: required(Type.String({ minLength: 1, maxLength: 80 }), 'the id of a booking in the list of arrivals'),
      guests_present: field.guestsPresent('required'),
    },
    { examples: [{ booking_id: 'bk_h76cfakt2c43vdqm2ryg', guests_present: 3 }] },
  ),
);

export const ARRIVED_ANSWER = answers(
  Type.Object({
    booking_id: Type.String(),
    guests_present: Type.Integer({ minimum: 1 }),
    num_guests: Type.Integer({ minimum: 1 }),
  }),
  { booking_id: 'bk_h76cfakt2c43vdqm2ryg', guests_present: 3, num_guests: 4 },
  ['BOOKING_NOT_FOUND', 'WRONG_VENUE', 'VOUCHER_EXPIRED', 'SERVICE_UNAVAILABLE'],
  ['x-position', 'idempotent-replayed'],
);

export const RECORD_ARRIVALS_DETAIL = {
  operationId: 'record_arrivals',
  summary: 'Record guests who came after the visit',
  description:
    '`guests_present` is how many guests of the booking are present now, the first ones included, so a repetition changes ' +
    'nothing. The booking has a visit, and its date is not over. It keeps its single visit.',
};

export const ARRIVALS_DETAIL = {
  operationId: 'list_arrivals',
  summary: "The day's bookings of the device's venue",
  description:
    'For gates that may lose the network: bookings with a voucher (`confirmed`, `completed`, and `cancelled` ones to ' +
    'refuse), in the order of booking. `date` is yesterday, today (default) or tomorrow at the venue. The list has personal ' +
    'data: a device stores it encrypted, and deletes it after the day.',
};
