import { describe, expect, test } from 'bun:test';
import { ACTOR_LIMITS } from '../../../src/actors/limits.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { openErasureLedger } from '../../../src/adapters/sqlite/erasure-ledger.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { applyLedger } from '../../../src/app/erasures.ts';
import { openStreams } from '../../../src/application/streams.ts';
import { type BookingEvent, bookingCodec } from '../../../src/domain/booking/events.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import type { Running } from '../../../src/runtime/running.ts';
import { CONFIRMED, confirmedAfter, LATER, STARTED } from '../../support/booking-life.ts';
import { movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { faultOf } from '../../support/fault.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A restored log: it lacks the erasures that the ledger has. Each node of it waits for lists that the test describes. */
function restored() {
  const directory = temporaryDirectory();
  const store = decoded(openEventStore(directory.file('events.db')));
  const ledger = openErasureLedger(directory.file('erasures.db'));
  const [clock, log, ids] = [movedClock(), collectedLog(), seededIds()];
  const system = createActorSystem({ clock, log, limits: ACTOR_LIMITS });
  // The test appends beside the actors.
  const streams = openStreams({ store: { ...store, exclusive: false }, ids, system });
  const running: Running[] = [];
  const replaced = Promise.withResolvers<Error>();
  const append = (id: string, after: number, events: readonly { readonly type: string; readonly data: object }[]) =>
    store.append(
      `booking-${id}`,
      after,
      events.map((event) => ({ id: ids.uuid(), ...event, cause: SOME_CAUSE })),
    );
  return {
    store,
    ledger,
    clock,
    log,
    append,
    replace: (fault: Error) => replaced.resolve(fault),
    async book(id: string, events: readonly BookingEvent[] = CONFIRMED): Promise<void> {
      await append(id, -1, encoded(events));
    },
    list: (booking: string, position: number) => ledger.record({ booking, position: position as Position, at: LATER }),
    /** Starts a node. @returns the read models and the positions that it waited for */
    async start(shown: () => Promise<boolean> = async () => true): Promise<readonly (readonly [string, number])[]> {
      const waits: [string, number][] = [];
      const waitFor = async (name: string, position: Position): Promise<boolean> => {
        waits.push([name, position]);
        return shown();
      };
      const engines = { erasures: ledger, passSoon: () => {}, replaced: replaced.promise, stores: { store } };
      const context = { engines, projections: { waitFor }, streams, clock, ids, log };
      running.push(await applyLedger(context, { roles: new Set(['api'] as const) }));
      return waits;
    },
    async erasedIn(id: string): Promise<number | null> {
      const read = await store.read(`booking-${id}`);
      const events = read.kind === 'events' ? read.events : [];
      return events.find(({ type }) => type.startsWith('GuestErased'))?.position ?? null;
    },
    async [Symbol.asyncDispose]() {
      for (const each of running) await each.stop();
      await system.drain();
      await store.close();
      await ledger.close();
      directory.remove();
    },
  };
}

const encoded = (events: readonly BookingEvent[]) => events.map((event) => bookingCodec.encode(event));

/** Of the log before it was lost, which was longer. */
const LOST = 1_000;
const both = (position: number): readonly (readonly [string, number])[] => [
  ['bookings', position],
  ['guests', position],
];

describe('a node that starts on a restored log waits until its lists show the erasures', () => {
  test('that it applies', async () => {
    await using scene = restored();
    await scene.book('bk_1');
    await scene.list('bk_1', LOST);
    expect(await scene.start()).toEqual(both(4));
    expect(await scene.erasedIn('bk_1')).toBe(4);
  });

  test('that another node has applied, also if that one died before it listed them', async () => {
    await using scene = restored();
    await scene.book('bk_1');
    await scene.book('bk_2');
    await scene.list('bk_1', LOST);
    await scene.list('bk_2', LOST + 1);
    expect(await scene.start()).toEqual(both(8));
    expect(await scene.start()).toEqual(both(8));
    await scene.list('bk_2', 5);
    expect(await scene.start()).toEqual(both(8));
  });

  test('that its start before this one applied, if that one ended while it waited', async () => {
    await using scene = restored();
    await scene.book('bk_1');
    await scene.list('bk_1', LOST);
    const fault = new StoreUnavailable('read models', 'gone');
    expect(await faultOf(() => scene.start(() => Promise.reject(fault)))).toBe(fault);
    expect(await scene.start()).toEqual(both(4));
  });

  test('and says so at each interval', async () => {
    await using scene = restored();
    await scene.book('bk_1');
    await scene.list('bk_1', LOST);
    const shown = [true, true, false, false];
    expect(await scene.start(async () => shown.pop() === true)).toHaveLength(4);
    expect(scene.log.lines.map(({ happening, facts }) => [happening, facts])).toEqual([
      ['erasures applied to a restored log', { applied: 1 }],
      ['start waits for the read models to apply erasures', { projection: 'bookings' }],
      ['start waits for the read models to apply erasures', { projection: 'bookings' }],
    ]);
  });

  test('and starts again if the log is replaced meanwhile: the new one may never be so long', async () => {
    await using scene = restored();
    await scene.book('bk_1');
    await scene.list('bk_1', LOST);
    const waiting = faultOf(() => scene.start(() => new Promise(() => {})));
    const fault = new Error('another log');
    scene.replace(fault);
    expect(await waiting).toEqual(new StoreUnavailable('event store', 'another log', { cause: fault }));
  });
});

describe('an erasure that cannot be applied yet', () => {
  const FINISHED = confirmedAfter('BookingStarted');
  const ERASED: BookingEvent = { type: 'GuestErased', data: { records: [], by: 'user', at: LATER } };

  /** Advances the time until the guest is erased. */
  async function erased(scene: ReturnType<typeof restored>, id: string): Promise<number> {
    for (let turn = 0; ; turn++) {
      const position = await scene.erasedIn(id);
      if (position !== null) return position;
      if (turn % 50 === 0) scene.clock.advance(10_000);
      await new Promise(setImmediate);
    }
  }

  test('is applied later, however many newer ones there are by then', async () => {
    await using scene = restored();
    await scene.book('bk_started', [STARTED]);
    await scene.list('bk_started', LOST);
    await scene.start();
    expect(scene.log.lines.map(({ happening, facts }) => [happening, facts])).toEqual([
      ['erasures left', { left: 1, retryMs: 10_000 }],
    ]);
    const newer = Array.from({ length: 40 }, (_, n) => `bk_${n}`);
    await Promise.all(newer.map((id) => scene.book(id, [...CONFIRMED, ERASED])));
    await Promise.all(newer.map((id, n) => scene.list(id, LOST + 1 + n)));
    await scene.append('bk_started', 0, encoded(FINISHED));
    const position = await erased(scene, 'bk_started');
    const listed = async () => (await scene.ledger.of('bk_started'))?.position;
    while ((await listed()) === LOST) await new Promise(setImmediate);
    expect(await listed()).toBe(position as Position);
    expect(scene.log.lines.at(-1)).toMatchObject({ facts: { applied: 1 } });
  });

  test.each([
    ['of a newer release', 'BookingConfirmed.v99'],
    ['that is damaged', 'BookingConfirmed.v1'],
  ])('because its booking has an event %s, delays neither the start nor the others', async (_, type) => {
    await using scene = restored();
    await scene.append('bk_1', -1, [{ type, data: {} }]);
    await scene.book('bk_2');
    await scene.list('bk_1', LOST + 1);
    await scene.list('bk_2', LOST);
    expect(await scene.start()).toEqual(both(5));
    expect(scene.log.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        happening: 'erasure left: its booking cannot be read',
        facts: { booking: 'bk_1', fault: expect.any(Error) },
      },
    ]);
    expect(await scene.ledger.of('bk_1')).toMatchObject({ position: LOST + 1 });
  });
});
