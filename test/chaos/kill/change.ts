import type { BookingData, CancellationData } from './wire.ts';

/** The requested state of a booking; missing fields stay unchanged. */
export type Modification = Partial<
  Pick<BookingData, 'booking_date' | 'num_adults' | 'num_children' | 'user_name' | 'user_email' | 'special_requests'>
>;

/** A change of a booking by its customer or its venue. A booking has one at a time. */
export type Change = {
  readonly number: number;
  readonly booking: string;
  readonly idempotencyKey: string | null;
} & (
  | { readonly what: 'modify'; readonly body: Modification }
  | { readonly what: 'cancel' | 'confirm' | 'reject'; readonly body: object }
);

/** The answer to a change: the booking, or the cancellation. */
export type Changed = BookingData | ({ readonly booking_id: string; readonly status: string } & CancellationData);

/** The booking in the answer to a change, and the differences from the request as text. */
export function changedBooking(
  change: Change,
  before: BookingData,
  answer: Changed,
): { readonly data: BookingData; readonly fault: string | null } {
  const data = 'activity' in answer ? bookingOf(answer) : cancelledAs(before, answer);
  const expected = expectedOf(change, before, data);
  const same = data.status === expected.status && sameBooking(data, expected);
  const name = `the change ${change.number} of ${before.booking_id}`;
  return {
    data,
    fault: same ? null : `${name} was to make it ${JSON.stringify(expected)}, and made it ${JSON.stringify(data)}`,
  };
}

/** Equal but for status, visit and mail: the booking may have been verified and mailed meanwhile. */
export function sameBooking(left: BookingData, right: BookingData): boolean {
  const meanwhile = { status: '', visit: null, email_sent: false, email_sent_at: null, email_reason: undefined };
  return Bun.deepEquals({ ...left, ...meanwhile }, { ...right, ...meanwhile });
}

function expectedOf(change: Change, before: BookingData, data: BookingData): BookingData {
  switch (change.what) {
    case 'modify': {
      const after = { ...before, ...change.body };
      const guests = after.num_adults + after.num_children;
      const total = Math.round(before.pricing.unit_price * guests * 100) / 100;
      const { code } = before.voucher ?? { code: null };
      // The date determines the validity of the voucher.
      const voucher = data.voucher?.code === code ? data.voucher : before.voucher;
      return { ...after, voucher, pricing: { ...data.pricing, unit_price: before.pricing.unit_price, total } };
    }
    case 'cancel':
      return { ...before, status: 'cancelled', cancellation: data.cancellation };
    case 'confirm':
      return { ...before, status: 'confirmed', voucher: data.voucher };
    default: {
      const { cancellation } = data;
      const code = { code: 'ACTIVITY_UNAVAILABLE' };
      return { ...before, ...code, status: 'rejected', cancellation };
    }
  }
}

/** The booking object in an answer that says more. */
function bookingOf(answer: BookingData): BookingData {
  const more = new Set(['changes', 'new_pricing', 'city', 'key_id', 'guest_erased', 'cancelled_by', 'modified_by']);
  // The rest are the members of a booking.
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !more.has(name))) as BookingData;
}

function cancelledAs(before: BookingData, answer: Exclude<Changed, BookingData>): BookingData {
  const { booking_id: _, status, ...cancellation } = answer;
  return { ...before, status, cancellation };
}
