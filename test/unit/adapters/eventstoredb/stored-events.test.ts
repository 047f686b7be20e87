import { describe, expect, test } from 'bun:test';
import type { RecordedEvent } from '@eventstore/db-client';
import { EventStoreRefusal } from '../../../../src/adapters/eventstoredb/faults.ts';
import { encodeEvents, storedEvent } from '../../../../src/adapters/eventstoredb/stored-events.ts';
import type { Cause, Position } from '../../../../src/eventsourcing/message.ts';
import { MAX_APPEND_BYTES } from '../../../../src/ports/event-store.ts';

const CAUSE: Cause = { correlationId: 'req_1', causationId: 'evt_0', by: 'key_1', at: '2026-11-21T08:00:00.000Z' };
const ID = '8ad5f0a4-9c3e-4f2b-b1d7-00ff10203040';

function recorded(over: Partial<RecordedEvent>): RecordedEvent {
  return {
    streamId: 'booking-1',
    id: ID,
    revision: 3n,
    type: 'Happened.v1',
    isJson: true,
    data: { n: 1 },
    metadata: { $correlationId: 'req_1', $causationId: 'evt_0', by: 'key_1', at: CAUSE.at },
    created: new Date(0),
    position: { commit: 700n, prepare: 700n },
    ...over,
  } as RecordedEvent;
}

describe('an event on its way to the server', () => {
  const event = { id: ID, type: 'Happened.v1', data: { n: 1 }, cause: CAUSE };
  const texts = (cause: Cause): string[] =>
    encodeEvents('booking-1', [{ ...event, cause }]).map(({ metadata }) => new TextDecoder().decode(metadata));

  test('has its cause under the names that the engine and its tools follow', () => {
    expect(texts(CAUSE)).toEqual([
      '{"$correlationId":"req_1","$causationId":"evt_0","by":"key_1","at":"2026-11-21T08:00:00.000Z"}',
    ]);
    expect(texts({ ...CAUSE, causationId: null })).toEqual([
      '{"$correlationId":"req_1","by":"key_1","at":"2026-11-21T08:00:00.000Z"}',
    ]);
  });

  test('is counted as the server counts: data, metadata and the type twice, to the byte', () => {
    const sizeWithout = encodeEvents('booking-1', [{ ...event, data: { text: '' } }]).reduce(
      (sum, { data, metadata, type }) => sum + data.length + metadata.length + 2 * type.length,
      0,
    );
    const ofSize = (bytes: number) => [{ ...event, data: { text: 'x'.repeat(bytes - sizeWithout) } }];
    expect(encodeEvents('booking-1', ofSize(MAX_APPEND_BYTES))).toHaveLength(1);
    expect(() => encodeEvents('booking-1', ofSize(MAX_APPEND_BYTES + 1))).toThrow(RangeError);
  });
});

describe('an event that the server has', () => {
  test('comes back as it was appended, at its place', () => {
    expect(storedEvent(recorded({}))).toStrictEqual({
      id: ID,
      type: 'Happened.v1',
      data: { n: 1 },
      cause: CAUSE,
      stream: 'booking-1',
      revision: 3,
      position: '00000000000000000700/00000000000000000700' as Position,
    });
  });

  test.each<[string, Partial<RecordedEvent>]>([
    ['without metadata', { metadata: undefined as never }],
    ['with the metadata of others', { metadata: { $correlationId: 'req_1' } }],
    ['with a cause that is no text', { metadata: { $correlationId: 'req_1', $causationId: 7, by: 'b', at: 'a' } }],
    ['with data that is no JSON', { data: 'not JSON' as never }],
    ['without a place, as servers before 22.10 tell it', { position: undefined as never }],
  ])('is none of ours %s, and says so', (_, over) => {
    expect(() => storedEvent(recorded(over))).toThrow(EventStoreRefusal);
  });
});
