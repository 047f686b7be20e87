import { describe, expect, test } from 'bun:test';
import { EventEmitter } from 'node:events';
import { UUID } from '@eventstore/db-client/generated/shared_pb';
import { type BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { uuidText } from '../../../../src/adapters/eventstoredb/append-message.ts';
import { openAppender } from '../../../../src/adapters/eventstoredb/appender.ts';
import type { AppendStream } from '../../../../src/adapters/eventstoredb/connection.ts';
import { NO_STREAM } from '../../../../src/ports/event-store.ts';
import { faultOf } from '../../../support/fault.ts';

/** An append stream whose answers the test gives. */
class TestStream extends EventEmitter {
  readonly ids: string[] = [];
  cancelled = false;

  write(request: BatchAppendReq): void {
    this.ids.push(uuidText(request.getCorrelationId()));
  }

  cancel(): void {
    this.cancelled = true;
    this.emit('error', new Error('cancelled'));
  }

  answer(place: number, revision: number): void {
    const id = new UUID();
    id.setString(this.ids[place] ?? '');
    const success = new BatchAppendResp.Success();
    success.setCurrentRevision(String(revision));
    const response = new BatchAppendResp();
    response.setCorrelationId(id);
    response.setSuccess(success);
    this.emit('data', response);
  }
}

function scene(attemptMs: number) {
  const streams: TestStream[] = [];
  const connection = {
    openAppends: () => {
      const stream = new TestStream();
      streams.push(stream);
      return Promise.resolve(stream as unknown as AppendStream);
    },
  };
  const appender = openAppender(connection, attemptMs);
  const given = new AbortController();
  return {
    streams,
    given,
    append: (stream: string, signal = given.signal) =>
      appender.attempt({ stream, expectedRevision: NO_STREAM, events: [] }, signal),
  };
}

const appended = (revision: number) => ({ kind: 'appended' as const, revision, position: null });

async function sent(): Promise<void> {
  await new Promise(setImmediate);
}

describe('appends to a paused server', () => {
  test('get their late answers, though one of them is attempted again over another stream', async () => {
    const { streams, append } = scene(0);
    const first = [append('booking-1')];
    await sent();
    const others = [append('booking-2')];
    await sent();
    expect(streams).toHaveLength(2);
    const [slow, next] = streams;
    expect(slow?.cancelled).toBe(false);
    slow?.answer(0, 0);
    expect(await Promise.all(first)).toEqual([appended(0)]);
    // No append is pending on it any more.
    expect(slow?.cancelled).toBe(true);
    next?.answer(0, 7);
    expect(await Promise.all(others)).toEqual([appended(7)]);
    expect(next?.cancelled).toBe(false);
  });

  test('use one stream until it is silent for the duration of an attempt', async () => {
    const { streams, append } = scene(60_000);
    const appends = [append('booking-1'), append('booking-2')];
    await sent();
    appends.push(append('booking-3'));
    await sent();
    for (const place of [2, 0, 1]) streams[0]?.answer(place, place);
    expect(await Promise.all(appends)).toEqual([appended(0), appended(1), appended(2)]);
    expect(streams).toHaveLength(1);
  });

  test('are removed when their caller gives up, and a permanently silent stream is closed', async () => {
    const { streams, given, append } = scene(0);
    const lost = append('booking-1');
    await sent();
    given.abort(new Error('given up'));
    expect(await faultOf(() => lost)).toMatchObject({ message: 'given up' });
    expect(streams[0]?.cancelled).toBe(true);
    const again = append('booking-1', new AbortController().signal);
    await sent();
    streams[1]?.answer(0, 0);
    expect(await again).toEqual(appended(0));
  });
});
