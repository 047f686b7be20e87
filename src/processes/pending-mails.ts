import type { PriorityQueue } from '../collections/priority-queue.ts';
import { MINUTE_MS, SECOND_MS } from '../eventsourcing/durations.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { Room } from '../eventsourcing/process-manager.ts';

/** Delays after the first failed attempts; later attempts follow every half hour. */
const FIRST_DELAYS_MS = [10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
const LATER_DELAY_MS = 30 * MINUTE_MS;
/** The last attempt is 47 h 42 min 40 s after the first if each fails at once. */
export const MAX_MAIL_ATTEMPTS = 100;

/** Delay between failed attempt number `attempt` (from 1) and the next one, in ms, without jitter; null after the last. */
export function mailRetryDelayMs(attempt: number): number | null {
  return attempt >= MAX_MAIL_ATTEMPTS ? null : (FIRST_DELAYS_MS[attempt - 1] ?? LATER_DELAY_MS);
}

export type PendingMail<Id extends string = string> = {
  readonly id: Id;
  /** Ms since the epoch. */
  readonly dueMs: number;
  /** The position of the event that causes the mail, or of the last failed attempt. */
  readonly position: Position;
};

/** Mails to send, at most one per id, in the order in which they fall due. */
export type PendingMails<Mail extends PendingMail> = PriorityQueue<Mail>;

/**
 * Adds a mail that is due at `dueMs` (ms since the epoch), in place of an earlier one with its id. A first attempt is due
 * at 0, so that it precedes all retries: a guest may be waiting for it, and during an outage of the mail server the
 * retries would fill every slot.
 */
export function enqueue<Mail extends PendingMail>(mails: PendingMails<Mail>, mail: Mail): PendingMails<Mail> {
  // Mails of one due time stay in log order: each is added with the event that is being folded.
  return mails.with(mail.id, mail.dueMs, mail);
}

/** The mails that are due at `nowMs` (ms since the epoch) and not being sent, in order. */
export function dueMails<Mail extends PendingMail>(
  mails: PendingMails<Mail>,
  nowMs: number,
  { limit, busy }: Room,
): Mail[] {
  const due: Mail[] = [];
  for (const mail of mails.values()) {
    if (mail.dueMs > nowMs || due.length >= limit) break;
    if (!busy(mail.id)) due.push(mail);
  }
  return due;
}
