import type { Position as LogPosition, ReadPosition } from '@eventstore/db-client';
import { type Position, START } from '../../eventsourcing/message.ts';

/** Digits of an unsigned 64-bit number. */
const WIDTH = 20;
/** The server sends -1 (no position) as 2^64-1. No record has a position above this. */
const MAX_KNOWN = 2n ** 63n - 1n;

/** `{commit}/{prepare}`, both at a fixed width, so that text order is log order. */
export function positionOf({ commit, prepare }: LogPosition): Position {
  // Parser: the form of a position on this engine.
  return `${digits(commit)}/${digits(prepare)}` as Position;
}

/** Null if the server sent no position. */
export function knownPosition(position: LogPosition): Position | null {
  return position.commit > MAX_KNOWN || position.prepare > MAX_KNOWN ? null : positionOf(position);
}

/** @throws RangeError if the text is not a position of this engine, such as one of the embedded store */
export function readPositionOf(position: Position): ReadPosition {
  if (position === START) return 'start';
  const parts = /^(\d{20})\/(\d{20})$/.exec(position);
  if (parts?.[1] === undefined || parts[2] === undefined)
    throw new RangeError(`"${position}" is no position of EventStoreDB: was it stored on another event store?`);
  return { commit: BigInt(parts[1]), prepare: BigInt(parts[2]) };
}

/**
 * False for 2^64-1, which an earlier version stored.
 * @throws RangeError if the text is not a position of this engine
 */
export function isKnownPosition(position: Position): boolean {
  const read = readPositionOf(position);
  return typeof read === 'string' || knownPosition(read) !== null;
}

export function later(a: Position, b: Position): Position {
  return a > b ? a : b;
}

function digits(part: bigint): string {
  return part.toString().padStart(WIDTH, '0');
}
