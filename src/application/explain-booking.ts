import type { BookingRejection, BookingStatus } from '../domain/booking/booking.ts';
import { unreachable } from '../eventsourcing/message.ts';
import { keyReused } from './in-flight.ts';
import { type Refused, refused, serviceUnavailable } from './refusal.ts';

type Why = BookingStatus | 'past' | 'erased';

/** What is told when a booking would not be changed or ended: a refusal that says how it stands and what can be done. */
export function explainBooking(id: string, rejection: BookingRejection): Refused {
  switch (rejection.code) {
    case 'BOOKING_NOT_FOUND':
      return refused('BOOKING_NOT_FOUND', `booking_id "${id}" does not exist among this key's bookings; check the id.`);
    case 'BOOKING_NOT_MODIFIABLE':
      return refused(
        'BOOKING_NOT_MODIFIABLE',
        `${standing(rejection.why)}, so it cannot be changed; ${instead(rejection.why)}.`,
        {
          details: `status: ${rejection.why}`,
          ...(rejection.why === 'processing' ? { resolution: 'retry_later' as const } : {}),
        },
      );
    case 'BOOKING_NOT_CANCELLABLE':
      return refused(
        'BOOKING_NOT_CANCELLABLE',
        `${standing(rejection.why)}, so it cannot be cancelled; ${rejection.why === 'processing' ? 'ask for it again in a moment' : 'ask the operator where money is in question'}.`,
        {
          details: `status: ${rejection.why}`,
          ...(rejection.why === 'processing' ? { resolution: 'retry_later' as const } : {}),
        },
      );
    case 'REVISION_CONFLICT':
      return refused(
        'REVISION_CONFLICT',
        'The booking was changed meanwhile; read it again, and send this again with its new ETag if it is still wanted.',
        { details: `ETag: "${rejection.version}"` },
      );
    case 'IDEMPOTENCY_KEY_REUSED':
      return keyReused();
    case 'CLAIM_ABANDONED':
    case 'CLAIM_HELD':
      return serviceUnavailable('contended');
    case 'VOUCHER_NOT_FOUND':
    case 'WRONG_VENUE':
    case 'VOUCHER_CANCELLED':
    case 'VOUCHER_ALREADY_VERIFIED':
    case 'VOUCHER_NOT_VALID_TODAY':
    case 'VOUCHER_EXPIRED':
      throw new Error(`${rejection.code} answers a scan, not a change of ${id}`);
    default:
      return unreachable(rejection);
  }
}

/** How a booking stands: the beginning of a sentence. */
export function standing(why: Why): string {
  switch (why) {
    case 'processing':
      return 'The booking is still being worked on';
    case 'past':
      return "The booking's date is over";
    case 'erased':
      return "The guest's data was erased";
    case 'completed':
      return 'The guests have been at the venue already';
    case 'pending':
      return 'The booking is pending';
    case 'confirmed':
    case 'rejected':
    case 'cancelled':
      return `The booking is ${why}`;
    default:
      return unreachable(why);
  }
}

function instead(why: Why): string {
  if (why === 'processing') return 'ask for it again in a moment';
  return why === 'erased' ? 'leave user_name, user_email and special_requests out' : 'make a new booking instead';
}
