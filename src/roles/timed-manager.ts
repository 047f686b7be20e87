import { type CarriedOut, type RunningProcessManager, runProcessManager } from '../application/run-process-manager.ts';
import type { Streams } from '../application/streams.ts';
import type { GiveUp } from '../application/under-lease.ts';
import type { Cause, DomainEvent, Position } from '../eventsourcing/message.ts';
import type { ProcessManager } from '../eventsourcing/process-manager.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';

const DECISION_MS = 10_000;
const CHECKPOINT_MS = 30_000;
const COMMANDS_AT_ONCE = 64;

export type TimedContext = {
  readonly store: EventStore;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How late a command may be carried out. */
  readonly intervalMs: number;
  readonly giveUp: GiveUp;
};

/** Who commands, and until when (ms since the epoch) the decision is waited for. */
export type Commanding = { readonly cause: Cause; readonly deadlineMs: number };

export type TimedManager<State, Command> = {
  readonly manager: ProcessManager<State, DomainEvent, Command>;
  readonly keyOf: (command: Command) => string;
  readonly carryOut: (command: Command, commanding: Commanding) => Promise<CarriedOut>;
};

/** Runs a process manager whose commands fall due by time: at each interval it gives those that are due by then. */
export function runTimedManager<State, Command>(
  { manager, keyOf, carryOut }: TimedManager<State, Command>,
  context: TimedContext,
): Promise<RunningProcessManager> {
  const { clock, ids } = context;
  return runProcessManager({
    ...context,
    manager,
    keyOf,
    checkpointMs: CHECKPOINT_MS,
    maxInFlight: COMMANDS_AT_ONCE,
    prompt: false,
    carryOut(command) {
      const nowMs = clock.nowMs();
      const at = new Date(nowMs).toISOString();
      const cause = { correlationId: ids.uuid(), causationId: null, by: manager.name, at };
      return carryOut(command, { cause, deadlineMs: nowMs + DECISION_MS });
    },
  });
}

/** What somebody else has done meanwhile is not waited for any more once the event that says so is folded. */
export function outcomeOf(reply: { readonly kind: string; readonly position?: Position | null }): CarriedOut {
  return reply.kind === 'accepted' && reply.position
    ? { kind: 'recorded', position: reply.position }
    : { kind: 'later' };
}
