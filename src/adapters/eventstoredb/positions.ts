import type { Position as LogPosition, ReadPosition } from '@eventstore/db-client';
import { type Position, type PositionForm, START } from '../../eventsourcing/message.ts';
import { EventStoreRefusal } from './faults.ts';

/** Digits of an unsigned 64-bit number. */
const WIDTH = 20;
/** The server sends -1 (no position) as 2^64-1. */
const NONE = 2n ** 64n - 1n;
/** No record has a position above this. */
const MAX_KNOWN = 2n ** 63n - 1n;
/** A position is twice a commit position, which must be exact: up to 4 PiB of log. */
const MAX_COMMIT = 2n ** 52n - 1n;
/** 2^64-1, which an earlier version stored as a checkpoint. */
const NO_POSITION = Number.POSITIVE_INFINITY as Position;

/**
 * `2 * commit`, plus 1 if prepare = commit, as it is for every event that was appended without an explicit transaction.
 * A checkpoint of the server that precedes the event at `commit` has prepare 0, and sorts before that event. Any other
 * prepare, of an old client's transaction, becomes 0: a subscription from there delivers events of the transaction again,
 * and Waymark, which appends without transactions, skips them.
 * @throws EventStoreRefusal if the commit position is above the bound
 */
export function positionOf({ commit, prepare }: LogPosition): Position {
  if (commit > MAX_COMMIT)
    throw new EventStoreRefusal(`the log has a record at ${commit}; Waymark reads a log up to ${MAX_COMMIT} only`);
  return (Number(commit) * 2 + (prepare === commit ? 1 : 0)) as Position;
}

/** Null if the server sent no position. */
export function knownPosition(position: LogPosition): Position | null {
  return position.commit > MAX_KNOWN || position.prepare > MAX_KNOWN ? null : positionOf(position);
}

/** @throws RangeError for 2^64-1, which `isKnownPosition` recognizes */
export function readPositionOf(position: Position): ReadPosition {
  return position === START ? 'start' : partsOf(position);
}

/** False for 2^64-1, which an earlier version stored. */
export function isKnownPosition(position: Position): boolean {
  return position !== NO_POSITION;
}

export function later(a: Position, b: Position): Position {
  return a > b ? a : b;
}

/** `{commit}/{prepare}` */
export const EVENTSTOREDB_POSITIONS: PositionForm = {
  format(position) {
    if (position === START) return '';
    const { commit, prepare } = position === NO_POSITION ? { commit: NONE, prepare: NONE } : partsOf(position);
    return `${digits(commit)}/${digits(prepare)}`;
  },
  parse(text) {
    if (text === '') return START;
    const parts = /^(\d{20})\/(\d{20})$/.exec(text);
    if (parts?.[1] === undefined || parts[2] === undefined) return null;
    const [commit, prepare] = [BigInt(parts[1]), BigInt(parts[2])];
    if (commit === NONE && prepare === NONE) return NO_POSITION;
    return commit > MAX_COMMIT ? null : positionOf({ commit, prepare });
  },
};

function partsOf(position: Position): LogPosition {
  const commit = BigInt(Math.floor(position / 2));
  return { commit, prepare: position % 2 === 1 ? commit : 0n };
}

function digits(part: bigint): string {
  return part.toString().padStart(WIDTH, '0');
}
