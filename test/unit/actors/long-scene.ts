import { type EntityKind, streamHandler } from '../../../src/actors/entity.ts';
import { openSnapshots } from '../../../src/actors/snapshots.ts';
import { stateForm } from '../../../src/actors/state-form.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openSnapshotStore } from '../../../src/adapters/sqlite/snapshot-store.ts';
import { codec, type DecodeEvent } from '../../../src/eventsourcing/codec.ts';
import { accept } from '../../../src/eventsourcing/decider.ts';
import { type EventStore, MAX_APPEND_EVENTS, type NewEvent, NO_STREAM } from '../../../src/ports/event-store.ts';
import type { SnapshotStore } from '../../../src/ports/snapshot-store.ts';
import { decodedStore } from '../../../src/runtime/decoded-store.ts';
import { movedClock } from '../../support/clock.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { ScriptedEventStore } from '../../support/scripted-event-store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { QUIET } from './scripted-behavior.ts';

/** The stream of every test here. */
export const STREAM = 'count-1';
/** One page of the entity's reads. */
export const PAGE = 500;

type Counted = { readonly type: 'Counted'; readonly data: { readonly n: number } };
/** `sum` shows that each event was folded once. */
export type Count = { readonly count: number; readonly sum: number };

export const countCodec = codec<Counted>('count', { Counted: [] });

function kindOf(version: number): EntityKind<number, Count, Counted, never> {
  return {
    decider: {
      initial: { count: 0, sum: 0 },
      // Refuses nothing: 0 appends nothing.
      decide: (n) => (n === 0 ? accept() : accept({ type: 'Counted', data: { n } })),
      evolve: ({ count, sum }, { data }) => ({ count: count + 1, sum: sum + data.n }),
    },
    codec: countCodec,
    maxBatch: 100,
    form: stateForm<Count>(version),
  };
}

/** The state of a stream of the numbers from 1 to `count`. */
export function countedTo(count: number): Count {
  return { count, sum: (count * (count + 1)) / 2 };
}

/** Appends the numbers that follow, up to `count`, in appends of at most `size` events. */
export async function countTo(store: EventStore, count: number, ids = seededIds(), size = MAX_APPEND_EVENTS) {
  return appendUpTo(store, count, { ids, size, numberOf: (at) => at + 1 });
}

/** Appends this number up to a revision: a history in which other things happened. */
export function repeatUpTo(store: EventStore, count: number, number: number): Promise<void> {
  return appendUpTo(store, count, { ids: seededIds(99), size: MAX_APPEND_EVENTS, numberOf: () => number });
}

type Appending = {
  readonly ids: ReturnType<typeof seededIds>;
  readonly size: number;
  readonly numberOf: (revision: number) => number;
};

async function appendUpTo(store: EventStore, count: number, { ids, size, numberOf }: Appending): Promise<void> {
  let next = ((await store.last(STREAM))?.revision ?? NO_STREAM) + 1;
  while (next < count) {
    const events = Array.from({ length: Math.min(size, count - next) }, (_, at): NewEvent => {
      const event = countCodec.encode({ type: 'Counted', data: { n: numberOf(next + at) } });
      return { id: ids.uuid(), ...event, cause: SOME_CAUSE };
    });
    await store.append(STREAM, next - 1, events);
    next += events.length;
  }
}

type NodeOptions = {
  readonly version?: number;
  readonly saved?: SnapshotStore;
  readonly events?: EventStore;
  /** Whether it is the only writer. */
  readonly exclusive?: boolean;
};

/** A log and a store of snapshots, both in files, and nodes that use them. */
export function longScene() {
  const directory = temporaryDirectory();
  const real = openEventStore(directory.file('events.db'));
  const snapshots = openSnapshotStore(directory.file('snapshots.db'));
  const clock = movedClock();
  const systems: { drain(): Promise<void> }[] = [];
  return {
    directory,
    store: real,
    snapshots,
    clock,
    /** A node that has nothing in memory. Its store says what it reads. */
    node({ version = 1, saved = snapshots, events = real, exclusive = true }: NodeOptions = {}) {
      const script = new ScriptedEventStore(events, exclusive);
      const log = collectedLog();
      const system = createActorSystem({ clock, log, limits: QUIET });
      systems.push(system);
      const decode: DecodeEvent = (stored) => ({ ...stored, ...countCodec.decode(stored) });
      const store = decodedStore(script, { decode, unknownEvents: { note: () => {} } });
      const snapshotting = openSnapshots({ store: saved, clock, log });
      const ids = seededIds(systems.length + 10);
      const counts = streamHandler(kindOf(version), { store, ids, system, snapshots: snapshotting });
      const deadline = (ms: number): number => clock.nowMs() + ms;
      return {
        script,
        log,
        snapshotting,
        /** The state, as a read answers it. */
        read: (withinMs = 60_000) => counts.read('1', deadline(withinMs)),
        /** Appends a number. */
        add: (n: number, withinMs = 60_000) => counts.handle('1', n, SOME_CAUSE, deadline(withinMs)),
        /** Appends the numbers from one to another, a hundred at once. */
        async addAll(from: number, to: number) {
          for (let next = from; next <= to; next += 100) {
            const some = Array.from({ length: Math.min(100, to - next + 1) }, (_, at) => next + at);
            await Promise.all(some.map((n) => counts.handle('1', n, SOME_CAUSE, deadline(60_000))));
          }
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(systems.map((system) => system.drain()));
      await snapshots.close();
      await real.close();
      directory.remove();
    },
  };
}

/** A store of snapshots that notes its calls, some of which a test replaces. */
export function notedSnapshots(store: SnapshotStore, instead: Partial<SnapshotStore> = {}) {
  const calls: string[] = [];
  const used = { ...store, ...instead };
  const saved: SnapshotStore = {
    async load(stream, version) {
      calls.push(`load ${stream} v${version}`);
      return used.load(stream, version);
    },
    async save(snapshot, atMs) {
      calls.push(`save ${snapshot.stream} at ${snapshot.revision}`);
      return used.save(snapshot, atMs);
    },
    async remove(snapshot) {
      calls.push(`remove ${snapshot.stream} at ${snapshot.revision}`);
      return used.remove(snapshot);
    },
    removeBefore: (atMs) => store.removeBefore(atMs),
    close: () => store.close(),
  };
  return { calls, saved };
}

/** Waits until a condition holds, one turn of the event loop at a time. */
export async function turnsUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; !(await holds()); turns++) {
    if (turns > 10_000) throw new Error('the condition never held');
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
