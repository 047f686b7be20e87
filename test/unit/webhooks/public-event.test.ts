import { describe, expect, test } from 'bun:test';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { ExistingBooking } from '../../../src/domain/booking/state.ts';
import { ERASED } from '../../../src/domain/guest/guest.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { type EventFacts, publicEvent } from '../../../src/webhooks/public-event.ts';
import {
  A_VOUCHER,
  anActivity,
  aVisit,
  bookingFacts,
  bookingId,
  confirmation,
  publicEventId,
} from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';

const attribution = { logId: 'rec_1' as LogId, rank: 1, segment: null };
const { keyId, activityId, venueId, city, category } = bookingFacts();
const VISIT: BookingEvent = {
  type: 'VisitVerified',
  data: {
    ...aVisit(),
    keyId,
    activityId,
    venueId,
    city,
    category,
    numGuests: 3,
    attribution,
    disputed: false,
    opensAtMs: null,
  },
};
const MAILED = {
  messageId: '<bk_1@waymark>',
  providerId: 'queued as 4D3F21',
  recipient: null,
  at: '2026-11-21T03:00:02.500Z',
};

const CALLERS = { reference: 'trip-42', metadata: { room: '1204' } };
const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', specialRequests: null, ...CALLERS };

/** The facts around the last of a booking's events. */
function factsOf(events: readonly BookingEvent[], change: Partial<EventFacts> = {}): EventFacts {
  const record = recorder();
  const log = events.map((event) => record<BookingEvent>('booking-bk_1', event));
  const bookingEvent = log.at(-1);
  const booking = fold(bookingDecider, events);
  if (bookingEvent === undefined || booking.status === 'none') throw new Error('nothing was booked');
  return {
    id: publicEventId('evt_1'),
    bookingId: bookingId('bk_1'),
    bookingEvent,
    booking: booking satisfies ExistingBooking,
    voucherCode: A_VOUCHER.code,
    guest: ADA,
    guestBefore: ADA,
    mailedTo: ADA.email,
    activity: anActivity(),
    ...change,
  };
}

const confirmed = (change: Parameters<typeof bookingFacts>[0] = {}) => confirmation({ attribution, ...change });
const VOUCHER: BookingEvent = { type: 'VoucherIssued', data: A_VOUCHER };
const ENVELOPE = {
  id: publicEventId('evt_1'),
  api_version: '2026-11',
  created_at: '2026-11-21T03:00:00.000Z',
} as const;

describe('a public event', () => {
  test('booking_confirmed has every field of both published shapes', () => {
    expect<object>(publicEvent(factsOf([confirmed()]))).toStrictEqual({
      ...ENVELOPE,
      event: 'booking_confirmed',
      sequence: 1,
      data: {
        booking_id: 'bk_1',
        activity_id: 'bkk-ocean-world',
        activity_title: 'Siam Ocean World',
        activity_category: 'aquarium',
        user_email: 'ada@example.com',
        user_name: 'Ada Lovelace',
        booking_date: '2026-12-24',
        num_adults: 2,
        num_children: 1,
        num_guests: 3,
        total_price: 2070,
        currency: 'THB',
        pricing: { unit_price: 990, subtotal: 2970, discount: 900, total: 2070, currency: 'THB' },
        context_log_id: 'rec_1',
        voucher_code: A_VOUCHER.code,
        ...CALLERS,
      },
    });
  });

  test('voucher_delivered has the recipient and the mail server’s id', () => {
    expect<object>(publicEvent(factsOf([confirmed(), VOUCHER, { type: 'VoucherMailed', data: MAILED }]))).toStrictEqual(
      {
        ...ENVELOPE,
        event: 'voucher_delivered',
        sequence: 3,
        data: {
          booking_id: 'bk_1',
          voucher_code: A_VOUCHER.code,
          delivered_to: 'ada@example.com',
          delivered_at: '2026-11-21T03:00:02.500Z',
          delivery_method: 'email',
          email_provider_id: 'queued as 4D3F21',
          ...CALLERS,
        },
      },
    );
  });

  test('voucher_delivered has the Message-ID if the server gave no id', () => {
    const mailed: BookingEvent = { type: 'VoucherMailed', data: { ...MAILED, providerId: null } };
    expect(publicEvent(factsOf([confirmed(), mailed])).data).toMatchObject({ email_provider_id: '<bk_1@waymark>' });
  });

  test('qr_verified has venue, gate and method', () => {
    expect<object>(publicEvent(factsOf([confirmed(), VOUCHER, VISIT]))).toStrictEqual({
      ...ENVELOPE,
      event: 'qr_verified',
      sequence: 3,
      data: {
        booking_id: 'bk_1',
        activity_id: 'bkk-ocean-world',
        activity_title: 'Siam Ocean World',
        context_log_id: 'rec_1',
        verified_at: '2026-12-24T03:00:00.000Z',
        verification_method: 'qr_scan',
        venue_id: 'siam-ocean-world',
        venue_name: 'Siam Ocean World',
        check_in_data: { gate: 'north', device_id: 'dev_1' },
        ...CALLERS,
      },
    });
  });

  test("is in the booking's language, and in its currency's own decimals", () => {
    const activity = anActivity();
    const vi = { ...activity.texts.vi, title: 'Thủy cung' };
    const pricing = { unitPriceMinor: 250_000, discountMinor: 0, currency: 'VND' } as const;
    const facts = factsOf([confirmed({ language: 'vi', pricing })], {
      activity: { ...activity, texts: { ...activity.texts, vi } },
    });
    expect(publicEvent(facts).data).toMatchObject({
      activity_title: 'Thủy cung',
      total_price: 750_000,
      currency: 'VND',
    });
  });

  test('of an erased guest contains no personal data', () => {
    expect(publicEvent(factsOf([confirmed()], { guest: ERASED })).data).toMatchObject({
      user_name: '[erased]',
      user_email: '[erased]',
      reference: null,
      metadata: {},
    });
  });

  test('of an unknown activity has its id as title', () => {
    const { data } = publicEvent(factsOf([confirmed(), VOUCHER, VISIT], { activity: null }));
    expect(data).toMatchObject({ activity_title: 'bkk-ocean-world', venue_name: 'siam-ocean-world' });
  });

  test('is not made of an internal event', () => {
    expect(() => publicEvent(factsOf([confirmed(), VOUCHER]))).toThrow('not a public event');
  });
});
