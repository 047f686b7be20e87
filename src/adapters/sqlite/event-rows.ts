import { type Cause, type Position, START } from '../../eventsourcing/message.ts';
import { MAX_APPEND_BYTES, type NewEvent, type StoredEvent } from '../../ports/event-store.ts';

const POSITION_WIDTH = 16;

/** One append as the table keeps it: consecutive revisions and positions, of which these are the first. */
export type Row = {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly events: string;
};

/** An event inside a row: the cause is left out where it is that of the event before it. */
type RowEvent = { readonly id: string; readonly type: string; readonly data: object; readonly cause?: Cause };

/** Fixed width, so that the order of the texts is the order of the log. */
export function positionOf(position: number): Position {
  return String(position).padStart(POSITION_WIDTH, '0') as Position;
}

export function numberOf(position: Position): number {
  return position === START ? 0 : Number(position);
}

/**
 * The text that a row keeps for an append.
 * @throws RangeError where it is over the port's limit
 */
export function encodeEvents(stream: string, events: readonly NewEvent[]): string {
  let before: Cause | null = null;
  const text = JSON.stringify(
    events.map(({ id, type, data, cause }): RowEvent => {
      const event: RowEvent = cause === before ? { id, type, data } : { id, type, data, cause };
      before = cause;
      return event;
    }),
  );
  if (text.length * 3 > MAX_APPEND_BYTES && Buffer.byteLength(text) > MAX_APPEND_BYTES) {
    throw new RangeError(
      `an append of ${Buffer.byteLength(text)} bytes to ${stream} is over the limit of ${MAX_APPEND_BYTES}`,
    );
  }
  return text;
}

export function eventsOf({ position, stream, revision, events }: Row): StoredEvent[] {
  let cause: Cause | undefined;
  // The parser of this boundary: a row holds what `encodeEvents` wrote.
  return (JSON.parse(events) as RowEvent[]).map(({ id, type, data, cause: own }, index) => {
    cause = own ?? cause;
    const at = { stream, revision: revision + index, position: positionOf(position + index) };
    return { id, type, data, cause: cause as Cause, ...at };
  });
}
