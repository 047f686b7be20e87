import { describe, expect, test } from 'bun:test';
import { ACTOR_LIMITS } from '../../../../src/actors/limits.ts';
import { createActorSystem } from '../../../../src/actors/system.ts';
import { EVENTSTOREDB_POSITIONS } from '../../../../src/adapters/eventstoredb/positions.ts';
import { systemDigest } from '../../../../src/adapters/system/digest.ts';
import { openStreams } from '../../../../src/application/streams.ts';
import { listCatalogue } from '../../../../src/application/supply/list-catalogue.ts';
import type { Activity } from '../../../../src/domain/activity/activity.ts';
import { START } from '../../../../src/eventsourcing/message.ts';
import type {
  AppendOutcome,
  EventStore,
  NewEvent,
  StoredEvent,
  StreamRead,
} from '../../../../src/ports/event-store.ts';
import { StoreUnavailable } from '../../../../src/ports/store-unavailable.ts';
import { type MovedClock, movedClock } from '../../../support/clock.ts';
import { decoded } from '../../../support/decoded.ts';
import { activityId, anActivity } from '../../../support/examples.ts';
import { seededIds } from '../../../support/ids.ts';
import { collectedLog } from '../../../support/log.ts';

/** A call that was not answered within this time fails, as in the adapter of EventStoreDB. */
const PATIENCE_MS = 10_000;
const CAUSE = { correlationId: 'start', causationId: null, by: 'catalogue', at: '2026-11-21T03:00:00.000Z' };
const digest = systemDigest(new Uint8Array(32));

/** An event store shared with other nodes. It answers one call at a time, each after a delay. */
class BusyStore implements EventStore {
  readonly exclusive = false;
  readonly positions = EVENTSTOREDB_POSITIONS;
  readonly streams = new Map<string, StoredEvent[]>();
  calls = 0;
  inFlight = 0;
  mostInFlight = 0;
  /** Streams whose next calls fail, and how many of them. */
  readonly failing = new Map<string, number>();
  /** Runs after each call. */
  answered = (): void => {};
  readonly #clock: MovedClock;
  readonly #callMs: number;
  #turn: Promise<void> = Promise.resolve();
  #appended = 0;

  constructor(clock: MovedClock, callMs: number) {
    this.#clock = clock;
    this.#callMs = callMs;
  }

  append(stream: string, expectedRevision: number, events: readonly NewEvent[]): Promise<AppendOutcome> {
    return this.#oneAtATime(stream, () => {
      const before = this.streams.get(stream) ?? [];
      if (before.length - 1 !== expectedRevision) return { kind: 'wrong-revision', actual: before.length - 1 };
      const position = (): StoredEvent['position'] => ++this.#appended as typeof START;
      const stored = events.map((event, index) => {
        return { ...event, stream, revision: before.length + index, position: position() };
      });
      this.streams.set(stream, [...before, ...stored]);
      const last = stored.at(-1);
      return { kind: 'appended', revision: last?.revision ?? -1, position: last?.position ?? START };
    });
  }

  read(stream: string, fromRevision = 0): Promise<StreamRead> {
    return this.#oneAtATime(stream, () => {
      const events = this.streams.get(stream);
      return events === undefined
        ? { kind: 'no-stream' }
        : { kind: 'events', events: events.slice(fromRevision), upTo: events.length - 1 };
    });
  }

  async #oneAtATime<Answer>(stream: string, answer: () => Answer): Promise<Answer> {
    const sentAtMs = this.#clock.nowMs();
    this.calls++;
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    this.#turn = this.#turn.then(() => this.#clock.advance(this.#callMs));
    await this.#turn;
    this.inFlight--;
    this.answered();
    const failures = this.failing.get(stream) ?? 0;
    this.failing.set(stream, failures - 1);
    if (failures > 0 || this.#clock.nowMs() - sentAtMs > PATIENCE_MS)
      throw new StoreUnavailable('event store', `no answer for ${stream}`);
    return answer();
  }

  last(): Promise<null> {
    throw new Error('not asked for');
  }
  subscribe(): never {
    throw new Error('not asked for');
  }
  readLog(): Promise<never> {
    throw new Error('not asked for');
  }
  head(): Promise<typeof START> {
    throw new Error('not asked for');
  }
  check(): Promise<never> {
    throw new Error('not asked for');
  }
  erase(): Promise<void> {
    throw new Error('not asked for');
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

function scene(callMs: number) {
  const clock = movedClock();
  const log = collectedLog();
  const store = new BusyStore(clock, callMs);
  const open = (seed: number) => {
    const limits = { ...ACTOR_LIMITS, sweepMs: 1, restartMs: 1, longestRestartMs: 1 };
    return createNode(createActorSystem({ clock, log, limits }), seed);
  };
  const createNode = (system: ReturnType<typeof createActorSystem>, seed: number) => {
    const streams = openStreams({ store: decoded(store), ids: seededIds(seed), system });
    const list = (
      listed: readonly Activity[],
      { dropped = [] as readonly string[], known = new Set<string>(), signal = new AbortController().signal } = {},
    ) => {
      const catalogue = { get: (id: string) => (known.has(id) ? {} : undefined) };
      const difference = { listed, dropped: dropped.map(activityId) };
      const context = { streams, catalogue, clock, digest, log };
      return listCatalogue(difference, { cause: CAUSE, attempts: 3, signal }, context);
    };
    return { list, system };
  };
  const typesOf = (id: string) => store.streams.get(`activity-${id}`)?.map(({ type }) => type) ?? [];
  return { clock, log, store, open, typesOf };
}

const entries = (count: number, change: Partial<Activity> = {}): Activity[] =>
  Array.from({ length: count }, (_, index) => anActivity({ id: activityId(`activity-${index}`), ...change }));

const eventsPerStream = ({ streams }: BusyStore): readonly number[] => [
  ...new Set([...streams.values()].map(({ length }) => length)),
];

describe('given a store that answers a hundred calls a second', () => {
  test('when 5,000 entries are listed, then all of them are stored, however long it takes', async () => {
    const { clock, store, open } = scene(10);
    const startedAtMs = clock.nowMs();
    const { list } = open(1);
    expect((await list(entries(5_000))).listed).toHaveLength(5_000);
    expect([store.streams.size, eventsPerStream(store)]).toEqual([5_000, [1]]);
    expect(clock.nowMs() - startedAtMs).toBe(50_000);
  });

  test('then at most 64 commands are in flight, one call each, and no actor stays for a new entry', async () => {
    const { store, open } = scene(10);
    const { list, system } = open(1);
    await list(entries(500));
    expect([store.mostInFlight, store.calls, system.residents()['activity']]).toEqual([64, 500, 0]);
  });

  test('then the progress is logged every five seconds', async () => {
    const { log, open } = scene(10);
    await open(1).list(entries(1_200));
    const happening = 'catalogue is being listed';
    expect(log.lines.map((line) => [line.happening, line.facts['total']])).toEqual([
      [happening, 1_200],
      [happening, 1_200],
    ]);
    const [first, second] = log.lines.map(({ facts }) => Number(facts['done']));
    // Those in flight are not done.
    for (const [done, sent] of [[first, 500] as const, [second, 1_000] as const]) {
      expect(done).toBeGreaterThanOrEqual(sent - 64);
      expect(done).toBeLessThanOrEqual(sent);
    }
  });

  test('when every entry has changed, then few of their actors stay in memory', async () => {
    const { open } = scene(1);
    const known = new Set(entries(1_000).map(({ id }) => id));
    const { list, system } = open(1);
    await list(entries(1_000), { known });
    expect(system.residents()['activity']).toBeLessThanOrEqual(256);
  });
});

describe('given entries that are stored already', () => {
  test('when the read model knows none of them, then nothing is appended', async () => {
    const { store, open } = scene(1);
    await open(1).list(entries(100));
    const again = await open(2).list(entries(100), { dropped: ['never-listed'] });
    expect(again).toEqual({ listed: [], retired: [], position: null });
    expect([store.streams.size, eventsPerStream(store)]).toEqual([100, [1]]);
  });

  test('when two nodes list them at once, then each is listed once', async () => {
    const { store, open } = scene(1);
    const [one, two] = await Promise.all([open(1).list(entries(300)), open(2).list(entries(300))]);
    expect(eventsPerStream(store)).toEqual([1]);
    expect([...one.listed, ...two.listed].sort()).toEqual(
      entries(300)
        .map(({ id }) => id as string)
        .sort(),
    );
  });

  test('then the streams distinguish new, changed and dropped entries', async () => {
    const { open, typesOf } = scene(1);
    const [same, changed, gone] = entries(3) as [Activity, Activity, Activity];
    await open(1).list([same, changed, gone]);
    const known = new Set([same.id, changed.id, gone.id]);
    const change = await open(2).list([same, { ...changed, priceMinor: 1 }], { dropped: [gone.id], known });
    expect(change).toMatchObject({ listed: [changed.id], retired: [gone.id] });
    expect([same, changed, gone].map(({ id }) => typesOf(id))).toEqual([
      ['ActivityListed.v2'],
      ['ActivityListed.v2', 'ActivityUpdated.v2'],
      ['ActivityListed.v2', 'ActivityRetired.v1'],
    ]);
  });
});

describe('given a store that does not answer for one entry', () => {
  const STREAM = 'activity-activity-7';

  /** Lets every retry come due. */
  const hurry = (clock: MovedClock): Timer => setInterval(() => clock.advance(200), 1);

  test('when it answers later, then that entry is sent again, and the others did not wait', async () => {
    const { clock, log, store, open } = scene(1);
    // The append without a read, and the one of the actor.
    store.failing.set(STREAM, 2);
    const hurrying = hurry(clock);
    expect((await open(1).list(entries(100))).listed).toHaveLength(100);
    clearInterval(hurrying);
    expect(eventsPerStream(store)).toEqual([1]);
    const facts = { activity: 'activity-7', reason: 'fault', retryMs: 200 };
    expect(log.lines).toContainEqual({ level: 'warn', happening: 'activity not listed yet', facts });
  });

  test('when it never answers, then StoreUnavailable is thrown, and no command is in flight any more', async () => {
    const { clock, store, open } = scene(1);
    store.failing.set(STREAM, Number.POSITIVE_INFINITY);
    const hurrying = hurry(clock);
    const fault = await open(1)
      .list(entries(100))
      .catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(StoreUnavailable);
    clearInterval(hurrying);
    expect(store.inFlight).toBe(0);
  });
});

test('when the signal aborts, then no further command is sent, and the result lists those already sent', async () => {
  const { store, open } = scene(1);
  const over = new AbortController();
  store.answered = () => store.calls === 100 && over.abort();
  const { listed } = await open(1).list(entries(1_000), { signal: over.signal });
  expect(listed).toHaveLength(store.streams.size);
  expect(listed.length).toBeLessThanOrEqual(100 + 64);
  expect(store.inFlight).toBe(0);
});
