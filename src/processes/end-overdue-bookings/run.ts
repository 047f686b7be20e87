import type { Catalogue } from '../../application/booking/booking-context.ts';
import { finishBooking } from '../../application/booking/finish-booking.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { CommandOutcome, RunningProcessManager } from '../../runtime/run-process-manager.ts';
import { type CommandContext, commandOutcomeOf, runTimedManager, type TimedContext } from '../run-timed.ts';
import { type EndOverdueBookingsCommand, endOverdueBookings, endOverdueBookingsKey } from './process-manager.ts';

/** Runs the process manager that ends overdue bookings. */
export function runEndOverdueBookings(context: Context): Promise<RunningProcessManager> {
  return runTimedManager(
    {
      manager: endOverdueBookings,
      keyOf: endOverdueBookingsKey,
      execute: (command, commandContext) => execute(command, commandContext, context),
    },
    context,
  );
}

type Context = TimedContext & { readonly catalogue: Catalogue };

const BECAUSE = {
  RejectUnanswered: 'the venue did not answer',
  RejectOfInactiveKey: 'its key was deactivated',
} as const satisfies Record<string, string>;

async function execute(
  command: EndOverdueBookingsCommand,
  { cause, deadlineMs }: CommandContext,
  { streams, catalogue, ids, log }: Context,
): Promise<CommandOutcome> {
  const { booking } = command;
  switch (command.type) {
    case 'FinishBooking': {
      const reply = await finishBooking(booking, cause, deadlineMs, { streams, catalogue, ids });
      if (reply.kind === 'accepted') log.info('unfinished booking ended', { booking, as: reply.state.status });
      return commandOutcomeOf(reply);
    }
    case 'RejectUnanswered':
    case 'RejectOfInactiveKey': {
      const { at } = cause;
      const reject = { type: 'Reject', reason: 'system', code: 'ACTIVITY_UNAVAILABLE', by: 'system', at } as const;
      const reply = await streams.bookings.handle(booking, reject, cause, deadlineMs);
      if (reply.kind === 'accepted') log.info('unanswered booking ended', { booking, because: BECAUSE[command.type] });
      return commandOutcomeOf(reply);
    }
    default:
      return unreachable(command);
  }
}
