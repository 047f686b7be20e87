import type { BookingRejection } from '../../domain/booking/commands.ts';
import type { BookingStatus } from '../../domain/booking/state.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { keyReused } from '../in-flight.ts';
import { type Refused, refused, serviceUnavailable } from '../refusal.ts';

type Why = BookingStatus | 'past' | 'erased';

/** The refusal for a rejected command: the booking's status and what the caller can do. */
export function explainBooking(id: string, rejection: BookingRejection): Refused {
  switch (rejection.code) {
    case 'BOOKING_NOT_FOUND':
      return refused('BOOKING_NOT_FOUND', `booking_id "${id}" does not exist among this key's bookings; check the id.`);
    case 'BOOKING_NOT_MODIFIABLE':
      return refusedByStatus(rejection.code, rejection.why, 'it cannot be changed', instead(rejection.why));
    case 'ANSWER_TOO_LATE':
      return refused('BOOKING_NOT_MODIFIABLE', 'The time of the venue to answer is over; ask the operator.');
    case 'BOOKING_NOT_CANCELLABLE':
      return refusedByStatus(rejection.code, rejection.why, 'it cannot be cancelled', 'ask the operator about money');
    case 'REVISION_CONFLICT':
      return refused(
        'REVISION_CONFLICT',
        'The booking has changed since you read it; read it again and repeat the request with the new ETag.',
        { details: `ETag: "${rejection.version}"` },
      );
    case 'IDEMPOTENCY_KEY_REUSED':
      return keyReused();
    case 'CLAIM_ABANDONED':
    case 'CLAIM_NAMED':
      return serviceUnavailable('contended', { call: `command to booking-${id}, which answers ${rejection.code}` });
    case 'VOUCHER_NOT_FOUND':
    case 'WRONG_VENUE':
    case 'SCAN_TIME_OUT_OF_RANGE':
    case 'VOUCHER_CANCELLED':
    case 'VOUCHER_ALREADY_VERIFIED':
    case 'VOUCHER_NOT_VALID_TODAY':
    case 'VOUCHER_EXPIRED':
    case 'TOO_MANY_GUESTS':
    case 'NO_VISIT':
      throw new Error(`${rejection.code} is a rejection of a scan, not of a change of ${id}`);
    default:
      return unreachable(rejection);
  }
}

/**
 * The refusal of a command that the booking's status forbids. `cannot`: what is refused; `advice`: what to do instead, unless
 * the booking is processing.
 */
export function refusedByStatus(
  code: 'BOOKING_NOT_MODIFIABLE' | 'BOOKING_NOT_CANCELLABLE',
  why: Why,
  cannot: string,
  advice: string,
): Refused {
  const processing = why === 'processing';
  const message = `${describeStatus(why)}, so ${cannot}; ${processing ? 'try again in a moment' : advice}.`;
  const details = `status: ${why}`;
  return refused(code, message, processing ? { details, resolution: 'retry_later' } : { details });
}

/** The booking's status as the first half of a sentence. */
function describeStatus(why: Why): string {
  switch (why) {
    case 'processing':
      return 'The booking is still being processed';
    case 'past':
      return "The booking's date is over";
    case 'erased':
      return "The guest's data was erased";
    case 'completed':
      return 'The guests have already visited the venue';
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
  return why === 'erased' ? 'leave user_name, user_email and special_requests out' : 'make a new booking instead';
}
