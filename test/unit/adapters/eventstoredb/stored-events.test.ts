import { describe, expect, test } from 'bun:test';
import type { RecordedEvent } from '@eventstore/db-client';
import { EventStoreRefusal } from '../../../../src/adapters/eventstoredb/faults.ts';
import { openForeignEvents } from '../../../../src/adapters/eventstoredb/foreign-events.ts';
import { encodeEvents, type Ownership, storedEvent } from '../../../../src/adapters/eventstoredb/stored-events.ts';
import { streamNames } from '../../../../src/adapters/eventstoredb/stream-names.ts';
import type { Cause, Position } from '../../../../src/eventsourcing/message.ts';
import { AppendTooLarge } from '../../../../src/ports/append-too-large.ts';
import { MAX_APPEND_BYTES } from '../../../../src/ports/event-store.ts';
import { collectedLog } from '../../../support/log.ts';

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

describe('an encoded event', () => {
  const event = { id: ID, type: 'Happened.v1', data: { n: 1 }, cause: CAUSE };
  const texts = (cause: Cause): string[] =>
    encodeEvents('booking-1', [{ ...event, cause }]).map(({ metadata }) => new TextDecoder().decode(metadata));

  test('has its cause under the engine’s own names', () => {
    expect(texts(CAUSE)).toEqual([
      '{"$correlationId":"req_1","$causationId":"evt_0","by":"key_1","at":"2026-11-21T08:00:00.000Z"}',
    ]);
    expect(texts({ ...CAUSE, causationId: null })).toEqual([
      '{"$correlationId":"req_1","by":"key_1","at":"2026-11-21T08:00:00.000Z"}',
    ]);
  });

  test('has the size that the server counts: data, metadata and twice the type', () => {
    const sizeWithout = encodeEvents('booking-1', [{ ...event, data: { text: '' } }]).reduce(
      (sum, { data, metadata, type }) => sum + data.length + metadata.length + 2 * type.length,
      0,
    );
    const ofSize = (bytes: number) => [{ ...event, data: { text: 'x'.repeat(bytes - sizeWithout) } }];
    expect(encodeEvents('booking-1', ofSize(MAX_APPEND_BYTES))).toHaveLength(1);
    expect(() => encodeEvents('booking-1', ofSize(MAX_APPEND_BYTES + 1))).toThrow(AppendTooLarge);
  });
});

function ownership(prefix = '', log = collectedLog()): Ownership {
  return { names: streamNames(prefix), foreign: openForeignEvents(log) };
}

describe('a stored event', () => {
  test.each([
    ['', 'booking-1'],
    ['east.', 'east.booking-1'],
  ])('comes back as it was appended, at its place, without the prefix %p', (prefix, streamId) => {
    expect(storedEvent(recorded({ streamId }), ownership(prefix))).toStrictEqual({
      id: ID,
      type: 'Happened.v1',
      data: { n: 1 },
      cause: CAUSE,
      stream: 'booking-1',
      revision: 3,
      position: 1401 as Position,
    });
  });

  test.each<[string, Partial<RecordedEvent>]>([
    ['without metadata', { metadata: undefined as never }],
    ['with the metadata of others', { metadata: { $correlationId: 'req_1' } }],
    ['with a cause that is no text', { metadata: { $correlationId: 'req_1', $causationId: 7, by: 'b', at: 'a' } }],
  ])('is none of ours %s: it is logged and skipped', (_, over) => {
    const log = collectedLog();
    expect(storedEvent(recorded(over), ownership('', log))).toBeNull();
    expect(log.lines.map(({ facts }) => [facts['stream'], facts['type'], facts['id']])).toEqual([
      ['booking-1', 'Happened.v1', ID],
    ]);
  });

  test.each(['$>', '$metadata', '$streamDeleted'])(
    'is skipped without a word where it is a %s of the engine',
    (type) => {
      const log = collectedLog();
      expect(storedEvent(recorded({ type, metadata: undefined as never }), ownership('', log))).toBeNull();
      expect(log.lines).toEqual([]);
    },
  );

  test.each<[string, Partial<RecordedEvent>, readonly number[]]>([
    ['is no JSON', { data: 'no' as never }, [...Buffer.from('no')]],
    ['is said to be none', { data: new Uint8Array([1, 2]) as never, isJson: false as never }, [1, 2]],
    ['is a number', { data: 7 as never }, [...Buffer.from('7')]],
    ['is null', { data: null as never }, [...Buffer.from('null')]],
    ['is an array', { data: [1] as never }, [...Buffer.from('[1]')]],
  ])('and ours has its data as bytes where it %s', (_, over, bytes) => {
    const stored = storedEvent(recorded(over), ownership());
    expect(stored?.data instanceof Uint8Array ? [...stored.data] : stored).toEqual([...bytes]);
  });

  test('without a position, as from servers before 22.10, is refused', () => {
    const place = { position: undefined as never };
    expect(() => storedEvent(recorded(place), ownership())).toThrow(EventStoreRefusal);
  });
});

describe('events of other programs', () => {
  const event = (stream: string, revision: number) => ({
    streamId: stream,
    revision: BigInt(revision),
    type: 'OrderPlaced',
    id: `${stream}@${revision}`,
  });

  test('are counted once each, and their stream is logged once', () => {
    const log = collectedLog();
    const foreign = openForeignEvents(log);
    for (const revision of [0, 1, 0, 1, 2, 1]) foreign.skip(event('booking-1', revision));
    foreign.skip(event('booking-2', 4));
    foreign.close();
    expect(log.lines.map(({ level, facts }) => [level, facts['stream'], facts['events']])).toEqual([
      ['warn', 'booking-1', 1],
      ['warn', 'booking-2', 4],
      ['info', undefined, 4],
    ]);
  });

  test('of more streams than the limit are logged once, and remembered streams are still counted', () => {
    const log = collectedLog();
    const foreign = openForeignEvents(log, 2);
    for (const stream of ['booking-1', 'booking-2', 'booking-3', 'booking-4', 'booking-3'])
      foreign.skip(event(stream, 0));
    foreign.skip(event('booking-1', 1));
    foreign.close();
    expect(log.lines.map(({ level, facts }) => [level, facts['stream'], facts['maxStreams'], facts['events']])).toEqual(
      [
        ['warn', 'booking-1', undefined, 1],
        ['warn', 'booking-2', undefined, 2],
        ['warn', 'booking-3', 2, undefined],
        ['info', undefined, undefined, 3],
      ],
    );
  });

  test('are not logged if there are none', () => {
    const log = collectedLog();
    openForeignEvents(log).close();
    expect(log.lines).toEqual([]);
  });
});
