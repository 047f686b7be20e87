import { finishBooking } from '../application/finish-booking.ts';
import type { CarriedOut, RunningProcessManager } from '../application/run-process-manager.ts';
import { bookingDeadlines, type DeadlineCommand, deadlineKey } from '../domain/booking/booking-deadlines.ts';
import { unreachable } from '../eventsourcing/message.ts';
import { type Commanding, outcomeOf, runTimedManager, type TimedContext } from './timed-manager.ts';

/** Runs the process manager that ends bookings which nobody else has ended in time. */
export function runBookingDeadlines(context: TimedContext): Promise<RunningProcessManager> {
  return runTimedManager(
    {
      manager: bookingDeadlines,
      keyOf: deadlineKey,
      carryOut: (command, commanding) => carryOut(command, commanding, context),
    },
    context,
  );
}

async function carryOut(
  command: DeadlineCommand,
  { cause, deadlineMs }: Commanding,
  { streams, ids, log }: TimedContext,
): Promise<CarriedOut> {
  const { booking } = command;
  switch (command.type) {
    case 'FinishBooking': {
      const reply = await finishBooking(booking, cause, deadlineMs, { streams, ids });
      if (reply.kind === 'accepted') log.info('unfinished booking ended', { booking, as: reply.state.status });
      return outcomeOf(reply);
    }
    case 'RejectUnanswered': {
      const { at } = cause;
      const reject = { type: 'Reject', reason: 'system', code: 'ACTIVITY_UNAVAILABLE', by: 'system', at } as const;
      const reply = await streams.bookings.handle(booking, reject, cause, deadlineMs);
      if (reply.kind === 'accepted') log.info('unanswered booking ended', { booking });
      return outcomeOf(reply);
    }
    default:
      return unreachable(command);
  }
}
