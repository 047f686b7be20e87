import type { Position } from '../eventsourcing/message.ts';
import type { MailAddress } from '../ports/mailer.ts';
import { type CommandOutcome, type ProcessManagerRun, runProcessManager } from '../runtime/run-process-manager.ts';

import type { Running } from '../runtime/running.ts';

import type { MailSender } from '../vouchers/outgoing-mail.ts';

const CHECKPOINT_MS = 30_000;
const INTERVAL_MS = 1_000;
const LATER = { kind: 'later' } as const;

export type MailSettings = {
  readonly from: MailAddress;
  /** Maximum number of attempts at once. */
  readonly connections: number;
};

export type PendingMailsRun<State, Command, Outcome> = Pick<
  ProcessManagerRun<State, Command>,
  'manager' | 'keyOf' | 'store' | 'clock' | 'ids' | 'log' | 'abandon'
> & {
  /** One attempt to send a mail. @returns the outcome to record; null if there is nothing to send, or it was aborted */
  readonly attempt: (command: Command, stopping: AbortSignal) => Promise<Outcome | null>;
  readonly record: (command: Command, outcome: Outcome) => Promise<RecordedOutcome>;
  /** Maximum number of attempts at once. */
  readonly connections: number;
  readonly sender: MailSender;
  /** Without a trailing slash; '' until the service listens. */
  readonly publicUrl: () => string;
};

/** `position` is null if there was nothing to record. */
type RecordedOutcome =
  | { readonly kind: 'accepted'; readonly position: Position | null }
  | { readonly kind: 'rejected' | 'erased' | 'unavailable' };

/**
 * Sends the pending mails of a process manager. If the store is unavailable, it keeps the outcome and records it later,
 * without sending the mail again. `stop` begins no further attempt, waits briefly for those in flight, and closes the
 * sender.
 */
export async function runPendingMails<State, Command, Outcome extends object>(
  run: PendingMailsRun<State, Command, Outcome>,
): Promise<Running> {
  const stopping = new AbortController();
  const unrecorded = new Map<string, Outcome>();
  const execute = async (command: Command): Promise<CommandOutcome> => {
    await untilAddressIsKnown(run, stopping.signal);
    if (stopping.signal.aborted) return LATER;
    const key = run.keyOf(command);
    const outcome = unrecorded.get(key) ?? (await run.attempt(command, stopping.signal));
    if (outcome === null) return LATER;
    unrecorded.set(key, outcome);
    const recorded = await run.record(command, outcome);
    if (recorded.kind === 'unavailable') return LATER;
    unrecorded.delete(key);
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
    execute,
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

/** Mails contain the public URL, which is unknown until the service listens. */
async function untilAddressIsKnown(
  { publicUrl, clock }: Pick<PendingMailsRun<unknown, unknown, object>, 'publicUrl' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  while (publicUrl() === '' && !signal.aborted) await clock.until(clock.nowMs() + INTERVAL_MS, signal);
}
