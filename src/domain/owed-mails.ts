import type { Position } from '../eventsourcing/message.ts';
import type { Room } from '../eventsourcing/process-manager.ts';
import { OrderedMap } from './ordered-map.ts';
import { PersistentMap } from './persistent-map.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** After the first attempts; from then on every half hour. */
const FIRST_DELAYS_MS = [10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
const LATER_DELAY_MS = 30 * MINUTE_MS;
/** The last one is 47 h 42 min 40 s after the first, where each fails at once. */
export const MAX_MAIL_ATTEMPTS = 100;

/** How long after a failed attempt (from 1) the next one falls due, in ms; null after the last. Exact, without jitter. */
export function mailRetryDelayMs(attempt: number): number | null {
  return attempt >= MAX_MAIL_ATTEMPTS ? null : (FIRST_DELAYS_MS[attempt - 1] ?? LATER_DELAY_MS);
}

type OwedMail<Id> = {
  readonly id: Id;
  /** Where what it follows from, or the last attempt, stands in the log. */
  readonly position: Position;
  /** Its place in `byDue`. */
  readonly due: string;
};

/** Mails that are owed, one at most for each id. */
export type OwedMails<Id extends string> = {
  readonly owed: PersistentMap<OwedMail<Id>>;
  /** What is owed in the order it falls due. */
  readonly byDue: OrderedMap<OwedMail<Id>>;
};

export function noMails<Id extends string>(): OwedMails<Id> {
  return { owed: new PersistentMap(), byDue: new OrderedMap() };
}

/**
 * With a mail that falls due then (ms since the epoch), in the place of an earlier one of its id. A first attempt is due at
 * 0 and comes before all repetitions: somebody may be waiting for it, and while a mail server is away those would take every
 * turn.
 */
export function owing<Id extends string>(
  mails: OwedMails<Id>,
  { id, position, dueMs }: { readonly id: Id; readonly position: Position; readonly dueMs: number },
): OwedMails<Id> {
  const item = { id, position, due: `${dueText(dueMs)} ${position}` };
  const { owed, byDue } = settled(mails, id);
  return { owed: owed.with(id, item), byDue: byDue.with(item.due, item) };
}

export function settled<Id extends string>({ owed, byDue }: OwedMails<Id>, id: Id): OwedMails<Id> {
  const before = owed.get(id);
  return before === undefined ? { owed, byDue } : { owed: owed.without(id), byDue: byDue.without(before.due) };
}

/** What is due at `nowMs` (ms since the epoch) and not under way, in that order. */
export function dueMails<Id extends string>({ byDue }: OwedMails<Id>, nowMs: number, { limit, busy }: Room): Id[] {
  const until = dueText(nowMs + 1);
  const ids: Id[] = [];
  for (const [due, { id }] of byDue.entries()) {
    if (due >= until || ids.length >= limit) break;
    if (!busy(id)) ids.push(id);
  }
  return ids;
}

/** The position of the oldest event that a mail is owed for; null where none is owed. */
export function oldestOwed({ owed }: OwedMails<string>): Position | null {
  let oldest: Position | null = null;
  for (const [, { position }] of owed.entries()) if (oldest === null || position < oldest) oldest = position;
  return oldest;
}

/** At a fixed width, so that text order is time order. */
function dueText(ms: number): string {
  return String(ms).padStart(16, '0');
}
