import type { PositionForm } from '../../src/eventsourcing/message.ts';
import type { AppendOutcome, EventStore, NewEvent, StreamRead } from '../../src/ports/event-store.ts';

type Interference = (append: () => Promise<AppendOutcome>) => Promise<AppendOutcome>;

/**
 * A real event store behind which another node seems to stand: it is not the only writer, what comes between a read and
 * an append is scripted, and every call of interest is written down.
 */
export class ScriptedEventStore implements EventStore {
  readonly exclusive: boolean;
  readonly positions: PositionForm;
  /** `read jar-1 from 0`, `append jar-1 at -1: 2 events`, in the order of the calls. */
  readonly calls: string[] = [];
  /** Number of batches that subscriptions have read. */
  batches = 0;
  /** What every batch of a subscription waits for after it was read. */
  beforeBatch: Promise<unknown> = Promise.resolve();
  readonly #real: EventStore;
  readonly #script: Interference[] = [];
  readonly #reads: (() => Promise<unknown>)[] = [];
  readonly #subscriptions = new Set<{
    readonly reader: string;
    readonly break: (fault: Error) => void;
    silent: boolean;
  }>();

  /** @param exclusive what it says of itself */
  constructor(real: EventStore, exclusive = false) {
    this.#real = real;
    this.exclusive = exclusive;
    this.positions = real.positions;
  }

  /** Runs an action between the actor's read and its next unscripted append: another writer, an erasure. */
  beforeAppend(work: () => Promise<unknown>): void {
    this.#script.push(async (append) => {
      await work();
      return append();
    });
  }

  /** Runs an action after that append was stored and before its answer. */
  afterAppend(work: () => Promise<unknown>): void {
    this.#script.push(async (append) => {
      const outcome = await append();
      await work();
      return outcome;
    });
  }

  /** Runs an action after the next unscripted read and before its answer. */
  afterRead(work: () => Promise<unknown>): void {
    this.#reads.push(work);
  }

  /** That append throws, and nothing is stored. */
  loseAppend(): void {
    this.#script.push(() => Promise.reject(new Error('the append was lost')));
  }

  /** That append throws although its events were stored. */
  loseAnswer(): void {
    this.#script.push(async (append) => {
      await append();
      throw new Error('the answer was lost');
    });
  }

  append(stream: string, expectedRevision: number, events: readonly NewEvent[]): Promise<AppendOutcome> {
    this.calls.push(`append ${stream} at ${expectedRevision}: ${events.length} events`);
    const append = (): Promise<AppendOutcome> => this.#real.append(stream, expectedRevision, events);
    return this.#script.shift()?.(append) ?? append();
  }

  async read(stream: string, fromRevision = 0, maxCount?: number): Promise<StreamRead> {
    this.calls.push(`read ${stream} from ${fromRevision}`);
    const work = this.#reads.shift();
    const read = await this.#real.read(stream, fromRevision, maxCount);
    await work?.();
    return read;
  }

  last(stream: string): ReturnType<EventStore['last']> {
    return this.#real.last(stream);
  }

  async *subscribe(options: Parameters<EventStore['subscribe']>[0]): ReturnType<EventStore['subscribe']> {
    const { promise: broken, reject } = Promise.withResolvers<never>();
    broken.catch(() => {});
    const subscription = { reader: options.reader ?? 'unnamed', break: reject, silent: false };
    this.#subscriptions.add(subscription);
    this.calls.push(`subscribe ${subscription.reader} to ${options.categories?.toSorted().join(' ')}`);
    const over = new AbortController();
    const signal = AbortSignal.any([options.signal, over.signal]);
    const batches = this.#real.subscribe({ ...options, signal })[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([batches.next(), broken]);
        if (next.done === true) return;
        this.batches++;
        await this.beforeBatch;
        if (!subscription.silent) yield next.value;
      }
    } finally {
      over.abort();
      this.#subscriptions.delete(subscription);
    }
  }

  /** Readers with an open subscription. */
  get subscribers(): readonly string[] {
    return [...this.#subscriptions].map(({ reader }) => reader);
  }

  /** Ends the open subscriptions with a fault. */
  breakSubscriptions(fault: Error): void {
    for (const subscription of this.#subscriptions) subscription.break(fault);
  }

  /** The open subscriptions receive nothing more, and do not end. */
  silenceSubscriptions(): void {
    for (const subscription of this.#subscriptions) subscription.silent = true;
  }

  readLog(range: Parameters<EventStore['readLog']>[0]): ReturnType<EventStore['readLog']> {
    return this.#real.readLog(range);
  }

  head(): ReturnType<EventStore['head']> {
    return this.#real.head();
  }

  check(checkpoint: Parameters<EventStore['check']>[0]): ReturnType<EventStore['check']> {
    return this.#real.check(checkpoint);
  }

  erase(stream: string): Promise<void> {
    return this.#real.erase(stream);
  }

  close(): Promise<void> {
    return this.#real.close();
  }
}
