/**
 * What a reader of the log left out (docs/decisions/0058): an event that it cannot apply, or a command that fails for ever.
 * `id` is the event's id or the command's key. `after` is a position from which the reader can read it again. Positions are in
 * the text form of the event store. Part of stored events: a change needs an upcaster.
 */
export type LeftOut = { readonly id: string; readonly after: string; readonly fault: string } & (
  | {
      readonly kind: 'event';
      readonly stream: string;
      readonly revision: number;
      readonly position: string;
      /** The stored type, with its version. */
      readonly type: string;
    }
  | {
      readonly kind: 'command';
      readonly attempts: number;
      /** The command was due when everything up to this position had been folded. Later events may open it again. */
      readonly upTo: string;
    }
);

/**
 * `parked`: waits for an operator. `retried`: the reader has to read it again. `skipped`: an operator decided to leave it
 * out. Parked and skipped items are left out, by a rebuild too.
 */
export type ParkedItem = LeftOut & {
  readonly status: 'parked' | 'retried' | 'skipped';
  /** ISO 8601 UTC. */
  readonly parkedAt: string;
  /** The last retry or skip; null if nobody decided. */
  readonly decision: { readonly by: string; readonly reason: string; readonly at: string } | null;
};

/** The items of one reader by id, oldest first. */
export type ParkedItems = ReadonlyMap<string, ParkedItem>;

/** Maximum number of items of one reader that wait for an operator. A reader that fails at more events has a bug: it stops. */
export const MAX_PARKED = 100;

/** Longest stored text of a fault. */
const MAX_FAULT = 300;

/** A fault as it is stored and shown. Leaves out what follows the first brace, which may quote the data of an event. */
export function faultText(fault: unknown): string {
  const text = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
  return (text.split('{')[0] ?? '').trim().slice(0, MAX_FAULT);
}
