import { Type } from 'typebox';
import { COUNT, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { answers, finishedAnswers } from '../answers.ts';
import * as field from '../fields.ts';
import { body, optional, path, required } from '../schema.ts';

export const VOUCHER_PATH = path({
  code: "The voucher's code. It is a secret: keep the address out of logs.",
});

export const VOUCHER_PAGE_ANSWER = finishedAnswers(
  'text/html',
  Type.String(),
  ['VOUCHER_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  ['cache-control'],
);

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
  ['cache-control'],
);

export const VERIFY_BODY = body(
  Type.Object(
    {
      code: required(Type.String({ minLength: 1, maxLength: 600 }), "the voucher's code or the text of its QR code"),
      gate: optional(Type.String({ maxLength: 80 }), 'the name of the gate, at most 80 characters'),
      verified_at: optional(field.TIMESTAMP, field.TIMESTAMP_RULE),
    },
    { examples: [{ code: 'WM-H76CFAKT2C43VDQM2RYG-VOUCHERSECRET', gate: 'door' }] },
  ),
);

export const VERIFIED_ANSWER = answers(
  Type.Object(
    {
      booking_id: Type.String(),
      activity_id: Type.String(),
      activity_title: Type.String(),
      venue_id: Type.String(),
      venue_name: Type.String(),
      verified_at: TIMESTAMP,
      verification_method: oneOf(['qr_scan', 'manual']),
      check_in_data: Type.Object({ gate: nullable(Type.String()), device_id: Type.String() }),
      user_name: Type.String(),
      num_adults: Type.Integer({ minimum: 1 }),
      num_children: COUNT,
      num_guests: Type.Integer({ minimum: 1 }),
    },
    { $id: 'Visit' },
  ),
  {
    booking_id: 'bk_h76cfakt2c43vdqm2ryg',
    activity_id: 'bkk-bamboo-bar-jazz',
    activity_title: 'Live jazz and two cocktails at The Bamboo Bar',
    venue_id: 'bkk-bamboo-bar',
    venue_name: 'The Bamboo Bar',
    verified_at: '2026-11-21T13:02:11.000Z',
    verification_method: 'qr_scan' as const,
    check_in_data: { gate: 'door', device_id: 'dev_5b0c' },
    user_name: 'Ada Lovelace',
    num_adults: 2,
    num_children: 0,
    num_guests: 2,
  },
  [
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

function imageOf(media: string) {
  const refusals = ['VOUCHER_NOT_FOUND', 'SERVICE_UNAVAILABLE', 'VOUCHER_CANCELLED'] as const;
  return finishedAnswers(media, Type.String(), refusals, ['cache-control']);
}
