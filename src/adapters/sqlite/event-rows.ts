import { type Cause, type Position, type PositionForm, START } from '../../eventsourcing/message.ts';
import { AppendTooLarge } from '../../ports/append-too-large.ts';

import { MAX_APPEND_BYTES, type NewEvent, type StoredEvent } from '../../ports/event-store.ts';

const POSITION_WIDTH = 16;

/** A row of the table: one append, with the first of its consecutive revisions and positions. */
export type AppendRow = {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly events: string;
};

/** An event inside a row. The cause is omitted if it equals that of the previous event. */
type RowEvent = { readonly id: string; readonly type: string; readonly data: object; readonly cause?: Cause };

/** Positions count the events and erasures of the log from 1, so the number of a row is its position. */
export function positionOf(position: number): Position {
  return position as Position;
}

export const EMBEDDED_POSITIONS: PositionForm = {
  format: (position) => (position === START ? '' : String(position).padStart(POSITION_WIDTH, '0')),
  parse(text) {
    if (text === '') return START;
    const position = Number(text);
    return /^\d{16}$/.test(text) && Number.isSafeInteger(position) ? positionOf(position) : null;
  },
};

/**
 * Encodes the events of an append for a row.
 * @throws AppendTooLarge if the text exceeds the port's limit
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
    throw new AppendTooLarge(
      `an append of ${Buffer.byteLength(text)} bytes to ${stream} is over the limit of ${MAX_APPEND_BYTES}`,
    );
  }
  return text;
}

export function eventsOf({ position, stream, revision, events }: AppendRow): StoredEvent[] {
  let cause: Cause | undefined;
  // Parser: `encodeEvents` wrote the row.
  return (JSON.parse(events) as RowEvent[]).map(({ id, type, data, cause: own }, index) => {
    cause = own ?? cause;
    return {
      id,
      type,
      data,
      cause: cause as Cause,
      stream,
      revision: revision + index,
      position: positionOf(position + index),
    };
  });
}
