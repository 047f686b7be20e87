import { describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import type { ScanEvent } from '../../../src/domain/scan/scan.ts';
import { scanCodec } from '../../../src/domain/scan/scan.ts';
import { UnknownEvent } from '../../../src/eventsourcing/codec.ts';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import type { ProcessManager } from '../../../src/eventsourcing/process-manager.ts';
import { type DecodedEventStore, type EventStore, NO_STREAM } from '../../../src/ports/event-store.ts';
import type { LogReading } from '../../../src/ports/log-follower.ts';
import {
  type CommandOutcome,
  type ProcessManagerRun,
  type RunningProcessManager,
  runProcessManager,
} from '../../../src/runtime/run-process-manager.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { bookingId, fingerprint } from '../../support/examples.ts';
import { faultOf } from '../../support/fault.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { recorder, SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const INTERVAL_MS = 1_000;
type Open = readonly { readonly name: string; readonly position: Position }[];

/** Owes a knock at every door that was shut and not opened since. Doors are streams of a category that exists. */
const porter: ProcessManager<Open, ScanEvent, string> = {
  name: 'porter',
  categories: ['scan'],
  initial: [],
  react(open, { stream, data, position }) {
    const name = stream.slice('scan-'.length);
    return data.fingerprint === 'shut' ? [...open, { name, position }] : open.filter((door) => door.name !== name);
  },
  due: (open, _nowMs, { limit, busy }) =>
    open
      .map(({ name }) => name)
      .filter((name) => !busy(name))
      .slice(0, limit),
  done: (open, name) => open.filter((door) => door.name !== name),
  drop: (open, name) => open.filter((door) => door.name !== name),
  oldestOpen: (open) => open[0]?.position ?? null,
};

/** A door: it is knocked at, and the test says what comes of it. */
type Knock = { readonly name: string; readonly answer: (outcome: CommandOutcome) => void; readonly fail: () => void };

class Scene implements AsyncDisposable {
  readonly clock: MovedClock = movedClock(0);
  readonly log = collectedLog();
  readonly #directory = temporaryDirectory();
  readonly #events: EventStore = openEventStore(this.#directory.file('events.db'));
  /** What every batch of a subscription waits for. */
  passing = Promise.resolve();
  readonly store: DecodedEventStore = decoded({ ...this.#events, subscribe: (options) => this.#subscribe(options) });
  readonly #ids = seededIds();
  readonly #knocks: Knock[] = [];
  readonly #unanswered = new Set<() => void>();
  readonly #waiting: (() => void)[] = [];
  #running: RunningProcessManager | null = null;
  /** Every knock so far, by the door's name. */
  readonly knocked: string[] = [];
  /** Why it gave up. */
  readonly givenUp: unknown[] = [];

  async start(options: Partial<ProcessManagerRun<Open, string>> = {}): Promise<RunningProcessManager> {
    this.#running = await runProcessManager<Open, string>({
      manager: porter,
      execute: (name) => this.#execute(name),
      keyOf: (name) => name,
      maxInFlight: 8,
      startAtOnce: true,
      store: this.store,
      clock: this.clock,
      ids: this.#ids,
      log: this.log,
      intervalMs: INTERVAL_MS,
      checkpointMs: 0,
      onFatal: (fault) => void this.givenUp.push(fault),
      ...options,
    });
    return this.#running;
  }

  stop(): Promise<void> {
    return this.#running?.stop() ?? Promise.resolve();
  }

  async shut(name: string): Promise<Position> {
    return this.#append(name, NO_STREAM, 'shut');
  }

  /** What a newer release wrote at a door. */
  async unheardOf(name: string): Promise<void> {
    const event = { id: this.#ids.uuid(), type: 'ScanBound.v9', data: {}, cause: SOME_CAUSE };
    await this.store.append(`scan-${name}`, -1, [event]);
  }

  async open(name: string): Promise<Position> {
    return this.#append(name, 0, 'open');
  }

  /** The next knock not yet taken. */
  async knock(): Promise<Knock> {
    while (this.#knocks.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#knocks.shift() as Knock;
  }

  /** Shuts a door and waits for the knock at it: everything before it was folded by then. */
  async afterAllBefore(): Promise<void> {
    await this.shut('last');
    while ((await this.knock()).name !== 'last');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const answer of this.#unanswered) answer();
    await this.stop();
    await this.store.close();
    this.#directory.remove();
  }

  async *#subscribe(options: Parameters<EventStore['subscribe']>[0]): ReturnType<EventStore['subscribe']> {
    for await (const batch of this.#events.subscribe(options)) {
      await this.passing;
      yield batch;
    }
  }

  #execute(name: string): Promise<CommandOutcome> {
    this.knocked.push(name);
    return new Promise((resolve, reject) => {
      this.#unanswered.add(() => resolve({ kind: 'later' }));
      this.#knocks.push({ name, answer: resolve, fail: () => reject(new Error('no knocker')) });
      for (const look of this.#waiting.splice(0)) look();
    });
  }

  async #append(name: string, expected: number, state: string): Promise<Position> {
    const data = { booking: bookingId('bk_1'), fingerprint: fingerprint(state) };
    const event = { id: this.#ids.uuid(), ...scanCodec.encode({ type: 'ScanBound', data }), cause: SOME_CAUSE };
    const outcome = await this.store.append(`scan-${name}`, expected, [event]);
    if (outcome.kind !== 'appended') throw new Error(`${name}: ${outcome.kind}`);
    return outcome.position;
  }
}

describe('a due command', () => {
  test('starts as soon as its event is folded, where `startAtOnce` is set', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    expect((await scene.knock()).name).toBe('north');
  });

  test('starts at the next interval otherwise', async () => {
    await using scene = new Scene();
    await scene.shut('north');
    await scene.start({ startAtOnce: false });
    const knock = scene.knock();
    scene.clock.advance(INTERVAL_MS - 1);
    expect(scene.knocked).toEqual([]);
    // The log is read before or after the interval has passed: the one after it finds it read.
    while (scene.knocked.length === 0) {
      scene.clock.advance(INTERVAL_MS);
      await new Promise(setImmediate);
    }
    expect((await knock).name).toBe('north');
  });

  test('that is recorded does not start again before its event is folded', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    const knock = await scene.knock();
    knock.answer({ kind: 'recorded', position: await scene.open('north') });
    await scene.afterAllBefore();
    expect(scene.knocked).toEqual(['north', 'last']);
  });

  test('that is done without an event never starts again', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    (await scene.knock()).answer({ kind: 'done' });
    await scene.afterAllBefore();
    scene.clock.advance(INTERVAL_MS);
    expect(scene.knocked).toEqual(['north', 'last']);
  });

  test('that is not done waits for the next interval', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    (await scene.knock()).answer({ kind: 'later' });
    await scene.afterAllBefore();
    expect(scene.knocked).toEqual(['north', 'last']);
    scene.clock.advance(INTERVAL_MS);
    expect((await scene.knock()).name).toBe('north');
  });

  test('that fails is logged, and starts again at the next interval', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    (await scene.knock()).fail();
    await scene.afterAllBefore();
    expect(scene.log.lines.map(({ happening, facts }) => [happening, facts['command']])).toEqual([
      ['process manager task failed', 'north'],
    ]);
    scene.clock.advance(INTERVAL_MS);
    expect((await scene.knock()).name).toBe('north');
  });

  test('starts only while fewer than `maxInFlight` are in progress', async () => {
    await using scene = new Scene();
    await scene.start({ maxInFlight: 2 });
    for (const name of ['a', 'b', 'c']) await scene.shut(name);
    const first = await scene.knock();
    await scene.knock();
    expect(scene.knocked).toEqual(['a', 'b']);
    first.answer({ kind: 'done' });
    expect((await scene.knock()).name).toBe('c');
  });
});

describe('partitioned commands', () => {
  /** Doors are of the part that their name ends with. */
  const partitionOf = (name: string): number => Number(name.at(-1));

  test('start in acquired partitions only', async () => {
    await using scene = new Scene();
    const running = await scene.start({ partitionOf });
    for (const name of ['a1', 'b2', 'c1']) await scene.shut(name);
    await running.acquire(1);
    await scene.knock();
    await scene.knock();
    await scene.shut('d1');
    await scene.knock();
    expect(scene.knocked).toEqual(['a1', 'c1', 'd1']);
  });

  test('of an acquired partition start after everything stored before is folded', async () => {
    await using scene = new Scene();
    await scene.shut('a1');
    const running = await scene.start({ partitionOf });
    await running.acquire(2);
    await scene.shut('b2');
    await scene.knock();
    const held = Promise.withResolvers<void>();
    scene.passing = held.promise;
    await scene.open('a1');
    const taking = running.acquire(1);
    await scene.shut('c1');
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    held.resolve();
    await taking;
    await scene.knock();
    expect(scene.knocked).toEqual(['b2', 'c1']);
  });

  test('end before their partition is released, and no more of them start', async () => {
    await using scene = new Scene();
    const running = await scene.start({ partitionOf });
    const [one] = await Promise.all([running.acquire(1), running.acquire(2)]);
    await scene.shut('a1');
    const knock = await scene.knock();
    await scene.shut('b2');
    await scene.knock();
    const stopping = one.stop();
    await scene.shut('c1');
    const soon = new Promise((resolve) => setImmediate(resolve, 'not yet'));
    expect(await Promise.race([stopping, soon])).toBe('not yet');
    knock.answer({ kind: 'later' });
    await stopping;
    await scene.shut('d2');
    await scene.knock();
    expect(scene.knocked).toEqual(['a1', 'b2', 'd2']);
  });

  test('cannot be acquired where the log cannot be folded', async () => {
    await using scene = new Scene();
    await scene.unheardOf('east');
    const running = await scene.start({ partitionOf });
    const fault = await faultOf(() => running.acquire(1));
    expect(fault).toEqual(new Error('porter folds the log no further than '));
  });
});

describe('a restart', () => {
  test('repeats open commands, and none that were recorded after them', async () => {
    await using scene = new Scene();
    for (const name of ['north', 'south', 'west']) await scene.shut(name);
    await scene.open('south');
    // More than is read in one go.
    for (let door = 0; door < 1_100; door++) void scene.shut(`door ${door}`).then(() => scene.open(`door ${door}`));
    while ((await scene.store.last('scan-door 1099'))?.revision !== 1) await new Promise(setImmediate);
    await scene.open('west');
    await scene.start();
    expect((await scene.knock()).name).toBe('north');
    await scene.afterAllBefore();
    expect(scene.knocked).toEqual(['north', 'last']);
  });

  test('reads the log from before the oldest open item, not from its start', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    (await scene.knock()).answer({ kind: 'recorded', position: await scene.open('north') });
    await scene.shut('south');
    (await scene.knock()).answer({ kind: 'later' });
    await scene.stop();
    const checkpoint = await scene.store.last('checkpoint-porter');
    expect(checkpoint?.type).toBe('CheckpointStored.v1');
    await scene.start();
    expect((await scene.knock()).name).toBe('south');
    expect(scene.knocked).toEqual(['north', 'south', 'south']);
  });

  test('comes after the commands in progress have ended', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    const knock = await scene.knock();
    const stopping = scene.stop();
    const soon = new Promise((resolve) => setImmediate(resolve, 'not yet'));
    expect(await Promise.race([stopping, soon])).toBe('not yet');
    knock.answer({ kind: 'later' });
    await stopping;
  });
});

describe('an event of a newer release', () => {
  test('is not skipped: the manager abandons its work before it, once, and executes the commands due by then', async () => {
    await using scene = new Scene();
    await scene.start();
    await scene.shut('north');
    const knock = await scene.knock();
    await scene.unheardOf('east');
    await scene.shut('south');
    while (scene.givenUp.length === 0) await new Promise(setImmediate);
    knock.answer({ kind: 'later' });
    scene.clock.advance(INTERVAL_MS);
    expect((await scene.knock()).name).toBe('north');
    expect(scene.givenUp).toEqual([new UnknownEvent('scan', 'ScanBound.v9')]);
    expect(scene.knocked).toEqual(['north', 'north']);
    expect(scene.log.lines.map(({ happening }) => happening)).toEqual([
      'reader of the log stopped before an unknown event',
    ]);
  });
});

describe('a manager with a bound of open commands', () => {
  /** Folds the batches that the test hands it. */
  async function bounded(scene: Scene, max: number) {
    const readings: LogReading[] = [];
    const following = Promise.withResolvers<void>();
    const follower: DecodedEventStore['follower'] = {
      ...scene.store.follower,
      follow(reading) {
        readings.push(reading);
        reading.signal.addEventListener('abort', () => following.resolve());
        return following.promise;
      },
    };
    await scene.start({
      manager: { ...porter, openBound: { max, count: (open) => open.length } },
      store: { ...scene.store, follower },
    });
    const record = recorder();
    /** A batch of shut doors before the end of the log. */
    return (...names: readonly string[]): Promise<'folded'> => {
      const shut = (name: string) =>
        record<ScanEvent>(`scan-${name}`, {
          type: 'ScanBound',
          data: { booking: bookingId('bk_1'), fingerprint: fingerprint('shut') },
        });
      const events = names.map(shut);
      const upTo = events.at(-1)?.position ?? START;
      const applied = readings[0]?.apply({ events, upTo, after: START, caughtUp: false });
      return Promise.resolve(applied).then(() => 'folded');
    };
  }
  const turns = async (): Promise<'waits'> => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    return 'waits';
  };

  test('starts commands before the log was read to its end', async () => {
    await using scene = new Scene();
    const fold = await bounded(scene, 2);
    expect(await fold('a', 'b')).toBe('folded');
    expect(scene.knocked).toEqual(['a', 'b']);
  });

  test('folds no further batch while more are open, until one has ended', async () => {
    await using scene = new Scene();
    const fold = await bounded(scene, 2);
    const folding = fold('a', 'b', 'c', 'd');
    const a = await scene.knock();
    expect(await Promise.race([folding, turns()])).toBe('waits');
    a.answer({ kind: 'done' });
    expect(await Promise.race([folding, turns()])).toBe('waits');
    (await scene.knock()).answer({ kind: 'done' });
    expect(await Promise.race([folding, turns()])).toBe('folded');
  });

  test('waits no longer at the stop', async () => {
    await using scene = new Scene();
    const fold = await bounded(scene, 0);
    const folding = fold('a');
    const { answer } = await scene.knock();
    const stopped = scene.stop();
    expect(await folding).toBe('folded');
    answer({ kind: 'later' });
    await stopped;
  });
});
