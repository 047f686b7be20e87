import type { RecordedEvent } from '@eventstore/db-client';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import { MAX_APPEND_BYTES, type NewEvent, type StoredEvent } from '../../ports/event-store.ts';
import { EventStoreRefusal } from './faults.ts';
import { knownPosition } from './positions.ts';

/** An event as it goes over the wire: encoded once, so that a second attempt sends the very same bytes. */
export type EncodedEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/** The names of correlation and causation are EventStoreDB's own, which its tools follow. */
type Metadata = {
  readonly $correlationId: string;
  readonly $causationId?: string;
  readonly by: string;
  readonly at: string;
};

/** @throws RangeError where they are bigger than the port allows in one append */
export function encodeEvents(stream: string, events: readonly NewEvent[]): EncodedEvent[] {
  const encoded = events.map(({ id, type, data, cause }) => {
    return { id, type, data: jsonBytes(data), metadata: jsonBytes(metadataOf(cause)) };
  });
  const bytes = encoded.reduce((sum, event) => sum + sizeOf(event), 0);
  if (bytes > MAX_APPEND_BYTES)
    throw new RangeError(`an append of ${bytes} bytes to ${stream} is over the limit of ${MAX_APPEND_BYTES}`);
  return encoded;
}

/** @throws EventStoreRefusal where it is no event of Waymark: this database is ours alone */
export function storedEvent(recorded: RecordedEvent): StoredEvent {
  const { id, type, data, metadata, streamId, revision } = recorded;
  const cause = causeOf(metadata);
  if (cause === null || typeof data !== 'object' || data === null)
    throw new EventStoreRefusal(`event ${id} (${type}) of ${streamId} was not written by Waymark`);
  return { id, type, data, cause, stream: streamId, revision: Number(revision), position: placeOf(recorded) };
}

/** Where an event stands in the log, which servers before 22.10 tell of the log's events only, and not of a stream's. */
export function placeOf({ streamId, position }: Pick<RecordedEvent, 'streamId' | 'position'>): Position {
  const known = position === undefined ? null : knownPosition(position);
  if (known === null) throw new EventStoreRefusal(`the event store does not say where an event of ${streamId} stands`);
  return known;
}

/** Tombstones, metadata, links: the engine's own events, which nobody above the port knows of. */
export function isSystemEvent({ type }: { readonly type: string }): boolean {
  return type.startsWith('$');
}

function jsonBytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** As the server counts against its limit: two bytes for each character of the type. */
function sizeOf({ type, data, metadata }: EncodedEvent): number {
  return data.length + metadata.length + type.length * 2;
}

function metadataOf({ correlationId, causationId, by, at }: Cause): Metadata {
  return { $correlationId: correlationId, ...(causationId === null ? {} : { $causationId: causationId }), by, at };
}

function causeOf(metadata: unknown): Cause | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  // The parser of this boundary: each field is looked at below.
  const { $correlationId, $causationId = null, by, at } = metadata as Record<string, unknown>;
  if (typeof $correlationId !== 'string' || typeof by !== 'string' || typeof at !== 'string') return null;
  if ($causationId !== null && typeof $causationId !== 'string') return null;
  return { correlationId: $correlationId, causationId: $causationId, by, at };
}
