import type { WebhookEvent } from '../domain/apikey/apikey.ts';
import type { PublicEventId } from '../domain/delivery/delivery.ts';
import { API_VERSION, type PublicData } from './public-event.ts';

const BOOKING = 'bk_06w4r9c8k2m1x7p4t8w6';
const VOUCHER = 'WM-06W4R9C8K2M1X7P4T8W6-3H6V0YJ2PD9S4QAEK7M1XW8TGZ';
const ACTIVITY = { activity_id: 'bkk-bamboo-bar-jazz', activity_title: 'Live jazz and two cocktails' };

/** Example data of each event, for test events and the guide for receivers. The booking does not exist. */
export const EXAMPLE_DATA: PublicData = {
  booking_confirmed: {
    booking_id: BOOKING,
    ...ACTIVITY,
    activity_category: 'nightlife',
    user_email: 'guest@example.com',
    user_name: 'Example Guest',
    booking_date: '2026-12-24',
    num_adults: 2,
    num_children: 0,
    num_guests: 2,
    total_price: 1680,
    currency: 'THB',
    pricing: { unit_price: 1200, subtotal: 2400, discount: 720, total: 1680, currency: 'THB' },
    context_log_id: null,
    voucher_code: VOUCHER,
  },
  voucher_delivered: {
    booking_id: BOOKING,
    voucher_code: VOUCHER,
    delivered_to: 'guest@example.com',
    delivered_at: '2026-11-21T06:49:31.204Z',
    delivery_method: 'email',
    email_provider_id: '250 2.0.0 Ok: queued as 4D3F21',
  },
  qr_verified: {
    booking_id: BOOKING,
    ...ACTIVITY,
    context_log_id: null,
    verified_at: '2026-12-24T13:02:11.000Z',
    verification_method: 'qr_scan',
    venue_id: 'bkk-bamboo-bar',
    venue_name: 'The Bamboo Bar',
    check_in_data: { gate: 'main', device_id: 'dev_example' },
  },
  booking_cancelled: {
    booking_id: BOOKING,
    activity_id: ACTIVITY.activity_id,
    cancelled_at: '2026-12-01T09:30:00.000Z',
    reason: 'user_requested',
    cancellation_reason: 'user_requested',
    refund_status: 'processed',
    refund_amount: 1680,
    currency: 'THB',
  },
  booking_modified: {
    booking_id: BOOKING,
    modified_at: '2026-12-01T09:30:00.000Z',
    changes: { booking_date: { from: '2026-12-24', to: '2026-12-26' }, num_adults: { from: 2, to: 3 } },
    new_pricing: { unit_price: 1200, subtotal: 3600, discount: 0, total: 3600, currency: 'THB' },
    modified_by: 'user',
  },
};

/** The usual envelope with `test: true`. */
export function exampleEvent<E extends WebhookEvent>(event: E, id: PublicEventId, atMs: number) {
  return {
    id,
    event,
    api_version: API_VERSION,
    created_at: new Date(atMs).toISOString(),
    sequence: 1,
    test: true,
    data: EXAMPLE_DATA[event],
  } as const;
}
