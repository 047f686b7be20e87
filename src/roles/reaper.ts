import { type CarriedOut, type RunningProcessManager, runProcessManager } from '../application/run-process-manager.ts';
import type { Streams } from '../application/streams.ts';
import type { GiveUp } from '../application/under-lease.ts';
import type { ReaperCommand } from '../domain/booking/claim-reaper.ts';
import { claimReaper, claimReaperKey } from '../domain/booking/claim-reaper.ts';
import { guestId } from '../domain/guest/guest.ts';
import { type Position, unreachable } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';

const DECISION_MS = 10_000;
const CHECKPOINT_MS = 30_000;
const COMMANDS_AT_ONCE = 64;
const LATER = { kind: 'later' } as const;

/** Runs the process manager that looks after claims whose booking never came to be. */
export function runReaper(context: {
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
    manager: claimReaper,
    checkpointMs: CHECKPOINT_MS,
    keyOf: claimReaperKey,
    maxInFlight: COMMANDS_AT_ONCE,
    prompt: false,
    carryOut: (command) => carryOut(command, context),
  });
}

async function carryOut(
  command: ReaperCommand,
  { store, streams, clock, ids, log }: Parameters<typeof runReaper>[0],
): Promise<CarriedOut> {
  const nowMs = clock.nowMs();
  const cause = {
    correlationId: ids.uuid(),
    causationId: null,
    by: claimReaper.name,
    at: new Date(nowMs).toISOString(),
  };
  switch (command.type) {
    case 'AbandonClaim': {
      const { claim, allotment } = command;
      log.info('claim abandoned', { claim, allotment });
      const abandon = { type: 'AbandonClaim', claim, allotment } as const;
      return outcomeOf(await streams.bookings.handle(command.booking, abandon, cause, nowMs + DECISION_MS));
    }
    case 'ReleaseSlots': {
      const release = { type: 'ReleaseSlots', claim: command.claim } as const;
      return outcomeOf(await streams.allotments.handle(command.allotment, release, cause, nowMs + DECISION_MS));
    }
    case 'ShrinkClaim':
    case 'ReleaseHold':
      return outcomeOf(await streams.allotments.handle(command.allotment, command, cause, nowMs + DECISION_MS));
    case 'EraseGuest':
      await store.erase(`${streams.guests.category}-${guestId(command.claim)}`);
      return { kind: 'done' };
    default:
      return unreachable(command);
  }
}

function outcomeOf(reply: { readonly kind: string; readonly position?: Position | null }): CarriedOut {
  return reply.kind === 'accepted' && reply.position ? { kind: 'recorded', position: reply.position } : LATER;
}
