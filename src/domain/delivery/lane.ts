import type { Agenda } from '../agenda.ts';
import type { OpenDelivery } from './open-delivery.ts';
import type { Counts, Pool } from './pools.ts';

/** How many attempts a receiver gets at once at most. */
const WIDEST = 8;
/** An attempt that took longer held what others might have needed. */
const PROMPT_MS = 2_000;

/** What is known of a receiver from its last answers: how many attempts it may have under way, and whether it is slow. */
export type Manner = { readonly width: number; readonly slow: boolean };

/** Of a receiver that nothing is known of. */
export const UNTRIED: Manner = { width: 1, slow: false };

/** Each success makes the lane wider by one. */
export function afterSuccess({ width }: Manner, responseTimeMs: number): Manner {
  return { width: Math.min(WIDEST, width + 1), slow: responseTimeMs > PROMPT_MS };
}

/** A failure makes the lane half as wide; one that was waited for, as narrow as it can be. */
export function afterFailure({ width }: Manner, responseTimeMs: number): Manner {
  const slow = responseTimeMs > PROMPT_MS;
  return { width: slow ? 1 : Math.max(1, Math.floor(width / 2)), slow };
}

/** The open deliveries of one receiver. */
export type Lane = {
  /** The key, or the origin of the URL that a booking brought along. */
  readonly key: string;
  readonly waiting: Agenda<OpenDelivery>;
  readonly underWay: Counts;
  readonly manner: Manner;
  /** When its last attempt ended, ms since the epoch: of lanes that wait, the one whose turn was longest ago is next. */
  readonly lastTurnMs: number;
};

/** The pool that the lane's next attempt is counted in; null while it is full. */
export function nextPool({ manner: { width, slow }, underWay }: Lane): Pool | null {
  if (underWay.first + underWay.further + underWay.slow >= width) return null;
  if (slow) return 'slow';
  return underWay.first === 0 ? 'first' : 'further';
}

export function isEmpty({ waiting, underWay }: Lane): boolean {
  return waiting.size === 0 && underWay.first + underWay.further + underWay.slow === 0;
}
