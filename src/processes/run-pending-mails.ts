import type { Unavailable } from '../actors/actor.ts';
import type { Fingerprint } from '../domain/ids.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { MailAddress } from '../ports/mailer.ts';
import { type CommandOutcome, type ProcessManagerRun, runProcessManager } from '../runtime/run-process-manager.ts';
import type { Running } from '../runtime/running.ts';
import type { MailSender } from '../vouchers/outgoing-mail.ts';
import type { AttemptOutcome } from './counted-mail.ts';
import { mailRetryDelayMs } from './pending-mails.ts';
import { commandOutcomeOf } from './run-timed.ts';

const DECISION_MS = 10_000;
const CHECKPOINT_MS = 30_000;
const INTERVAL_MS = 1_000;
const LATER = { kind: 'later' } as const;
/** Returned by `nextAttempt`: the mail will never be sent, and no event says so. */
export const OBSOLETE = 'obsolete';

export type MailSettings = {
  readonly from: MailAddress;
  /** Maximum number of attempts at once. */
  readonly connections: number;
};

/** The status of a mail that was not accepted yet, as its stream records it. */
type UnsentMail =
  | { readonly status: 'unsent' }
  | { readonly status: 'failing'; readonly messageId: string; readonly attempts: number };

/** The next attempt to send a mail. */
export type MailAttempt = {
  /** The n-th mail of its booking or endpoint, from 1. */
  readonly issue: number;
  readonly messageId: string;
  /** From 1. */
  readonly attempt: number;
  readonly send: () => Promise<AttemptOutcome>;
};

type AttemptFacts = { readonly issue: number; readonly messageId: string; readonly at: string };
/** `retryAtMs`: ms since the epoch; null after the last attempt. */
type Failure = { readonly attempt: number; readonly reason: string; readonly retryAtMs: number | null };
export type EndedAttempt =
  | {
      readonly kind: 'accepted';
      readonly data: AttemptFacts & { readonly providerId: string | null };
      /** Fingerprint of the address. */
      readonly recipient: Fingerprint;
    }
  | { readonly kind: 'failed'; readonly data: AttemptFacts & Failure };

/** A later command with the same key may be about another mail. */
type Unrecorded<Command, Attempt> = {
  readonly command: Command;
  readonly attempt: Attempt;
  readonly ended: EndedAttempt;
};

type PendingMailsRun<State, Command, Attempt extends MailAttempt> = Pick<
  ProcessManagerRun<State, Command>,
  'manager' | 'keyOf' | 'store' | 'parking' | 'clock' | 'ids' | 'log' | 'onFatal'
> & {
  /** Null if there is nothing to send now. */
  readonly nextAttempt: (command: Command) => Promise<Attempt | typeof OBSOLETE | null>;
  readonly logFailure: (command: Command, failure: Failure & { readonly messageId: string }) => void;
  /** Records an attempt in the stream. */
  readonly record: (
    command: Command,
    ended: EndedAttempt,
    cause: Cause,
    deadlineMs: number,
    attempt: Attempt,
  ) => Promise<RecordedOutcome>;
  readonly config: MailSettings;
  readonly sender: MailSender;
  /** Without a trailing slash; '' until the service listens. */
  readonly publicUrl: () => string;
};

/** `position` is null if there was nothing to record. */
type RecordedOutcome =
  | { readonly kind: 'accepted'; readonly position: Position | null }
  | { readonly kind: 'rejected' | 'erased' }
  /** There is nothing to record, and this mail is not sent again. */
  | { readonly kind: 'obsolete' }
  | Unavailable;

/**
 * Sends the pending mails of a process manager. If the store is unavailable, it keeps the outcome and records it later,
 * without sending the mail again. `stop` begins no further attempt, waits briefly for those in flight, and closes the
 * sender.
 */
export async function runPendingMails<State, Command, Attempt extends MailAttempt = MailAttempt>(
  run: PendingMailsRun<State, Command, Attempt>,
): Promise<Running> {
  const { keyOf, clock, ids } = run;
  const stopping = new AbortController();
  const unrecorded = new Map<string, Unrecorded<Command, Attempt>>();
  const execute = async (command: Command): Promise<CommandOutcome> => {
    await untilAddressIsKnown(run, stopping.signal);
    if (stopping.signal.aborted) return LATER;
    const key = keyOf(command);
    const pending = unrecorded.get(key) ?? (await attemptMail(command, run, stopping.signal));
    if (pending === OBSOLETE) return { kind: 'done' };
    if (pending === null) return LATER;
    unrecorded.set(key, pending);
    const nowMs = clock.nowMs();
    const at = new Date(nowMs).toISOString();
    const cause = { correlationId: ids.uuid(), causationId: null, by: run.manager.name, at };
    const recorded = await run.record(pending.command, pending.ended, cause, nowMs + DECISION_MS, pending.attempt);
    if (recorded.kind === 'unavailable') return commandOutcomeOf(recorded);
    unrecorded.delete(key);
    // A later command with this key is about another mail: its own attempt decides.
    if (recorded.kind === OBSOLETE) return pending.command === command ? { kind: 'done' } : LATER;
    return recorded.kind === 'accepted' && recorded.position !== null
      ? { kind: 'recorded', position: recorded.position }
      : LATER;
  };
  const manager = await runProcessManager({
    ...run,
    maxInFlight: run.config.connections,
    startAtOnce: true,
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

/** Message-ID and number of the next attempt. All attempts have one Message-ID, even if the sender's domain changes. */
export function identifyAttempt(mail: UnsentMail, id: string, issue: number, { from }: MailSettings) {
  if (mail.status === 'failing') return { issue, messageId: mail.messageId, attempt: mail.attempts + 1 };
  return { issue, messageId: `<${id}.${issue}@${from.address.replace(/^.*@/, '')}>`, attempt: 1 };
}

/** Makes one attempt; null if there is nothing to send, or if the stop aborted the attempt. */
async function attemptMail<State, Command, Attempt extends MailAttempt>(
  command: Command,
  { nextAttempt, logFailure, clock }: PendingMailsRun<State, Command, Attempt>,
  stopping: AbortSignal,
): Promise<Unrecorded<Command, Attempt> | typeof OBSOLETE | null> {
  const next = await nextAttempt(command);
  if (next === null || next === OBSOLETE) return next;
  const { issue, messageId, attempt } = next;
  const outcome = await next.send();
  const nowMs = clock.nowMs();
  const facts = { issue, messageId, at: new Date(nowMs).toISOString() };
  if (outcome.kind === 'accepted') {
    const { providerId, recipient } = outcome;
    return { command, attempt: next, ended: { kind: 'accepted', data: { ...facts, providerId }, recipient } };
  }
  // Aborted by the stop, not refused by the mail server: repeated after the next start.
  if (stopping.aborted) return null;
  const failure = { attempt, reason: outcome.reason, retryAtMs: nextAttemptMs(outcome, attempt, nowMs) };
  logFailure(command, { messageId, ...failure });
  return { command, attempt: next, ended: { kind: 'failed', data: { ...facts, ...failure } } };
}

/** Ms since the epoch; null after the last attempt. */
function nextAttemptMs(
  outcome: Exclude<AttemptOutcome, { kind: 'accepted' }>,
  attempt: number,
  nowMs: number,
): number | null {
  if (outcome.kind === 'delayed') return outcome.untilMs;
  const delayMs = outcome.permanent ? null : mailRetryDelayMs(attempt);
  return delayMs === null ? null : nowMs + delayMs;
}

/** Mails contain the public URL, which is unknown until the service listens. */
async function untilAddressIsKnown(
  { publicUrl, clock }: Pick<PendingMailsRun<unknown, unknown, MailAttempt>, 'publicUrl' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  while (publicUrl() === '' && !signal.aborted) await clock.until(clock.nowMs() + INTERVAL_MS, signal);
}
