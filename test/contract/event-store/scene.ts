import { test } from 'bun:test';
import { systemIds } from '../../../src/adapters/system/ids.ts';
import { type Cause, type Position, START } from '../../../src/eventsourcing/message.ts';
import {
  type AppendOutcome,
  type EventStore,
  type LogBatch,
  type NewEvent,
  NO_STREAM,
  type StoredEvent,
} from '../../../src/ports/event-store.ts';
import type { Snapshot } from '../../../src/ports/snapshot-store.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import type { Reopening } from '../reopening.ts';

/** A store under test, opened for one test. */
export type OpenedStore = Reopening<EventStore>;
export type OpenStore = () => Promise<OpenedStore>;

/** `test` with a store of its own, which is closed afterwards. */
export function storeTest(open: OpenStore) {
  return (title: string, work: (store: EventStore, opened: OpenedStore) => Promise<void>): void =>
    test(title, withStore(open, work));
}

/** Runs one test on its own store and closes the store afterwards. */
export function withStore(open: OpenStore, work: (store: EventStore, opened: OpenedStore) => Promise<void>) {
  return async (): Promise<void> => {
    const opened = await open();
    try {
      await work(opened.store, opened);
    } finally {
      await opened.close();
    }
  };
}

/** A category that is unique per test and run: the server under test may be shared. */
export function newCategory(): string {
  return `c${systemIds.uuid().replaceAll('-', '')}`;
}

/** A category whose streams keep three events in the stores under test. */
export const COUNTED = 'counted';
export const KEPT_EVENTS = { [COUNTED]: 3 };

/** A snapshot of 300 KB that says its revision throughout. */
export function snapshotAt(revision: number): Snapshot {
  const state = JSON.stringify(Array.from({ length: 50_000 }, () => revision));
  return { stream: 'booking-1', version: 1, revision, eventId: String(revision), state, digest: String(revision) };
}

export function newEvent(facts: object = {}, cause: Cause = SOME_CAUSE): NewEvent {
  return { id: systemIds.uuid(), type: 'Happened.v1', data: facts, cause };
}

/** Numbered events: `{n: 0}`, `{n: 1}`, … */
export function newEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, n) => newEvent({ n }));
}

export type Appended = Extract<AppendOutcome, { kind: 'appended' }>;

/** Appends, and fails the test if the append is refused. */
export async function appended(
  store: EventStore,
  stream: string,
  expectedRevision: number,
  events: readonly NewEvent[],
): Promise<Appended> {
  const outcome = await store.append(stream, expectedRevision, events);
  if (outcome.kind !== 'appended') throw new Error(`append to ${stream} at ${expectedRevision}: ${outcome.kind}`);
  return outcome;
}

/** Reads, and fails the test if the stream has no events. */
export async function eventsOf(store: EventStore, stream: string, fromRevision = 0): Promise<readonly StoredEvent[]> {
  const read = await store.read(stream, fromRevision);
  if (read.kind !== 'events') throw new Error(`read of ${stream}: ${read.kind}`);
  return read.events;
}

/** The expected content of a stream after these appends; positions depend on the engine. */
export function withRevisions(stream: string, events: readonly NewEvent[]): Omit<StoredEvent, 'position'>[] {
  return events.map((event, revision) => ({ ...event, stream, revision }));
}

export function withoutPosition({
  id,
  type,
  data,
  cause,
  stream,
  revision,
}: StoredEvent): Omit<StoredEvent, 'position'> {
  return { id, type, data, cause, stream, revision };
}

type Following = {
  readonly after?: Position;
  readonly categories?: readonly string[];
  readonly maxBatch?: number;
  readonly lingerMs?: number;
  /** Called between batches. */
  readonly pause?: () => Promise<void>;
};

/** Subscribes until enough events were received; returns the batches in order. */
export async function follow(
  store: EventStore,
  { after = START, pause, ...filter }: Following,
  enough: (events: readonly StoredEvent[], batch: LogBatch) => boolean,
): Promise<LogBatch[]> {
  const letGo = new AbortController();
  const batches: LogBatch[] = [];
  for await (const batch of store.subscribe({ after, ...filter, signal: letGo.signal })) {
    batches.push(batch);
    if (enough(eventsIn(batches), batch)) letGo.abort();
    await pause?.();
  }
  return batches;
}

export function eventsIn(batches: readonly LogBatch[]): StoredEvent[] {
  return batches.flatMap((batch) => batch.events);
}

/** The first `count` events of a category in the log. */
export async function logOf(
  store: EventStore,
  category: string,
  count: number,
  following: Omit<Following, 'categories'> = {},
): Promise<StoredEvent[]> {
  const batches = await follow(store, { ...following, categories: [category] }, (events) => events.length >= count);
  return eventsIn(batches);
}

/**
 * Four appends, of 3, 1, 2 and 3 events, to two streams in turn. Their events as the streams hold them, in log order.
 */
export async function someHistory(store: EventStore, category: string): Promise<StoredEvent[]> {
  const [one, two] = [`${category}-1`, `${category}-2`] as const;
  await appended(store, one, NO_STREAM, newEvents(3));
  await appended(store, two, NO_STREAM, newEvents(1));
  await appended(store, one, 2, newEvents(2));
  await appended(store, two, 0, newEvents(3));
  const [ofOne, ofTwo] = [await eventsOf(store, one), await eventsOf(store, two)];
  return [...ofOne.slice(0, 3), ...ofTwo.slice(0, 1), ...ofOne.slice(3), ...ofTwo.slice(1)];
}

/** Lets pending tasks of the event loop run. */
export async function othersRun(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
