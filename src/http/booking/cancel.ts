import { type CancelBooking, cancelBooking, quoteCancellation } from '../../application/booking/cancel-booking.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { HttpContext } from '../context.ts';
import { etagOf } from '../etag.ts';
import { bookingHeaders, presentCancellationQuote, presentCancelled } from './present.ts';

/** Cancels a booking, or returns what that would refund: the same for an agent and for the operator. */
export async function cancelOrQuote(request: CancelBooking, dryRun: boolean, cause: Cause, context: HttpContext) {
  if (dryRun) {
    const quote = await quoteCancellation(request, context);
    if (quote.kind === 'refused') return quote;
    return { kind: 'data', data: presentCancellationQuote(quote), headers: { etag: etagOf(quote.booking) } } as const;
  }
  const cancelled = await cancelBooking(request, cause, context);
  if (cancelled.kind === 'refused') return cancelled;
  return { kind: 'data', data: presentCancelled(cancelled), headers: bookingHeaders(cancelled) } as const;
}
