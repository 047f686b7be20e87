import type { Position as LogPosition, ReadPosition } from '@eventstore/db-client';
import { type Position, START } from '../../eventsourcing/message.ts';

/** The digits of an unsigned 64-bit number. */
const WIDTH = 20;
const MAX_KNOWN = 2n ** 63n - 1n;

/** `{commit}/{prepare}`, both at a fixed width, so that the order of the texts is the order of the log. */
export function positionOf({ commit, prepare }: LogPosition): Position {
  // The parser of this boundary: this is what a position is on this engine.
  return `${digits(commit)}/${digits(prepare)}` as Position;
}

/** Null where the server says that it does not know, which it writes as -1 in an unsigned number. */
export function knownPosition(position: LogPosition): Position | null {
  return position.commit > MAX_KNOWN || position.prepare > MAX_KNOWN ? null : positionOf(position);
}

/** @throws RangeError where the text is no position of this engine, such as one of the embedded store */
export function readPositionOf(position: Position): ReadPosition {
  if (position === START) return 'start';
  const parts = /^(\d{20})\/(\d{20})$/.exec(position);
  if (parts?.[1] === undefined || parts[2] === undefined)
    throw new RangeError(`"${position}" is no position of EventStoreDB: was it stored on another event store?`);
  return { commit: BigInt(parts[1]), prepare: BigInt(parts[2]) };
}

export function later(a: Position, b: Position): Position {
  return a > b ? a : b;
}

function digits(part: bigint): string {
  return part.toString().padStart(WIDTH, '0');
}
