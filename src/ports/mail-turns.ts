import { DAY_MS } from '../eventsourcing/durations.ts';
import { type CountedMail, MAX_MAILS_A_DAY, type MailTaking } from './mail-limiter.ts';

/** A mail that counts from `atMs` (ms since the epoch) for 24 hours. In the future: it waits until then. */
export type MailTurn = Pick<CountedMail, 'about' | 'messageId'> & { readonly atMs: number };

/** The mails that count for one address, oldest first. */
export type MailTurns = readonly MailTurn[];

/** Maximum number of turns of an address. Beyond, a mail waits without a turn, and asks again. */
const MAX_TURNS = 500;

/** Decides on a mail. The returned turns are those to store; they are without expired ones. */
export function takeTurn(
  turns: MailTurns,
  { about, messageId }: Pick<CountedMail, 'about' | 'messageId'>,
  whenFull: 'wait' | 'refuse',
  atMs: number,
): { readonly turns: MailTurns; readonly taking: MailTaking } {
  const counting = turns.filter((turn) => turn.atMs > atMs - DAY_MS);
  const own = counting.find((turn) => turn.messageId === messageId);
  if (own !== undefined) return { turns: counting, taking: takingAt(own.atMs, atMs) };
  const superseded = counting.find((turn) => turn.about === about && turn.atMs > atMs);
  if (superseded !== undefined) {
    const replaced = counting.map((turn) => (turn === superseded ? { ...turn, messageId } : turn));
    return { turns: replaced, taking: takingAt(superseded.atMs, atMs) };
  }
  const oldest = counting.at(-MAX_MAILS_A_DAY);
  if (oldest === undefined) return { turns: [...counting, { about, messageId, atMs }], taking: { kind: 'taken' } };
  if (whenFull === 'refuse') return { turns: counting, taking: { kind: 'refused' } };
  const turn = { about, messageId, atMs: oldest.atMs + DAY_MS };
  return { turns: counting.length < MAX_TURNS ? [...counting, turn] : counting, taking: takingAt(turn.atMs, atMs) };
}

/** Until when the turns count: they can be deleted afterwards. */
export function countUntilMs(turns: MailTurns): number {
  return (turns.at(-1)?.atMs ?? 0) + DAY_MS;
}

function takingAt(turnMs: number, atMs: number): MailTaking {
  return turnMs <= atMs ? { kind: 'taken' } : { kind: 'waits', untilMs: turnMs };
}
