import type { Role } from '../../../src/domain/operator/roles.ts';
import { AN_EXPERIMENT } from '../../support/experiments.ts';
import { A_WISH, AN_ASKER, TOMORROW } from '../../support/service.ts';

/** Data of the key `owner`, of its booking's venue, and what an operator changes. */
export type Owned = {
  readonly booking_id: string;
  readonly hold_id: string;
  readonly delivery_id: string;
  readonly event_id: string;
  readonly log_id: string;
  readonly voucher_code: string;
  /** Another key and another device, which operators may change. */
  readonly spare_key_id: string;
  readonly spare_device_id: string;
  readonly spare_operator_id: string;
  /** The owner's key. */
  readonly key_id: string;
  /** With the name and mail address of the booking's guest. */
  readonly guest_stream: string;
  readonly experiment_id: string;
};

/** A status, and for a failure its code: `404 BOOKING_NOT_FOUND`. */
type Outcome = `${number}` | `${number} ${string}`;

/** One way to call an operation. */
export type Row = {
  /** The parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The outcome for a caller of the same kind that owns other data: another key, or a device of another venue. */
  readonly other?: Outcome;
  /** The outcome for a test key, or a device for tests; by default that of another one. */
  readonly test?: Outcome;
  /** The outcome for anybody, of an operation without authentication. */
  readonly anybody?: Outcome;
  /** The outcomes for roles that may call the operation, but not so. */
  readonly byRole?: Partial<Record<Role, Outcome>>;
  /** Texts in the answer to an admin and to support, which the other roles do not see. */
  readonly shows?: readonly string[];
};

const OWN: Row = { other: '200' };
const OPEN: Row = { anybody: '200' };
const OPERATOR: Row = {};
const CREDENTIALS = { support: '403 FORBIDDEN', viewer: '403 FORBIDDEN' } as const;
const NEVER_CANCELLED = { admin: '404 NOT_FOUND', support: '404 NOT_FOUND', viewer: '404 NOT_FOUND' } as const;
/** The texts of the guest in a booking. */
export const MARKERS_OF_GUEST = ['Zora Quill', 'zora@quill.example', 'marker-requests', 'marker-reference'];

/**
 * The operations by who may call them, with the permissions of keys and the roles of operators. A list of its own, beside
 * the table of roles: a wrong table differs from it.
 */
export type Rows = Readonly<Record<string, Readonly<Record<string, readonly Row[]>>>>;

/** Every operation of the API reference; a new one needs a row. */
export function rowsFor(owned: Owned): Rows {
  const { booking_id, hold_id, delivery_id, event_id, log_id, voucher_code } = owned;
  const booking = { path: { booking_id } };
  const hold = { path: { hold_id } };
  const delivery = { path: { id: delivery_id } };
  /** Operators name the key; its owner must not. */
  const ofOwner = { key: owned.key_id };
  const voucher = { path: { code: voucher_code }, anybody: '200' } as const;
  const activity = { path: { activity_id: 'river-walk' } };
  const date = { path: { activity_id: 'river-walk', date: TOMORROW } };
  const key = { path: { id: owned.spare_key_id } };
  const operator = { path: { id: owned.spare_operator_id } };
  const stream = (name: string) => ({ path: { stream: name } });
  const venue = { path: { venue_id: 'old-pier' } };
  const device = { path: { ...venue.path, device_id: owned.spare_device_id } };
  return {
    'ApiKey: recommend': {
      recommend: [{ body: AN_ASKER, other: '200' }],
    },
    'ApiKey: execute_booking': {
      execute_booking: [
        { body: { ...A_WISH, hold_id }, other: '404 HOLD_NOT_FOUND' },
        { body: { ...A_WISH, context_log_id: log_id }, other: '400 INVALID_REQUEST' },
      ],
      list_bookings: [OWN, { query: { reference: 'marker-reference' }, other: '200' }],
      get_booking: [{ ...booking, query: { include: 'history' }, other: '404 BOOKING_NOT_FOUND' }],
      modify_booking: [{ ...booking, body: { num_adults: 1 }, other: '404 BOOKING_NOT_FOUND' }],
      cancel_booking: [{ ...booking, other: '404 BOOKING_NOT_FOUND' }],
      hold: [{ body: { activity_id: 'river-walk', booking_date: TOMORROW, num_adults: 1 }, other: '200' }],
      get_hold: [{ ...hold, other: '404 HOLD_NOT_FOUND' }],
      release_hold: [{ ...hold, other: '404 HOLD_NOT_FOUND' }],
      statement: [{ query: { month: '2026-11' }, other: '200' }],
    },
    'ApiKey: inventory': {
      inventory: [{ query: { city: 'Bangkok' }, other: '200' }],
      refresh_inventory: [{ body: { city: 'Bangkok' }, other: '200' }],
    },
    'ApiKey: recommend, ApiKey: inventory': {
      list_activities: [OWN],
      activity_details: [{ ...activity, other: '200' }],
      list_cities: [OWN],
      list_hotels: [OWN],
    },
    'ApiKey: webhook': {
      event_feed: [OWN, { query: { after: event_id }, other: '400 INVALID_REQUEST' }],
      change_own_key: [{ body: { name: 'Renamed' }, other: '200' }],
      rotate_webhook_secret: [OWN],
      finish_webhook_secret_rotation: [OWN],
    },
    'ApiKey: webhook, OperatorToken: admin support viewer': {
      list_deliveries: [OWN, { query: { booking_id }, other: '200' }],
      get_delivery: [{ ...delivery, other: '404 NOT_FOUND', shows: ['Zora Quill', 'marker-reference', 'marker-hook'] }],
      list_receivers: [OWN],
    },
    'ApiKey: webhook, OperatorToken: admin support': {
      // Only the owner has a URL.
      test_webhook: [
        { body: { event_type: 'qr_verified', ...ofOwner }, other: '400 INVALID_REQUEST' },
        { body: { event_type: 'qr_verified' }, other: '400 INVALID_REQUEST' },
      ],
      resend_delivery: [{ ...delivery, other: '404 NOT_FOUND' }],
      enable_webhook: [{ body: ofOwner, other: '400 INVALID_REQUEST' }, OWN],
      recover_deliveries: [
        { body: { since: '2026-11-20', ...ofOwner }, other: '400 INVALID_REQUEST' },
        { body: { since: '2026-11-20' }, other: '200' },
      ],
      replay_events: [
        { body: { from: '2026-11-20', ...ofOwner }, other: '400 INVALID_REQUEST' },
        { body: { from: '2026-11-20' }, other: '200' },
      ],
    },
    ApiKey: {
      own_key: [OWN],
      health: [OWN],
    },
    DeviceKey: {
      verify_voucher: [{ body: { code: voucher_code }, other: '403 WRONG_VENUE', test: '404 VOUCHER_NOT_FOUND' }],
      revocations: [{ query: { date: TOMORROW }, other: '200' }],
      record_arrivals: [
        { body: { booking_id, guests_present: 1 }, other: '403 WRONG_VENUE', test: '404 BOOKING_NOT_FOUND' },
      ],
      list_arrivals: [OWN, { query: { date: TOMORROW }, other: '200' }],
    },
    'OperatorToken: admin support analyst viewer': {
      get_activity: [activity],
      get_allotment: [date],
      calendar: [{ query: { city: 'Bangkok' } }],
      supply_status: [OPERATOR],
      list_projections: [OPERATOR],
      list_readers: [OPERATOR],
      list_leases: [OPERATOR],
      explain_recommendation: [{ path: { log_id } }],
    },
    'OperatorToken: admin support viewer': {
      list_all_bookings: [
        { shows: ['Zora Quill', voucher_code, 'marker-hook'] },
        { query: { reference: 'marker-reference' }, byRole: { viewer: '403 FORBIDDEN' } },
      ],
      get_any_booking: [
        { ...booking, shows: [...MARKERS_OF_GUEST, 'marker-hook'] },
        { ...booking, query: { include: 'history' }, shows: ['Zora Quill'] },
      ],
      get_erasure: [booking],
      get_date_cancellation: [{ ...date, byRole: NEVER_CANCELLED }],
      booking_timeline: [booking],
      list_holds: [OPERATOR],
      list_devices: [venue],
      list_device_days: [OPERATOR],
      list_voided_visits: [OPERATOR],
      list_stream_categories: [OPERATOR],
      browse_events: [
        OPERATOR,
        { query: { category: 'guest' } },
        { query: { category: 'apikey' }, byRole: CREDENTIALS },
        { query: { category: 'audit' }, byRole: CREDENTIALS },
      ],
      read_stream: [
        stream(`booking-${booking_id}`),
        stream(`recommendation-${log_id}`),
        stream(owned.guest_stream),
        stream(`hold-${hold_id}`),
        stream(`delivery-${delivery_id}`),
        stream('venue-old-pier'),
        { ...stream(`apikey-${owned.key_id}`), byRole: CREDENTIALS },
        { ...stream(`operator-${owned.spare_operator_id}`), byRole: CREDENTIALS },
      ],
    },
    'OperatorToken: admin support': {
      put_activity: [activity],
      withdraw_activity: [activity],
      set_allotment: [{ ...date, body: { capacity: 50 } }],
      cancel_date: [{ ...date, body: { dry_run: true } }],
      set_allotments: [{ ...activity, body: { from: TOMORROW, to: TOMORROW, capacity: 50 } }],
      confirm_booking: [booking],
      reject_booking: [booking],
      cancel_any_booking: [{ ...booking, body: { reason: 'weather' } }],
      modify_any_booking: [{ ...booking, body: { num_adults: 2 } }],
      mail_voucher: [booking],
      erase_guest: [booking],
      export_guest: [{ ...booking, shows: MARKERS_OF_GUEST }],
      create_device: [{ ...venue, body: { name: 'A gate' } }],
      pause_device: [device],
      resume_device: [device],
      delete_device: [device],
      release_any_hold: [hold],
      void_visits: [{ body: { booking_id, reason: 'A mistake.' } }],
    },
    'OperatorToken: admin analyst': {
      conversions: [OPERATOR],
      visits: [OPERATOR],
      revenue: [OPERATOR],
      list_parked: [OPERATOR],
      list_experiments: [OPERATOR],
      get_experiment: [{ path: { id: owned.experiment_id } }],
      evaluate_model: [{ body: { model: { name: 'another' } } }],
    },
    'OperatorToken: admin': {
      list_keys: [OPERATOR],
      create_key: [{ body: { name: 'An agent' } }],
      get_key: [key],
      change_key: [{ ...key, body: { name: 'Renamed' } }],
      deactivate_key: [key],
      activate_key: [key],
      rotate_key: [key],
      rotate_key_webhook_secret: [key],
      finish_key_webhook_secret_rotation: [key],
      list_operators: [OPERATOR],
      create_operator: [{ body: { name: 'Mai', role: 'viewer' } }],
      change_operator: [{ ...operator, body: { role: 'viewer' } }],
      rotate_operator: [operator],
      revoke_operator: [operator],
      start_experiment: [{ body: AN_EXPERIMENT }],
      end_experiment: [{ path: { id: owned.experiment_id } }],
      exclude_from_learning: [{ body: { key: owned.spare_key_id, reason: 'Scripted.' } }],
      list_exclusions: [OPERATOR],
      list_audit: [OPERATOR],
      rebuild_projection: [{ path: { name: 'bookings' } }],
      retry_parked: [{ path: { reader: 'claim-reaper' } }],
      skip_parked: [{ path: { reader: 'claim-reaper' } }],
    },
    // test/http/session/operations.test.ts calls the first two with sessions, test/http/live/live.test.ts the third.
    Session: { current_session: [OPEN], sign_out: [OPEN], live: [OPEN] },
    anybody: {
      // Without a token: a wrong one would have a code of authentication.
      sign_in: [{ anybody: '400 INVALID_REQUEST' }],
      voucher_page: [voucher],
      voucher_qr_png: [voucher],
      voucher_qr_svg: [voucher],
      voucher_keys: [OPEN],
      livez: [OPEN],
      readyz: [OPEN],
      index: [OPEN],
      openapi: [OPEN],
      openapi_operators: [OPEN],
      docs: [OPEN],
      docs_file: [{ path: { file: 'none.js' }, anybody: '404 NOT_FOUND' }],
      llms: [OPEN],
      mcp: [{ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, anybody: '200' }],
    },
  };
}
