import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import type { LogReading, ReaderBatch } from '../../../src/ports/log-follower.ts';
import { openFollower } from '../../../src/runtime/follower.ts';
import { Progress } from '../../../src/runtime/progress.ts';
import { Tail } from '../../../src/runtime/tail.ts';
import { createUnknownEvents } from '../../../src/runtime/unknown-events.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { ScriptedEventStore } from '../../support/scripted-event-store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Name of the shared subscription. */
export const SHARED = 'log follower';

/** A reader of the scene: what it has applied, and what its next applications wait for or fail with. */
export class Reader {
  readonly progress = new Progress();
  readonly batches: ReaderBatch[] = [];
  readonly applied: string[] = [];
  readonly over = new AbortController();
  waitsFor: Promise<unknown> = Promise.resolve();
  /** Throws to refuse a batch. */
  check: (batch: ReaderBatch) => void = () => {};
  ended: Promise<void> = Promise.resolve();

  async apply(batch: ReaderBatch): Promise<void> {
    await this.waitsFor;
    this.check(batch);
    this.batches.push(batch);
    this.applied.push(...batch.events.map(({ id }) => id));
  }
}

/** A log whose events are decoded as they are, and a follower with a tail of a few events. */
export function scene(tail = new Tail()) {
  const directory = temporaryDirectory();
  const store = new ScriptedEventStore(openEventStore(directory.file('events.db')));
  const [ids, log] = [seededIds(), collectedLog()];
  const unknownEvents = createUnknownEvents(log);
  const decoded: string[] = [];
  const follower = openFollower(store, {
    decode(stored) {
      decoded.push(stored.id);
      return stored;
    },
    unknownEvents,
    tail,
  });
  const readers: Reader[] = [];
  let count = 0;
  /** Every event so far, in log order. */
  const history: { readonly id: string; readonly category: string }[] = [];
  return {
    store,
    follower,
    log,
    unknownEvents,
    decoded,
    /** Appends events to new streams. */
    async append(...categories: readonly string[]): Promise<Position> {
      let last = START;
      for (const category of categories) {
        const id = ids.uuid();
        history.push({ id, category });
        const event = { id, type: 'Happened', data: { text: 'x'.repeat(100) }, cause: SOME_CAUSE };
        const outcome = await store.append(`${category}-${count++}`, -1, [event]);
        if (outcome.kind === 'appended') last = outcome.position;
      }
      return last;
    },
    idsOf: (categories: readonly string[]) =>
      history.filter(({ category }) => categories.includes(category)).map(({ id }) => id),
    read(categories: readonly string[], options: Partial<LogReading> = {}): Reader {
      const reader = new Reader();
      const { progress, over } = reader;
      const reading = { reader: `reader ${readers.length}`, categories, progress, log, signal: over.signal };
      reader.ended = follower.follow({ ...reading, apply: (batch) => reader.apply(batch), ...options });
      reader.ended.catch(() => {});
      readers.push(reader);
      return reader;
    },
    /** Resolves once only the shared subscription is open. */
    async joined(): Promise<void> {
      while (store.subscribers.join() !== SHARED) await new Promise(setImmediate);
    },
    async [Symbol.asyncDispose]() {
      for (const { over } of readers) over.abort();
      await Promise.allSettled(readers.map(({ ended }) => ended));
      await follower.close();
      await store.close();
      directory.remove();
    },
  };
}

/** Resolves after so many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}
