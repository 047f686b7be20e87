import { Type } from 'typebox';
import { COUNT, DATE, MODE, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { answers, finishedAnswers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { body, optional, path, query, required } from '../schema.ts';

export const VOUCHER_PATH = path({
  code: "The voucher's code. It is a secret: keep the address out of logs.",
});

export const VOUCHER_PAGE_ANSWER = finishedAnswers('text/html', Type.String(), [
  'VOUCHER_NOT_FOUND',
  'SERVICE_UNAVAILABLE',
]);

export const QR_PNG_ANSWER = imageOf('image/png');
export const QR_SVG_ANSWER = imageOf('image/svg+xml');

export const VOUCHER_KEYS_ANSWER = finishedAnswers(
  'application/json',
  Type.Object(
    {
      keys: Type.Array(
        Type.Object({
          kty: Type.Literal('OKP'),
          crv: Type.Literal('Ed25519'),
          x: Type.String(),
          kid: Type.String(),
          use: Type.Literal('sig'),
          alg: Type.Literal('EdDSA'),
        }),
      ),
    },
    { $id: 'VoucherKeys' },
  ),
  [],
);

export const VERIFY_BODY = body(
  Type.Object(
    {
      code: required(
        Type.String({ minLength: 1, maxLength: 1_000 }),
        "the text of the QR code, or the voucher's code or short code",
      ),
      gate: optional(Type.String({ maxLength: 80 }), 'the name of the gate, at most 80 characters'),
      verified_at: optional(field.TIMESTAMP, field.TIMESTAMP_RULE),
      uploaded_sequence: optional(
        Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        'a whole number from 0 that grows with each offline scan',
      ),
      dry_run: optional(
        Type.Boolean({ description: 'Says what the scan would answer, and records nothing.' }),
        'true or false',
      ),
      guests_present: field.guestsPresent('optional'),
    },
    { examples: [{ code: 'WM-H76CFAKT2C43VDQM2RYG-VOUCHERSECRET', gate: 'door' }] },
  ),
  {},
  // Some scanners add a line break.
  ['code'],
);

export const VERIFIED_ANSWER = answers(
  Type.Object(
    {
      booking_id: Type.String(),
      mode: MODE,
      dry_run: Type.Boolean({ description: 'The visit was not recorded.' }),
      activity_id: Type.String(),
      activity_title: Type.String(),
      venue_id: Type.String(),
      venue_name: Type.String(),
      verified_at: TIMESTAMP,
      verification_method: oneOf(['qr_scan', 'manual']),
      check_in_data: Type.Object({ gate: nullable(Type.String()), device_id: Type.String() }),
      opens_at: nullable(TIMESTAMP),
      closes_at: nullable(TIMESTAMP),
      time_zone: Type.String({ description: "Of the venue, as IANA's database names it." }),
      user_name: Type.String(),
      special_requests: nullable(Type.String()),
      num_adults: Type.Integer({ minimum: 1 }),
      num_children: COUNT,
      num_guests: Type.Integer({ minimum: 1 }),
      guests_present: Type.Integer({ minimum: 1, description: 'How many of the guests came with this scan.' }),
    },
    { $id: 'Visit' },
  ),
  {
    booking_id: 'bk_h76cfakt2c43vdqm2ryg',
    mode: 'live' as const,
    dry_run: false,
    activity_id: 'bkk-bamboo-bar-jazz',
    activity_title: 'Live jazz and two cocktails at The Bamboo Bar',
    venue_id: 'bkk-bamboo-bar',
    venue_name: 'The Bamboo Bar',
    verified_at: '2026-11-21T13:02:11.000Z',
    verification_method: 'qr_scan' as const,
    check_in_data: { gate: 'door', device_id: 'dev_5b0c' },
    opens_at: '2026-11-21T10:00:00.000Z',
    closes_at: '2026-11-21T18:00:00.000Z',
    time_zone: 'Asia/Bangkok',
    user_name: 'Ada Lovelace',
    special_requests: null,
    num_adults: 2,
    num_children: 0,
    num_guests: 2,
    guests_present: 2,
  },
  [
    'RATE_LIMITED',
    'VOUCHER_TOKEN_INVALID',
    'VOUCHER_NOT_FOUND',
    'WRONG_VENUE',
    'VOUCHER_CANCELLED',
    'VOUCHER_ALREADY_VERIFIED',
    'VOUCHER_NOT_VALID_TODAY',
    'VOUCHER_EXPIRED',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
    'SERVICE_UNAVAILABLE',
  ],
  ['x-position', 'idempotent-replayed'],
);

export const revocationsQuery = (context: HttpContext) =>
  query(Type.Object({ date: anyExactDate('date', noCity, context) }, { examples: [{ date: '2026-11-22' }] }));

export const REVOCATIONS_ANSWER = answers(
  Type.Object(
    {
      venue_id: Type.String(),
      date: DATE,
      issued_at: TIMESTAMP,
      count: COUNT,
      list: Type.String({ description: 'The signed list.' }),
    },
    { $id: 'Revocations' },
  ),
  {
    venue_id: 'bkk-bamboo-bar',
    date: '2026-11-22',
    issued_at: '2026-11-21T06:49:59.482Z',
    count: 0,
    list: 'WR1.16J6BD4C.BKK-BAMBOO-BAR.20261122.TOUDOW.-.SIGNATURE',
  },
  ['SERVICE_UNAVAILABLE'],
);

function imageOf(media: string) {
  const refusals = ['VOUCHER_NOT_FOUND', 'SERVICE_UNAVAILABLE'] as const;
  return finishedAnswers(media, Type.String(), refusals);
}

export const VOUCHER_PAGE_DETAIL = {
  operationId: 'voucher_page',
  summary: 'The voucher as a page to show or print',
  description:
    "The page is in the booking's language. It has no script and loads nothing from elsewhere. It names the guest until " +
    '30 days after the visit, or after the end of the booking date.',
};

export const VOUCHER_QR_PNG_DETAIL = {
  operationId: 'voucher_qr_png',
  summary: 'The QR code as a PNG image',
  description:
    'It contains a signed token that a gate can check offline. Only a voucher that still admits has a QR code.',
};

export const VOUCHER_QR_SVG_DETAIL = {
  operationId: 'voucher_qr_svg',
  summary: 'The QR code as an SVG image',
  description:
    'It contains a signed token that a gate can check offline. Only a voucher that still admits has a QR code.',
};

export const VOUCHER_KEYS_DETAIL = {
  operationId: 'voucher_keys',
  summary: 'The public keys of voucher tokens',
  description: "A JSON Web Key Set, with which a gate checks a token's Ed25519 signature offline.",
};

export const REVOCATIONS_DETAIL = {
  operationId: 'revocations',
  summary: 'The revoked vouchers of a date, for gates without a network',
  description:
    "The venue's cancelled and changed bookings of `date` (default: today at the venue), signed like a QR code's token.",
};

export const VERIFY_VOUCHER_DETAIL = {
  operationId: 'verify_voucher',
  summary: 'Verify a voucher at the gate',
  description: [
    "`code` is the text of the QR code, or the voucher's code as a person types it. A booking has exactly one visit, " +
      'however often its voucher is scanned: admit nobody on any answer but a success.',
    'A device that was offline sends the time of the scan in `verified_at`: at most 48 hours ago, not before the ' +
      'confirmation, not in the future. The date is checked at that time. After a full refund the visit is *disputed*.',
  ].join('\n\n'),
};
