import { guestId } from '../../domain/guest/guest.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { CommandOutcome, RunningProcessManager } from '../../runtime/run-process-manager.ts';
import { type CommandContext, commandOutcomeOf, runTimedManager, type TimedContext } from '../run-timed.ts';
import { claimReaperKey, type ReaperCommand, reapClaims } from './process-manager.ts';

/** Runs the claim reaper. */
export function runReapClaims(context: TimedContext): Promise<RunningProcessManager> {
  return runTimedManager({ manager: reapClaims, keyOf: claimReaperKey, execute }, context);
}

async function execute(
  command: ReaperCommand,
  { cause, deadlineMs }: CommandContext,
  { store, streams, log }: TimedContext,
): Promise<CommandOutcome> {
  switch (command.type) {
    case 'AbandonClaim': {
      const { claim, allotment } = command;
      const abandon = { type: 'AbandonClaim', claim, allotment } as const;
      const reply = await streams.bookings.handle(command.booking, abandon, cause, deadlineMs);
      // No event: the booking names the claim, or abandoned it before.
      if (reply.kind === 'accepted' && reply.events.length > 0) log.info('claim abandoned', { claim, allotment });
      return commandOutcomeOf(reply);
    }
    case 'ReleaseSlots': {
      const release = { type: 'ReleaseSlots', claim: command.claim } as const;
      return commandOutcomeOf(await streams.allotments.handle(command.allotment, release, cause, deadlineMs));
    }
    case 'ShrinkClaim':
    case 'ReleaseHold':
      return commandOutcomeOf(await streams.allotments.handle(command.allotment, command, cause, deadlineMs));
    case 'EraseGuest':
      await store.erase(`${streams.guests.category}-${guestId(command.claim)}`);
      return { kind: 'done' };
    default:
      return unreachable(command);
  }
}
