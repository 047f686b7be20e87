import type { RecordedEvent } from '@eventstore/db-client';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import { AppendTooLarge } from '../../ports/append-too-large.ts';
import { MAX_APPEND_BYTES, type NewEvent, type StoredEvent } from '../../ports/event-store.ts';
import { EventStoreRefusal } from './faults.ts';
import type { ForeignEvents } from './foreign-events.ts';
import { knownPosition } from './positions.ts';
import type { StreamNames } from './stream-names.ts';

/** An event in wire format, encoded once, so that a repeated attempt sends the same bytes. */
export type EncodedEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/** EventStoreDB's own names for correlation and causation, which its tools use. */
type Metadata = {
  readonly $correlationId: string;
  readonly $causationId?: string;
  readonly by: string;
  readonly at: string;
};

/** @throws AppendTooLarge if the events exceed the port's limit for one append */
export function encodeEvents(stream: string, events: readonly NewEvent[]): EncodedEvent[] {
  const encoded = events.map(({ id, type, data, cause }) => {
    return { id, type, data: jsonBytes(data), metadata: jsonBytes(metadataOf(cause)) };
  });
  const bytes = encoded.reduce((sum, event) => sum + sizeOf(event), 0);
  if (bytes > MAX_APPEND_BYTES)
    throw new AppendTooLarge(`an append of ${bytes} bytes to ${stream} is over the limit of ${MAX_APPEND_BYTES}`);
  return encoded;
}

/** Recognizes this installation's events on a shared server. */
export type Ownership = { readonly names: StreamNames; readonly foreign: ForeignEvents };

/**
 * Null for events of the engine and of other programs, which lack the metadata of Waymark's events.
 * @throws EventStoreRefusal if the server does not return the event's position
 */
export function storedEvent(recorded: RecordedEvent, { names, foreign }: Ownership): StoredEvent | null {
  const { id, type, metadata, streamId, revision } = recorded;
  if (isSystemEvent(recorded)) return null;
  const cause = causeOf(metadata);
  if (cause === null) {
    foreign.skip(recorded);
    return null;
  }
  const stream = names.ofPort(streamId);
  return { id, type, data: dataOf(recorded), cause, stream, revision: Number(revision), position: placeOf(recorded) };
}

/** The event's position in the log; servers before 22.10 return it only in reads of the log, not of streams. */
export function placeOf({ streamId, position }: Pick<RecordedEvent, 'streamId' | 'position'>): Position {
  const known = position === undefined ? null : knownPosition(position);
  if (known === null) throw new EventStoreRefusal(`the event store returned no position for an event of ${streamId}`);
  return known;
}

/** Tombstones, metadata and links: the engine's own events, invisible above the port. */
function isSystemEvent({ type }: { readonly type: string }): boolean {
  return type.startsWith('$');
}

/** Data that is not a JSON object is returned as bytes, which the codec rejects: skipping it would lose a fact. */
function dataOf({ data, isJson }: RecordedEvent): object {
  if (data instanceof Uint8Array) return data;
  const isObject = isJson && typeof data === 'object' && data !== null && !Array.isArray(data);
  return isObject ? data : Buffer.from(typeof data === 'string' ? data : JSON.stringify(data), 'utf8');
}

function jsonBytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** The size that the server counts against its limit: two bytes per character of the type. */
function sizeOf({ type, data, metadata }: EncodedEvent): number {
  return data.length + metadata.length + type.length * 2;
}

function metadataOf({ correlationId, causationId, by, at }: Cause): Metadata {
  return { $correlationId: correlationId, ...(causationId === null ? {} : { $causationId: causationId }), by, at };
}

function causeOf(metadata: unknown): Cause | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  // Parser: each field is checked below.
  const { $correlationId, $causationId = null, by, at } = metadata as Record<string, unknown>;
  if (typeof $correlationId !== 'string' || typeof by !== 'string' || typeof at !== 'string') return null;
  if ($causationId !== null && typeof $causationId !== 'string') return null;
  return { correlationId: $correlationId, causationId: $causationId, by, at };
}
