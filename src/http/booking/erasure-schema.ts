import { Type } from 'typebox';
import { LOGGED_STATUSES } from '../../../projections/deliveries/query.ts';
import { nullable, oneOf, TIMESTAMP, WEBHOOK_EVENT } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { HISTORY } from './present-history.ts';
import { BOOKING, BOOKING_EXAMPLE } from './schema.ts';

const ERASURE_ITEM = Type.Object(
  {
    what: Type.String({ description: 'A fixed name.' }),
    count: nullable(Type.Integer({ minimum: 0, description: 'How many there are; null: not counted.' })),
    text: Type.String({ description: 'One or two sentences, in English.' }),
  },
  { $id: 'ErasureItem' },
);
const ERASURE_ITEMS = Type.Array(ERASURE_ITEM);

const ERASURE = Type.Object(
  {
    booking_id: Type.String(),
    erased_at: nullable(TIMESTAMP),
    erased_by: nullable(
      oneOf(['user', 'operator', 'venue', 'system'], { description: '`system`: by retention, or after a restore.' }),
    ),
    erases_at: nullable(
      Type.String({ format: 'date-time', description: 'When the service erases by itself; null: erased, or never.' }),
    ),
    complete: Type.Boolean({ description: 'Whether nothing is left of `erased`.' }),
    erased: ERASURE_ITEMS,
    waiting: ERASURE_ITEMS,
    kept: ERASURE_ITEMS,
  },
  { $id: 'Erasure' },
);

export const ERASURE_ANSWER = answers(
  ERASURE,
  {
    booking_id: BOOKING_EXAMPLE.booking_id,
    erased_at: '2026-12-06T09:00:00.000Z',
    erased_by: 'operator',
    erases_at: null,
    complete: true,
    erased: [{ what: 'guest_records', count: 0, text: 'Streams with the data of the guest; 0 are left.' }],
    waiting: [{ what: 'sent_mails', count: 1, text: 'Delete them at the mail provider.' }],
    kept: [{ what: 'ledger_entry', count: 1, text: 'Erases the guest again after a restore.' }],
  },
  ['BOOKING_NOT_FOUND'],
);

export const GET_ERASURE_DETAIL = {
  operationId: 'get_erasure',
  summary: 'What an erasure reaches',
  description:
    'What is erased, what waits for somebody, and what is kept and why. For a booking that was not erased: what an ' +
    'erasure would do.',
};

const { user_name, user_email, special_requests, reference, metadata } = BOOKING.properties;

/** Without what belongs to the key or the venue, and without the guest, who is in the records. */
const BOOKED = Type.Pick(BOOKING, [
  'booking_id',
  'mode',
  'status',
  'activity',
  'pricing',
  'booking_date',
  'num_adults',
  'num_children',
  'created_at',
  'cancellation',
  'visit',
  'voided_visit',
  'context_log_id',
]);

const GUEST_RECORD = Type.Object(
  { recorded_at: TIMESTAMP, user_name, user_email, special_requests, reference, metadata },
  { $id: 'GuestRecord' },
);

const GUEST_EXPORT = Type.Object(
  {
    exported_at: TIMESTAMP,
    erased: Type.Boolean({ description: 'Then no data of the guest is left: `records` is empty.' }),
    erases_at: nullable(TIMESTAMP),
    records: Type.Array(GUEST_RECORD, { description: 'Oldest first; the last one is current.' }),
    booking: BOOKED,
    history: HISTORY,
    mails: Type.Array(
      Type.Object({
        at: TIMESTAMP,
        to: nullable(Type.String({ description: 'Null: no record has the address.' })),
        kind: Type.Literal('voucher'),
        message_id: Type.String(),
      }),
    ),
    webhooks: Type.Array(
      Type.Object({
        at: TIMESTAMP,
        event: WEBHOOK_EVENT,
        receiver: nullable(Type.String({ description: 'Scheme, host and port.' })),
        status: oneOf(LOGGED_STATUSES),
      }),
    ),
  },
  { $id: 'GuestExport' },
);

const EXAMPLE = {
  exported_at: '2026-12-06T09:00:00.000Z',
  erased: false,
  erases_at: '2027-12-05T12:00:00.000Z',
  records: [
    {
      recorded_at: BOOKING_EXAMPLE.created_at,
      user_name: BOOKING_EXAMPLE.user_name,
      user_email: BOOKING_EXAMPLE.user_email,
      special_requests: null,
      reference: BOOKING_EXAMPLE.reference,
      metadata: BOOKING_EXAMPLE.metadata,
    },
  ],
  booking: {
    booking_id: BOOKING_EXAMPLE.booking_id,
    mode: BOOKING_EXAMPLE.mode,
    status: BOOKING_EXAMPLE.status,
    activity: BOOKING_EXAMPLE.activity,
    pricing: BOOKING_EXAMPLE.pricing,
    booking_date: BOOKING_EXAMPLE.booking_date,
    num_adults: 2,
    num_children: 0,
    created_at: BOOKING_EXAMPLE.created_at,
    cancellation: null,
    visit: null,
    voided_visit: null,
    context_log_id: BOOKING_EXAMPLE.context_log_id,
  },
  history: [],
  mails: [],
  webhooks: [],
};

export const GUEST_EXPORT_ANSWER = answers(GUEST_EXPORT, EXAMPLE, ['BOOKING_NOT_FOUND']);

export const EXPORT_GUEST_DETAIL = {
  operationId: 'export_guest',
  summary: "A guest's data",
  description:
    'Everything that is stored about the guest of this booking, for a request of access: all records of the data, the ' +
    'booking, the mails and the webhooks that carried the data. Nothing secret of the key is in it.',
};
