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
      return refused(
        'BOOKING_NOT_MODIFIABLE',
        `${describeStatus(rejection.why)}, so it cannot be changed; ${instead(rejection.why)}.`,
        {
          details: `status: ${rejection.why}`,
          ...(rejection.why === 'processing' ? { resolution: 'retry_later' as const } : {}),
        },
      );
    case 'BOOKING_NOT_CANCELLABLE':
      return refused(
        'BOOKING_NOT_CANCELLABLE',
        `${describeStatus(rejection.why)}, so it cannot be cancelled; ${rejection.why === 'processing' ? 'try again in a moment' : 'ask the operator about money'}.`,
        {
          details: `status: ${rejection.why}`,
          ...(rejection.why === 'processing' ? { resolution: 'retry_later' as const } : {}),
        },
      );
    case 'REVISION_CONFLICT':
      return refused(
        'REVISION_CONFLICT',
        'The booking has changed since you read it; read it again and repeat the request with the new ETag.',
        { details: `ETag: "${rejection.version}"` },
      );
    case 'IDEMPOTENCY_KEY_REUSED':
      return keyReused();
    case 'CLAIM_ABANDONED':
    case 'CLAIM_HELD':
      return serviceUnavailable('contended', { call: `command to booking-${id}, which answers ${rejection.code}` });
    case 'VOUCHER_NOT_FOUND':
    case 'WRONG_VENUE':
    case 'VOUCHER_CANCELLED':
    case 'VOUCHER_ALREADY_VERIFIED':
    case 'VOUCHER_NOT_VALID_TODAY':
    case 'VOUCHER_EXPIRED':
      throw new Error(`${rejection.code} is a rejection of a scan, not of a change of ${id}`);
    default:
      return unreachable(rejection);
  }
}

/** The booking's status as the first half of a sentence. */
export function describeStatus(why: Why): string {
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
  if (why === 'processing') return 'try again in a moment';
  return why === 'erased' ? 'leave user_name, user_email and special_requests out' : 'make a new booking instead';
}
