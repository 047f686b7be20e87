import { Type } from 'typebox';
import { DATE_CANCELLATION_REASONS } from '../../domain/allotment/cancellation.ts';
import { COUNT, CURRENCY, DATE, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { body } from '../schema.ts';
import { ALLOTMENT_PATH } from './schema.ts';

const REFUND = Type.Number({ minimum: 0, description: 'Of all bookings, in full.' });
const HOLDS = Type.Integer({ minimum: 0, description: 'Open holds; they are released.' });
const OF_DATE = { activity_id: Type.String(), date: DATE, reason: oneOf(DATE_CANCELLATION_REASONS) };

export const DATE_CANCELLATION = Type.Object(
  {
    ...OF_DATE,
    status: Type.Enum(['running', 'finished']),
    bookings: Type.Integer({
      minimum: 0,
      description: 'Had places when the date was closed: `cancelled`, `visited`, `gone` and `pending` add up to it.',
    }),
    cancelled: COUNT,
    visited: Type.Integer({ minimum: 0, description: 'Left as they are, because their guests were there.' }),
    gone: Type.Integer({ minimum: 0, description: 'Ended or moved before their turn, or never completed.' }),
    pending: Type.Integer({ minimum: 0, description: 'Still to be cancelled.' }),
    left: Type.Array(Type.Object({ booking_id: Type.String(), because: Type.Enum(['visited', 'pending']) }), {
      description: 'The first 100 bookings that are visited or pending.',
    }),
    guests: Type.Integer({ minimum: 0, description: 'Places of these bookings when the date was closed.' }),
    holds: HOLDS,
    refund_amount: REFUND,
    currency: CURRENCY,
    started_at: TIMESTAMP,
    finished_at: nullable(TIMESTAMP),
    reopened: Type.Boolean({ description: 'Whether an operator has set a capacity since.' }),
  },
  { $id: 'DateCancellation', description: 'How far the cancellation of a date is.' },
);

export const DATE_CANCELLATION_QUOTE = Type.Object(
  {
    dry_run: Type.Literal(true),
    ...OF_DATE,
    bookings: COUNT,
    guests: COUNT,
    visited: Type.Integer({ minimum: 0, description: 'Bookings that stay, because their guests were there.' }),
    holds: HOLDS,
    refund_amount: REFUND,
    currency: CURRENCY,
  },
  { $id: 'DateCancellationQuote', description: 'The answer to `dry_run: true`. Nothing was written.' },
);

const EXAMPLE = {
  activity_id: 'bkk-jim-thompson-house-tour',
  date: '2026-12-05',
  reason: 'weather' as const,
  status: 'running' as const,
  bookings: 41,
  cancelled: 17,
  visited: 1,
  gone: 0,
  pending: 23,
  left: [{ booking_id: 'bk_h76cfakt2c43vdqm2ryg', because: 'visited' as const }],
  guests: 96,
  holds: 2,
  refund_amount: 8140,
  currency: 'THB',
  started_at: '2026-12-04T22:10:00.000Z',
  finished_at: null,
  reopened: false,
};

export const CANCEL_DATE_PATH = ALLOTMENT_PATH;

export const CANCEL_DATE_BODY = body(
  Type.Object(
    {
      reason: field.choice(DATE_CANCELLATION_REASONS, { default: 'weather' }),
      dry_run: field.dryRun,
    },
    { examples: [{ reason: 'weather', dry_run: true }] },
  ),
);

const REFUSALS = ['ACTIVITY_NOT_FOUND', 'ACTIVITY_UNAVAILABLE', 'INVALID_DATE'] as const;

export const CANCEL_DATE_ANSWER = answers(
  Type.Union([DATE_CANCELLATION, DATE_CANCELLATION_QUOTE], { $id: 'DateCancellationOrQuote' }),
  EXAMPLE,
  [...REFUSALS, 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'],
  ['x-position', 'idempotent-replayed'],
);

export const DATE_CANCELLATION_ANSWER = answers(DATE_CANCELLATION, EXAMPLE, [...REFUSALS, 'NOT_FOUND']);

export const CANCEL_DATE_DETAIL = {
  operationId: 'cancel_date',
  summary: 'Cancel all bookings of a date',
  description: [
    'Closes the date at once: its capacity is 0, and nobody can book, hold or move there. Then each pending and confirmed ' +
      'booking is cancelled and refunded in full, whatever its policy says, and holds are released. GET shows the progress.',
    'A date that is closed already is not cancelled again. When the cancellation has finished, a capacity set by the ' +
      'operator opens the date again. Test bookings stay.',
  ].join('\n\n'),
};

export const GET_DATE_CANCELLATION_DETAIL = {
  operationId: 'get_date_cancellation',
  summary: 'How far the cancellation of a date is',
  description: 'The newest cancellation of the date, from its stream; `NOT_FOUND` if it was never cancelled.',
};
