import type { Streams } from '../application/streams.ts';
import type { Cause, DomainEvent, Position } from '../eventsourcing/message.ts';
import type { ProcessManager } from '../eventsourcing/process-manager.ts';
import type { Clock } from '../ports/clock.ts';
import type { DecodedEventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { UnavailableCause } from '../ports/store-unavailable.ts';
import type { OnFatal } from '../runtime/lease.ts';
import type { WithParking } from '../runtime/parked-commands.ts';
import { type CommandOutcome, type RunningProcessManager, runProcessManager } from '../runtime/run-process-manager.ts';

const DECISION_MS = 10_000;
const CHECKPOINT_MS = 30_000;
const COMMANDS_AT_ONCE = 64;

export type TimedContext = WithParking & {
  readonly store: DecodedEventStore;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Maximum delay of a command after its due time. */
  readonly intervalMs: number;
  readonly onFatal: OnFatal;
};

/** Cause and deadline (ms since the epoch) of a command. */
export type CommandContext = { readonly cause: Cause; readonly deadlineMs: number };

type TimedManager<State, Command> = {
  readonly manager: ProcessManager<State, DomainEvent, Command>;
  readonly keyOf: (command: Command) => string;
  /** Commands start when their events are folded. Default: at the next interval. */
  readonly startAtOnce?: boolean;
  readonly startsOver?: () => Promise<boolean>;
  readonly execute: (
    command: Command,
    commandContext: CommandContext,
    context: TimedContext,
  ) => Promise<CommandOutcome>;
};

/** Runs a process manager whose commands fall due by time, and sends the due ones at each interval. */
export function runTimedManager<State, Command>(
  { manager, keyOf, startAtOnce = false, startsOver = async () => false, execute }: TimedManager<State, Command>,
  context: TimedContext,
): Promise<RunningProcessManager> {
  const { clock, ids } = context;
  return runProcessManager({
    ...context,
    manager,
    keyOf,
    checkpointMs: CHECKPOINT_MS,
    maxInFlight: COMMANDS_AT_ONCE,
    startAtOnce,
    startsOver,
    execute(command) {
      const nowMs = clock.nowMs();
      const at = new Date(nowMs).toISOString();
      const cause = { correlationId: ids.uuid(), causationId: null, by: manager.name, at };
      return execute(command, { cause, deadlineMs: nowMs + DECISION_MS }, context);
    },
  });
}

/** `failed` if the actor met a fault; `later` if the command stored no event: it is repeated until an event of this or another node closes its item. */
export function commandOutcomeOf(reply: {
  readonly kind: string;
  readonly position?: Position | null;
  readonly cause?: UnavailableCause;
}): CommandOutcome {
  if (reply.kind === 'unavailable' && reply.cause?.fault !== undefined)
    return { kind: 'failed', fault: reply.cause.fault };
  const { kind, position = null } = reply;
  return kind === 'accepted' && position !== null ? { kind: 'recorded', position } : { kind: 'later' };
}
