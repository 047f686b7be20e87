import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACTOR_LIMITS } from '../../src/actors/limits.ts';
import { openSnapshots } from '../../src/actors/snapshots.ts';
import { createActorSystem } from '../../src/actors/system.ts';
import { connectEventStore } from '../../src/adapters/eventstoredb/event-store.ts';
import { readEventStoreUrl } from '../../src/adapters/eventstoredb/server-url.ts';
import { readMongoUrl } from '../../src/adapters/mongodb/address.ts';
import { openDatabase } from '../../src/adapters/mongodb/database.ts';
import { openSnapshotStore as openSharedSnapshots } from '../../src/adapters/mongodb/snapshot-store.ts';
import { openEventStore } from '../../src/adapters/sqlite/event-store.ts';
import { openSnapshotStore } from '../../src/adapters/sqlite/snapshot-store.ts';
import { systemIds } from '../../src/adapters/system/ids.ts';
import { openStreams } from '../../src/application/streams.ts';
import { decodeEvent } from '../../src/domain/codecs.ts';
import { allotmentIdOf } from '../../src/domain/ids.ts';
import type { EventStore } from '../../src/ports/event-store.ts';
import type { SnapshotStore } from '../../src/ports/snapshot-store.ts';
import { decodedStore } from '../../src/runtime/decoded-store.ts';
import { movedClock } from '../support/clock.ts';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { A_TAKER, activityId, aSchedule, date, holdId } from '../support/examples.ts';
import { collectedLog } from '../support/log.ts';
import { startFerretDb } from '../support/peers/ferretdb.ts';
import { SOME_CAUSE } from '../support/recorded.ts';

// Loads one date from streams of different lengths, made of holds and releases by the deciders:
//
//     bun test/bench/long-stream.ts [embedded|shared] [EVENTS …]
//
// The time of the holds passes: one every two seconds.

const DATE = allotmentIdOf(activityId('river-walk'), date('2026-12-24'));
const STREAM = `allotment-${DATE}`;
/** Commands at once: they share appends. */
const TOGETHER = 250;
const APPENDS = 1_000;
const LOADS = 5;
const HOLD_EVERY_MS = 2_000;

type Stores = { readonly events: EventStore; readonly snapshots: SnapshotStore };
/** A process that has nothing in memory. */
type Node = ReturnType<typeof openNode>;

function openNode({ events, snapshots }: Stores, withSnapshots: boolean) {
  const [clock, log] = [movedClock(), collectedLog()];
  const reads: number[] = [];
  const decoded = decodedStore(events, { decode: decodeEvent, unknownEvents: { note: () => {} } });
  const store: typeof decoded = {
    ...decoded,
    async read(...range) {
      const read = await decoded.read(...range);
      reads.push(read.kind === 'events' ? read.events.length : 0);
      return read;
    },
  };
  const system = createActorSystem({ clock, log, limits: ACTOR_LIMITS });
  const saving = openSnapshots({ store: snapshots, clock, log });
  const { allotments } = openStreams({
    store,
    ids: systemIds,
    system,
    ...(withSnapshots && { snapshots: saving }),
  });
  let holds = 0;
  const hold = async (): Promise<void> => {
    const id = holdId(`hold_${systemIds.uuid().slice(0, 20)}`);
    const nowMs = clock.nowMs() + HOLD_EVERY_MS * holds++;
    const terms = {
      size: 1,
      expiresAtMs: nowMs + 900_000,
      hotelPercentOff: 0,
      nowMs,
      releasesSeen: Number.MAX_SAFE_INTEGER,
    };
    const deadlineMs = Number.POSITIVE_INFINITY;
    const held = allotments.handle(
      DATE,
      { type: 'HoldSlots', holder: A_TAKER, holdId: id, ...terms, schedule: aSchedule({ capacity: 500 }) },
      SOME_CAUSE,
      deadlineMs,
    );
    const released = allotments.handle(DATE, { type: 'ReleaseHold', holdId: id }, SOME_CAUSE, deadlineMs);
    for (const { kind } of await Promise.all([held, released]))
      if (kind !== 'accepted') throw new Error(`the hold or its release was ${kind}`);
  };
  return {
    reads,
    hold,
    load: () => allotments.read(DATE, Number.POSITIVE_INFINITY),
    async stop() {
      await system.drain();
      await saving.stop();
    },
  };
}

/** Continues the stream up to a number of events. */
async function extend(stores: Stores, upTo: number): Promise<void> {
  const node = openNode(stores, true);
  await node.load();
  let count = ((await stores.events.last(STREAM))?.revision ?? -1) + 1;
  for (; count < upTo; count += TOGETHER * 2) {
    const left = Math.ceil((upTo - count) / 2);
    await Promise.all(Array.from({ length: Math.min(TOGETHER, left) }, node.hold));
  }
  await node.stop();
}

function heapBytes(): number {
  for (let times = 0; times < 3; times++) Bun.gc(true);
  return process.memoryUsage().heapUsed;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

async function measureLoads(stores: Stores, withSnapshots: boolean) {
  const times: number[] = [];
  const reads: number[] = [];
  for (let at = 0; at < LOADS; at++) {
    const node = openNode(stores, withSnapshots);
    const beganMs = performance.now();
    await node.load();
    times.push(performance.now() - beganMs);
    reads.push(node.reads.reduce((sum, events) => sum + events, 0));
    await node.stop();
  }
  return { ms: medianOf(times), events: medianOf(reads) };
}

/** One hold and its release after the other, each pair in one append. */
async function measureAppends(node: Node): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < APPENDS; at++) {
    const beganMs = performance.now();
    await node.hold();
    times.push(performance.now() - beganMs);
  }
  return medianOf(times) * 1_000;
}

async function measure(stores: Stores, events: number): Promise<Readonly<Record<string, number>>> {
  const beganMs = performance.now();
  await extend(stores, events);
  const madeS = (performance.now() - beganMs) / 1_000;
  const whole = await measureLoads(stores, false);
  const loaded = await measureLoads(stores, true);
  const before = heapBytes();
  const node = openNode(stores, true);
  await node.load();
  const kB = (heapBytes() - before) / 1_024;
  const appendUs = await measureAppends(node);
  await node.stop();
  return {
    events,
    'made in s': madeS,
    'load ms': loaded.ms,
    'load: events read': loaded.events,
    'load without snapshots ms': whole.ms,
    'append µs': appendUs,
    'memory kB': kB,
  };
}

async function openedStores(engines: string, directory: string, closing: AsyncDisposableStack): Promise<Stores> {
  if (engines === 'embedded') {
    const events = openEventStore(join(directory, 'events.db'), { durableAt: 'close' });
    return { events, snapshots: openSnapshotStore(join(directory, 'snapshots.db')) };
  }
  const peer = closing.use(await EventStoreDbPeer.start({ data: join(directory, 'events.log'), durable: false }));
  const ferretDb = closing.use(await startFerretDb());
  const [server, address] = [readEventStoreUrl(peer.url), readMongoUrl(ferretDb.url)];
  if (server.kind === 'fault' || address.kind === 'fault') throw new Error('a peer has no usable URL');
  const database = closing.adopt(await openDatabase({ ...address.address, database: 'long_stream' }), (it) =>
    it.close(),
  );
  return {
    events: connectEventStore(server.server, { log: collectedLog() }),
    snapshots: openSharedSnapshots(database),
  };
}

const [engines = 'embedded', ...sizes] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'waymark-long-stream-'));
await using closing = new AsyncDisposableStack();
closing.defer(async () => rmSync(directory, { recursive: true, force: true }));
const stores = await openedStores(engines, directory, closing);
for (const events of sizes.length > 0 ? sizes.map(Number) : [1_000, 100_000, 1_000_000]) {
  const figures = Object.entries(await measure(stores, events)).map(
    ([name, value]) => `${name}: ${Math.round(value * 10) / 10}`,
  );
  process.stdout.write(`${engines}: ${figures.join(', ')}\n`);
}
await stores.snapshots.close();
await stores.events.close();
