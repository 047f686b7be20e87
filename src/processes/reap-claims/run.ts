import { guestCodec, guestId } from '../../domain/guest/guest.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { ErasureLedger } from '../../ports/erasure-ledger.ts';
import type { CommandOutcome, RunningProcessManager } from '../../runtime/run-process-manager.ts';
import { type CommandContext, commandOutcomeOf, runTimedManager, type TimedContext } from '../run-timed.ts';
import { type ReapClaimsCommand, reapClaims, reapClaimsKey } from './process-manager.ts';

export type ReapClaimsContext = TimedContext & { readonly erasures: Pick<ErasureLedger, 'record'> };

/** Runs the claim reaper. */
export function runReapClaims(context: ReapClaimsContext): Promise<RunningProcessManager> {
  return runTimedManager(
    {
      manager: reapClaims,
      keyOf: reapClaimsKey,
      execute: (command, commandContext) => execute(command, commandContext, context),
    },
    context,
  );
}

async function execute(
  command: ReapClaimsCommand,
  { cause, deadlineMs }: CommandContext,
  { store, streams, erasures, log }: ReapClaimsContext,
): Promise<CommandOutcome> {
  switch (command.type) {
    case 'AbandonClaim': {
      const { claimId, allotmentId } = command;
      const abandon = { type: 'AbandonClaim', claimId, allotmentId } as const;
      const reply = await streams.bookings.handle(command.bookingId, abandon, cause, deadlineMs);
      if (reply.kind !== 'accepted') return commandOutcomeOf(reply);
      // Without an event, the booking has abandoned the claim already.
      if (reply.events.length === 0) return { kind: 'done' };
      log.info('claim abandoned', { claim: claimId, allotment: allotmentId });
      return commandOutcomeOf(reply);
    }
    case 'ReleaseSlots': {
      const release = { type: 'ReleaseSlots', claimId: command.claimId } as const;
      return commandOutcomeOf(await streams.allotments.handle(command.allotmentId, release, cause, deadlineMs));
    }
    case 'RecordPaid': {
      const record = { type: 'RecordPaid', claimId: command.claimId } as const;
      const reply = await streams.allotments.handle(command.allotmentId, record, cause, deadlineMs);
      // Without an event, the claim was released meanwhile, or an earlier release made it.
      return reply.kind === 'accepted' && reply.events.length === 0 ? { kind: 'done' } : commandOutcomeOf(reply);
    }
    case 'ShrinkClaim':
    case 'ReleaseHold':
      return commandOutcomeOf(await streams.allotments.handle(command.allotmentId, command, cause, deadlineMs));
    case 'EraseGuest':
      // First, so that a backup without the erasure cannot bring the data back.
      if (command.erasure !== undefined) await erasures.record(command.erasure);
      await store.erase(`${guestCodec.category}-${guestId(command.claimId)}`);
      return { kind: 'done' };
    default:
      return unreachable(command);
  }
}
