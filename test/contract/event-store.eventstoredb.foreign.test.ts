import { describe, expect, test } from 'bun:test';
import { streamHandler } from '../../src/actors/entity.ts';
import { createActorSystem } from '../../src/actors/system.ts';
import { decodeEvent } from '../../src/domain/codecs.ts';
import { UnknownEvent } from '../../src/eventsourcing/codec.ts';
import { type Position, START } from '../../src/eventsourcing/message.ts';
import { type EventStore, NO_STREAM } from '../../src/ports/event-store.ts';
import { decodedStore } from '../../src/runtime/decoded-store.ts';
import { LowWaterCheckpoint } from '../../src/runtime/low-water-checkpoint.ts';
import { createUnknownEvents } from '../../src/runtime/unknown-events.ts';
import { movedClock } from '../support/clock.ts';
import { followed } from '../support/decoded.ts';
import { faultOf } from '../support/fault.ts';
import { seededIds } from '../support/ids.ts';
import { collectedLog } from '../support/log.ts';
import { SOME_CAUSE } from '../support/recorded.ts';
import { QUIET } from '../unit/actors/scripted-behavior.ts';
import { decodedTallies, tallyCodec, tallyDecider } from '../unit/actors/tally.ts';
import { damagedEvent, NOT_OURS, otherProgram, someEvent } from './event-store/other-program.ts';
import { sceneOf } from './event-store/outage.ts';
import { connected } from './event-store/remote.ts';
import { appended, eventsIn, eventsOf, follow, newEvents } from './event-store/scene.ts';

/** Long deadlines: these tests inject no faults, and the machine may be busy. */
const RETRY_POLICY = { deadlineMs: 20_000, attemptMs: 10_000 };
const SKIPPED = 'event of another program skipped';

async function openScene(settings: Parameters<typeof sceneOf>[0] = {}) {
  const log = collectedLog();
  const scene = await sceneOf({ log, retryPolicy: RETRY_POLICY, ...settings });
  const { url } = scene.peer();
  const other = otherProgram(url);
  const closing = new AsyncDisposableStack();
  closing.use(scene);
  closing.use(other);
  return {
    log,
    store: scene.store,
    other,
    /** The store of another installation on this server. */
    install: (more: Parameters<typeof connected>[1]) => closing.adopt(connected(url, more), (it) => it.close()),
    /** The streams whose skipped events were logged. */
    skipped: () => log.lines.filter(({ happening }) => happening === SKIPPED).map(({ facts }) => facts['stream']),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** The revisions that a read returns, and its `upTo`. */
async function revisionsOf(store: EventStore, stream: string, from = 0, most?: number) {
  const read = await store.read(stream, from, most);
  if (read.kind !== 'events') throw new Error(`read of ${stream}: ${read.kind}`);
  return { revisions: read.events.map(({ revision }) => revision), upTo: read.upTo };
}

describe('an event of another program', () => {
  for (const [what, event] of Object.entries(NOT_OURS)) {
    test(`with ${what} is skipped by subscriptions and reads`, async () => {
      await using scene = await openScene();
      const { store, other } = scene;
      await other.write('booking-0', event());
      await appended(store, 'booking-1', NO_STREAM, newEvents(1));
      await other.write('booking-1', event());
      await appended(store, 'booking-1', 1, newEvents(1));
      const batches = await follow(store, { categories: ['booking'] }, (_, { caughtUp }) => caughtUp);
      expect(eventsIn(batches).map(({ stream, revision }) => [stream, revision])).toEqual([
        ['booking-1', 0],
        ['booking-1', 2],
      ]);
      expect(batches.at(-1)?.upTo).toBe(await store.head());
      expect(await revisionsOf(store, 'booking-1')).toEqual({ revisions: [0, 2], upTo: 2 });
      expect(await revisionsOf(store, 'booking-0')).toEqual({ revisions: [], upTo: 0 });
      expect(scene.skipped()).toEqual(['booking-0', 'booking-1']);
    });
  }

  test('is skipped by a live subscription, which continues after it', async () => {
    await using scene = await openScene();
    const { store, other } = scene;
    await appended(store, 'booking-1', NO_STREAM, newEvents(1));
    let step = 0;
    const batches = await follow(
      store,
      {
        categories: ['booking'],
        async pause() {
          step++;
          if (step === 1) await other.write('booking-0', someEvent(), someEvent());
          if (step === 2) await appended(store, 'booking-2', NO_STREAM, newEvents(1));
        },
      },
      (events) => events.length === 2,
    );
    expect(eventsIn(batches).map(({ stream }) => stream)).toEqual(['booking-1', 'booking-2']);
  });

  test('is logged once per stream and counted once, whatever the number of readers', async () => {
    await using scene = await openScene();
    const { store, other, log } = scene;
    await other.write('booking-0', someEvent('First'), someEvent('Second'));
    await other.write('venue-0', someEvent());
    await appended(store, 'booking-1', NO_STREAM, newEvents(1));
    for (let reader = 0; reader < 3; reader++)
      await follow(store, { categories: ['booking', 'venue'] }, (_, { caughtUp }) => caughtUp);
    await store.read('booking-0');
    await store.close();
    expect(log.lines).toEqual([
      {
        level: 'warn',
        happening: SKIPPED,
        facts: { stream: 'booking-0', type: 'First', id: expect.any(String), revision: 0, events: 1 },
      },
      {
        level: 'warn',
        happening: SKIPPED,
        facts: { stream: 'venue-0', type: 'OrderPlaced', id: expect.any(String), revision: 0, events: 3 },
      },
      { level: 'info', happening: 'events of other programs were skipped', facts: { events: 3, streams: 2 } },
    ]);
  });

  test('does not fill a page of a stream: later events do', async () => {
    await using scene = await openScene();
    const { store, other } = scene;
    await appended(store, 'booking-1', NO_STREAM, newEvents(2));
    await other.write('booking-1', someEvent(), someEvent(), someEvent());
    await appended(store, 'booking-1', 4, newEvents(3));
    expect(await revisionsOf(store, 'booking-1', 0, 3)).toEqual({ revisions: [0, 1, 5], upTo: 5 });
    expect(await revisionsOf(store, 'booking-1', 2, 1)).toEqual({ revisions: [5], upTo: 5 });
    expect(await revisionsOf(store, 'booking-1', 6, 9)).toEqual({ revisions: [6, 7], upTo: 7 });
    await other.write('booking-1', someEvent());
    expect(await revisionsOf(store, 'booking-1', 6, 3)).toEqual({ revisions: [6, 7], upTo: 8 });
    expect(await revisionsOf(store, 'booking-1', 6, 2)).toEqual({ revisions: [6, 7], upTo: 7 });
  });

  test.each([1, 499, 500, 501, 1_200])('is not the last event of a stream, nor are %d of them', async (count) => {
    await using scene = await openScene();
    const { store, other } = scene;
    await appended(store, 'checkpoint-a', NO_STREAM, newEvents(2));
    for (const stream of ['checkpoint-a', 'checkpoint-b'])
      await other.write(stream, ...Array.from({ length: count }, () => someEvent()));
    expect(await store.last('checkpoint-a')).toMatchObject({ revision: 1, data: { n: 1 } });
    expect(await store.last('checkpoint-b')).toBeNull();
  });
});

describe('a stream that another program writes to', () => {
  let nodes = 0;

  /** The tally entity of `tally.ts` on a new node. */
  function newNode({ store }: { readonly store: EventStore }) {
    const clock = movedClock();
    const system = createActorSystem({ clock, log: collectedLog(), limits: QUIET });
    const kind = { decider: tallyDecider, codec: tallyCodec, maxBatch: 1 };
    const tallies = streamHandler(kind, { store: decodedTallies(store), ids: seededIds(++nodes), system });
    return {
      add: (command: string, amount: number, known: 'no-stream' | null = null) =>
        tallies.handle('1', { command, amount }, SOME_CAUSE, clock.nowMs() + 60_000, { known }),
      read: () => tallies.read('1', clock.nowMs() + 60_000),
    };
  }

  test.each([null, 'no-stream'] as const)(
    'before its first event: the command is decided and stored after it (known: %p)',
    async (known) => {
      await using scene = await openScene();
      await scene.other.write('tally-1', someEvent());
      expect(await newNode(scene).add('a', 3, known)).toMatchObject({ kind: 'accepted', revision: 1 });
      expect(await newNode(scene).add('a', 3, known)).toMatchObject({ kind: 'accepted', events: [], revision: 1 });
      expect((await eventsOf(scene.store, 'tally-1')).map(({ revision }) => revision)).toEqual([1]);
    },
  );

  test('in the middle and at the end: nodes with and without a cached state decide on all events', async () => {
    await using scene = await openScene();
    const node = newNode(scene);
    await node.add('a', 3);
    await scene.other.write('tally-1', someEvent());
    expect(await node.add('b', 4)).toMatchObject({ kind: 'accepted', state: { total: 7 }, revision: 2 });
    await scene.other.write('tally-1', someEvent(), someEvent());
    expect(await newNode(scene).add('c', 2)).toMatchObject({ kind: 'accepted', state: { total: 9 }, revision: 5 });
    await scene.other.write('tally-1', someEvent());
    expect(await node.add('d', 2)).toMatchObject({ kind: 'rejected', rejection: { code: 'TOO_MUCH', room: 1 } });
    expect(await node.add('b', 4)).toMatchObject({ kind: 'accepted', events: [], state: { total: 9 } });
    expect(await newNode(scene).read()).toMatchObject({ kind: 'state', state: { total: 9 }, revision: 6 });
  });

  test('of checkpoints: a checkpoint is stored after its events, and found again', async () => {
    await using scene = await openScene();
    const { store, other } = scene;
    const open = () =>
      new LowWaterCheckpoint('porter', { store, clock: movedClock(0), ids: seededIds(), log: collectedLog() });
    const at = (place: number): Position => place as Position;
    /** Twice, since the first attempt may conflict. */
    const storeAt = async (checkpoint: LowWaterCheckpoint, place: number): Promise<void> => {
      for (let round = 0; round < 2; round++) {
        checkpoint.noteBatch(at(place - 1), 1);
        await checkpoint.store(at(place), null);
      }
    };
    await other.write('checkpoint-porter', someEvent());
    const first = open();
    await first.load();
    expect(first.position).toBe(START);
    await storeAt(first, 5);
    await other.write('checkpoint-porter', someEvent(), someEvent());
    await storeAt(first, 6);
    await other.write('checkpoint-porter', someEvent());
    const second = open();
    await second.load();
    expect(second.position).toBe(at(6));
    await storeAt(second, 7);
    expect((await eventsOf(store, 'checkpoint-porter')).map(({ revision }) => revision)).toEqual([1, 4, 6]);
  });
});

describe('an event of ours that cannot be decoded', () => {
  test.each<[string, number[] | Uint8Array]>([
    ['is not JSON', new Uint8Array([255, 0])],
    ['is a JSON array', [1]],
  ])('since its data %s stops its readers before it, and the reason is logged', async (_, data) => {
    await using scene = await openScene();
    const { store, other } = scene;
    const type = 'KeyDeactivated.v1';
    await appended(store, 'apikey-a', NO_STREAM, [{ ...newEvents(1)[0], type, data: { at: SOME_CAUSE.at } } as never]);
    await other.write('apikey-b', damagedEvent(type, data));
    const log = collectedLog();
    const unknownEvents = createUnknownEvents(log);
    const readable = decodedStore(store, { decode: decodeEvent, unknownEvents });
    const { fault, events } = await followed(readable, ['apikey']);
    expect(fault).toBeInstanceOf(UnknownEvent);
    expect(events.map(({ stream }) => stream)).toEqual(['apikey-a']);
    expect(await faultOf(() => readable.read('apikey-b'))).toBeInstanceOf(UnknownEvent);
    expect(await faultOf(() => readable.last('apikey-b'))).toBeInstanceOf(UnknownEvent);
    expect(unknownEvents.types()).toEqual([type]);
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]?.happening).toBe('event cannot be decoded: readers stop before it');
    expect(log.lines[0]?.facts['reason']).toMatch(/^event [-0-9a-f]{36} \(KeyDeactivated\.v1\) of apikey-b cannot be/);
    expect(scene.skipped()).toEqual([]);
  });
});

describe('a stream name that matches a category only by culture-aware comparison', () => {
  // Culture-aware comparison ignores a soft hyphen.
  test.each([[['booking']], [['venue', 'booking']]])('is skipped: %p', async (categories) => {
    await using scene = await openScene();
    const { store, other } = scene;
    await other.write('boo\u00ADking-1', damagedEvent('Happened.v1', { n: 'not ours' }));
    await appended(store, 'booking-1', NO_STREAM, newEvents(1));
    await other.write('booking\u00AD-2', damagedEvent('Happened.v1', { n: 'not ours' }), someEvent());
    const batches = await follow(store, { categories }, (_, { caughtUp }) => caughtUp);
    expect(eventsIn(batches).map(({ stream }) => stream)).toEqual(['booking-1']);
    expect(batches.at(-1)?.upTo).toBe(await store.head());
    expect(scene.skipped()).toEqual([]);
  });
});

describe('installations on one server', () => {
  const DAY_S = 86_400;

  test('have separate streams with the same names', async () => {
    await using scene = await openScene();
    const prefixes = ['', 'x', 'xx', 'east.', 'east.west_', 'a-'] as const;
    const keptDays = { delivery: 90 };
    const opened = prefixes.map((streamPrefix) => scene.install({ streamPrefix, keptDays }));
    for (const [n, store] of opened.entries())
      for (const stream of ['booking-1', 'delivery-1', 'guest-1'])
        await appended(store, stream, NO_STREAM, newEvents(n + 1));
    for (const [n, store] of opened.entries()) {
      const revisions = Array.from({ length: n + 1 }, (_, revision) => revision);
      expect(await revisionsOf(store, 'booking-1')).toEqual({ revisions, upTo: n });
      expect((await store.last('booking-1'))?.stream).toBe('booking-1');
      const categories = ['booking', 'delivery'];
      const batches = await follow(store, { categories }, (_, { caughtUp }) => caughtUp);
      expect(eventsIn(batches).map(({ stream, revision }) => [stream, revision])).toEqual(
        ['booking-1', 'delivery-1'].flatMap((stream) => revisions.map((revision) => [stream, revision])),
      );
      expect(batches.at(-1)?.upTo).toBe(await store.head());
      expect(await scene.other.look(`${prefixes[n]}delivery-1`)).toEqual({ revision: n, maxAge: 90 * DAY_S });
    }
    await opened[1]?.erase('guest-1');
    const guests = await Promise.all(opened.map((store) => store.read('guest-1')));
    expect(guests.map(({ kind }) => kind)).toEqual(['events', 'erased', 'events', 'events', 'events', 'events']);
  });

  test('return only their own events without categories, if the prefix ends in a character that no category has', async () => {
    await using scene = await openScene();
    const prefixes = ['', 'east.', 'east.west_'];
    const opened = prefixes.map((streamPrefix) => scene.install({ streamPrefix }));
    for (const [n, store] of opened.entries()) await appended(store, `booking-${n}`, NO_STREAM, newEvents(1));
    for (const [n, store] of opened.entries()) {
      const batches = await follow(store, {}, (_, { caughtUp }) => caughtUp);
      expect(eventsIn(batches).map(({ stream }) => stream)).toEqual([`booking-${n}`]);
    }
  });
});
