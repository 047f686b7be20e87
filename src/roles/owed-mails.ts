import { type CarriedOut, type ProcessManagerRun, runProcessManager } from '../application/run-process-manager.ts';
import type { Begun } from '../application/under-lease.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { MailSender } from './mail-sender.ts';

const CHECKPOINT_MS = 30_000;
const INTERVAL_MS = 1_000;
const LATER = { kind: 'later' } as const;

export type OwedMailsRun<State, Command, Outcome> = Pick<
  ProcessManagerRun<State, Command>,
  'manager' | 'keyOf' | 'store' | 'clock' | 'ids' | 'log' | 'giveUp'
> & {
  /** One attempt at a mail, and what is to be recorded of it; null where there is nothing to send now, or it was aborted. */
  readonly attempt: (command: Command, stopping: AbortSignal) => Promise<Outcome | null>;
  readonly record: (command: Command, outcome: Outcome) => Promise<RecordedOutcome>;
  /** So many attempts are under way at most. */
  readonly connections: number;
  readonly sender: MailSender;
  /** Without a slash at the end; '' while the service does not know yet where it listens. */
  readonly publicUrl: () => string;
};

/** `position` is null where nothing was to be recorded. */
type RecordedOutcome =
  | { readonly kind: 'accepted'; readonly position: Position | null }
  | { readonly kind: 'rejected' | 'erased' | 'unavailable' };

/**
 * Sends the mails that a process manager owes. What became of one while the store could not be told is told later, and the
 * mail is not sent again. A stop begins nothing more, gives what is under way a moment, and closes the sender.
 */
export async function runOwedMails<State, Command, Outcome extends object>(
  run: OwedMailsRun<State, Command, Outcome>,
): Promise<Begun> {
  const stopping = new AbortController();
  const untold = new Map<string, Outcome>();
  const carryOut = async (command: Command): Promise<CarriedOut> => {
    await untilAddressIsKnown(run, stopping.signal);
    if (stopping.signal.aborted) return LATER;
    const key = run.keyOf(command);
    const outcome = untold.get(key) ?? (await run.attempt(command, stopping.signal));
    if (outcome === null) return LATER;
    untold.set(key, outcome);
    const recorded = await run.record(command, outcome);
    if (recorded.kind === 'unavailable') return LATER;
    untold.delete(key);
    return recorded.kind === 'accepted' && recorded.position !== null
      ? { kind: 'recorded', position: recorded.position }
      : LATER;
  };
  const manager = await runProcessManager({
    ...run,
    maxInFlight: run.connections,
    prompt: true,
    intervalMs: INTERVAL_MS,
    checkpointMs: CHECKPOINT_MS,
    carryOut,
  });
  return {
    async stop() {
      stopping.abort();
      const stopped = manager.stop();
      await run.sender.close();
      await stopped;
    },
  };
}

/** Mails say where the service is. After a start some are owed before it listens. */
async function untilAddressIsKnown(
  { publicUrl, clock }: Pick<OwedMailsRun<unknown, unknown, object>, 'publicUrl' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  while (publicUrl() === '' && !signal.aborted) await clock.until(clock.nowMs() + INTERVAL_MS, signal);
}
