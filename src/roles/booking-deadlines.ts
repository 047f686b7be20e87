import { finishBooking } from '../application/finish-booking.ts';
import { type CarriedOut, type RunningProcessManager, runProcessManager } from '../application/run-process-manager.ts';
import type { Streams } from '../application/streams.ts';
import type { GiveUp } from '../application/under-lease.ts';
import { bookingDeadlines, type DeadlineCommand, deadlineKey } from '../domain/booking/booking-deadlines.ts';
import { type Position, unreachable } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';

const DECISION_MS = 10_000;
const CHECKPOINT_MS = 30_000;
const COMMANDS_AT_ONCE = 64;

/** Runs the process manager that ends bookings which nobody else has ended in time. */
export function runBookingDeadlines(context: {
  readonly store: EventStore;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly intervalMs: number;
  readonly giveUp: GiveUp;
}): Promise<RunningProcessManager> {
  return runProcessManager({
    ...context,
    manager: bookingDeadlines,
    checkpointMs: CHECKPOINT_MS,
    keyOf: deadlineKey,
    maxInFlight: COMMANDS_AT_ONCE,
    prompt: false,
    carryOut: (command) => carryOut(command, context),
  });
}

async function carryOut(
  command: DeadlineCommand,
  { streams, clock, ids, log }: Parameters<typeof runBookingDeadlines>[0],
): Promise<CarriedOut> {
  const nowMs = clock.nowMs();
  const at = new Date(nowMs).toISOString();
  const cause = { correlationId: ids.uuid(), causationId: null, by: bookingDeadlines.name, at };
  const { booking } = command;
  switch (command.type) {
    case 'FinishBooking': {
      const reply = await finishBooking(booking, cause, nowMs + DECISION_MS, { streams, ids });
      if (reply.kind === 'accepted') log.info('unfinished booking ended', { booking, as: reply.state.status });
      return outcomeOf(reply);
    }
    case 'RejectUnanswered': {
      const reject = { type: 'Reject', reason: 'system', code: 'ACTIVITY_UNAVAILABLE', by: 'system', at } as const;
      const reply = await streams.bookings.handle(booking, reject, cause, nowMs + DECISION_MS);
      if (reply.kind === 'accepted') log.info('unanswered booking ended', { booking });
      return outcomeOf(reply);
    }
    default:
      return unreachable(command);
  }
}

/** A booking that somebody else ended is not waited for any more once the event that says so is folded. */
function outcomeOf(reply: { readonly kind: string; readonly position?: Position | null }): CarriedOut {
  return reply.kind === 'accepted' && reply.position
    ? { kind: 'recorded', position: reply.position }
    : { kind: 'later' };
}
