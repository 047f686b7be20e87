import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { COUNT, nullable, oneOf, pageOf, TIMESTAMP } from '../schemas.ts';

const VISIT = Type.Object(
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
);

export const VERIFY = {
  by: 'device',
  id: 'verify_voucher',
  tag: 'Gate',
  summary: 'Verify a voucher at the gate',
  description: [
    "`code` is the text of the QR code, or the voucher's code as a person types it. One visit per booking, exactly once, " +
      'however often it is scanned: let nobody in on any answer but a success.',
    'A device that was offline tells when it scanned in `verified_at`, at most 48 hours back; the date is judged at that time. ' +
      'A scan that lies before a cancellation counts as a visit.',
  ].join('\n\n'),
  headers: ['idempotency-key'],
  answer: {
    data: VISIT,
    example: {
      booking_id: 'bk_h76cfakt2c43vdqm2ryg',
      activity_id: 'bkk-bamboo-bar-jazz',
      activity_title: 'Live jazz and two cocktails at The Bamboo Bar',
      venue_id: 'bkk-bamboo-bar',
      venue_name: 'The Bamboo Bar',
      verified_at: '2026-11-21T13:02:11.000Z',
      verification_method: 'qr_scan',
      check_in_data: { gate: 'door', device_id: 'dev_5b0c' },
      user_name: 'Ada Lovelace',
      num_adults: 2,
      num_children: 0,
      num_guests: 2,
    },
    headers: ['x-position', 'idempotent-replayed'],
  },
  refusals: [
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
  example: { code: 'WM-H76CFAKT2C43VDQM2RYG-VOUCHERSECRET', gate: 'door' },
} as const satisfies Declaration;

const VENUE_ID = 'The `venue_id` of an activity, as inventory names it.';

export const CREATE_DEVICE = {
  by: 'operator',
  least: 'admin',
  id: 'create_device',
  tag: 'Gate',
  summary: 'Register a gate device',
  description: "The device's key is shown in this answer only. It verifies vouchers of this venue and of no other.",
  params: { venue_id: VENUE_ID },
  answer: {
    data: Type.Object({
      device_id: Type.String(),
      venue_id: Type.String(),
      name: Type.String(),
      device_key: Type.String({ description: 'Shown here and nowhere else.' }),
    }),
    example: { device_id: 'dev_5b0c', venue_id: 'bkk-bamboo-bar', name: 'Door', device_key: '<DEVICE_KEY>' },
    headers: ['x-position', 'cache-control'],
  },
  refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  example: { name: 'Door' },
} as const satisfies Declaration;

export const LIST_DEVICES = {
  by: 'operator',
  least: 'admin',
  id: 'list_devices',
  tag: 'Gate',
  summary: 'The gate devices of a venue',
  description: 'All of them on one page, in the order of their registration; a lost one is removed by its `device_id`.',
  params: { venue_id: VENUE_ID },
  answer: {
    data: pageOf(
      Type.Object({
        device_id: Type.String(),
        venue_id: Type.String(),
        name: Type.String(),
        created_at: TIMESTAMP,
      }),
    ),
    example: {
      items: [
        {
          device_id: 'dev_5b0c',
          venue_id: 'bkk-bamboo-bar',
          name: 'Door',
          created_at: '2026-11-21T06:49:20.976Z',
        },
      ],
      next_cursor: null,
    },
  },
  refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;

export const DELETE_DEVICE = {
  by: 'operator',
  least: 'admin',
  id: 'delete_device',
  tag: 'Gate',
  summary: 'Remove a gate device',
  description: 'Its key works no longer from this answer on.',
  params: { venue_id: VENUE_ID, device_id: 'The `device_id` of a device of this venue.' },
  answer: {
    data: Type.Object({ device_id: Type.String(), venue_id: Type.String(), removed: Type.Boolean() }),
    example: { device_id: 'dev_5b0c', venue_id: 'bkk-bamboo-bar', removed: true },
    headers: ['x-position'],
  },
  refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;
