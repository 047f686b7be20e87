import type { CarriedOut, RunningProcessManager } from '../application/run-process-manager.ts';
import { claimReaper, claimReaperKey, type ReaperCommand } from '../domain/booking/claim-reaper.ts';
import { guestId } from '../domain/guest/guest.ts';
import { unreachable } from '../eventsourcing/message.ts';
import { type Commanding, outcomeOf, runTimedManager, type TimedContext } from './timed-manager.ts';

/** Runs the process manager that looks after claims whose booking never came to be. */
export function runReaper(context: TimedContext): Promise<RunningProcessManager> {
  return runTimedManager(
    {
      manager: claimReaper,
      keyOf: claimReaperKey,
      carryOut: (command, commanding) => carryOut(command, commanding, context),
    },
    context,
  );
}

async function carryOut(
  command: ReaperCommand,
  { cause, deadlineMs }: Commanding,
  { store, streams, log }: TimedContext,
): Promise<CarriedOut> {
  switch (command.type) {
    case 'AbandonClaim': {
      const { claim, allotment } = command;
      const abandon = { type: 'AbandonClaim', claim, allotment } as const;
      const reply = await streams.bookings.handle(command.booking, abandon, cause, deadlineMs);
      // Only what was decided now: the booking may hold the claim, or have given it up before.
      if (reply.kind === 'accepted' && reply.events.length > 0) log.info('claim abandoned', { claim, allotment });
      return outcomeOf(reply);
    }
    case 'ReleaseSlots': {
      const release = { type: 'ReleaseSlots', claim: command.claim } as const;
      return outcomeOf(await streams.allotments.handle(command.allotment, release, cause, deadlineMs));
    }
    case 'ShrinkClaim':
    case 'ReleaseHold':
      return outcomeOf(await streams.allotments.handle(command.allotment, command, cause, deadlineMs));
    case 'EraseGuest':
      await store.erase(`${streams.guests.category}-${guestId(command.claim)}`);
      return { kind: 'done' };
    default:
      return unreachable(command);
  }
}
