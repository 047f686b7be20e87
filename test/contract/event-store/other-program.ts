import { binaryEvent, type EventData, EventStoreDBClient, type JSONType, jsonEvent } from '@eventstore/db-client';
import { SOME_CAUSE } from '../../support/recorded.ts';

/** A program other than Waymark that writes to the same server. */
export type OtherProgram = AsyncDisposable & {
  /** Appends to a stream at any revision. */
  write(stream: string, ...events: readonly EventData[]): Promise<void>;
  /** The last revision of a stream, and its $maxAge in seconds. */
  look(stream: string): Promise<{ readonly revision: number; readonly maxAge: number | undefined }>;
};

export function otherProgram(url: string): OtherProgram {
  const client = EventStoreDBClient.connectionString(url);
  return {
    async write(stream, ...events) {
      await client.appendToStream(stream, [...events]);
    },
    async look(stream) {
      const [last] = await Array.fromAsync(
        client.readStream(stream, { direction: 'backwards', fromRevision: 'end', maxCount: 1 }),
      );
      const { metadata } = await client.getStreamMetadata(stream);
      return { revision: Number(last?.event?.revision), maxAge: metadata?.maxAge };
    },
    [Symbol.asyncDispose]: () => client.dispose(),
  };
}

/** An event of another program. */
export function someEvent(type = 'OrderPlaced'): EventData {
  return jsonEvent({ type, data: { order: 1 } });
}

/** Events that differ from Waymark's only in their metadata, by the difference. */
export const NOT_OURS: Readonly<Record<string, () => EventData>> = {
  'no metadata': () => someEvent(),
  'no metadata, under a type of ours': () => jsonEvent({ type: 'BookingConfirmed.v1', data: {} }),
  'metadata of its own': () => jsonEvent({ type: 'OrderPlaced', data: {}, metadata: { $correlationId: 'c', by: 'x' } }),
  'an array as metadata': () => jsonEvent({ type: 'OrderPlaced', data: {}, metadata: ['req_1', 'test'] }),
  'a number as causation': () => jsonEvent({ type: 'OrderPlaced', data: {}, metadata: { ...OURS, $causationId: 7 } }),
  'binary metadata': () =>
    binaryEvent({ type: 'OrderPlaced', data: new Uint8Array([255]), metadata: new Uint8Array([254, 1]) }),
  'data that is not JSON': () => binaryEvent({ type: 'OrderPlaced', data: new Uint8Array([255, 0]) }),
};

const OURS = { $correlationId: SOME_CAUSE.correlationId, by: SOME_CAUSE.by, at: SOME_CAUSE.at };

/** An event with Waymark's metadata and the given data; bytes for data that is not JSON. */
export function damagedEvent(type: string, data: JSONType | Uint8Array): EventData {
  return data instanceof Uint8Array
    ? binaryEvent({ type, data, metadata: Buffer.from(JSON.stringify(OURS)) })
    : jsonEvent({ type, data, metadata: OURS });
}
