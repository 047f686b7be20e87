import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import type { ScanEvent } from '../../../src/domain/scan/scan.ts';
import { scanCodec } from '../../../src/domain/scan/scan.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import type { ProcessManager } from '../../../src/eventsourcing/process-manager.ts';
import { type DecodedEventStore, type EventStore, NO_STREAM } from '../../../src/ports/event-store.ts';
import {
  type CommandOutcome,
  type ProcessManagerRun,
  type RunningProcessManager,
  runProcessManager,
} from '../../../src/runtime/run-process-manager.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { bookingId, fingerprint } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

export const INTERVAL_MS = 1_000;
export type Open = readonly { readonly name: string; readonly position: Position }[];

/** Owes a knock at every door that was shut and not opened since. Doors are streams of a category that exists. */
export const porter: ProcessManager<Open, ScanEvent, string> = {
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

export class Scene implements AsyncDisposable {
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
