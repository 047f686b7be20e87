import { UnknownEvent } from '../eventsourcing/codec.ts';
import type { Position, Recorded } from '../eventsourcing/message.ts';
import type { EventFeed, StoredEvent } from '../ports/event-store.ts';
import type { BatchEnd, LogReading, ReaderBatch, ReaderProgress } from '../ports/log-follower.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import type { CatchUps, CaughtUpPart } from './catch-up.ts';
import type { Member } from './member.ts';
import { pause } from './running.ts';
import { type Decoded, entryOf, type TailEntry } from './tail.ts';
import type { ReadFaults } from './unknown-events.ts';

const RETRY_MS = 200;
const LONGEST_RETRY_MS = 2_000;
const MAX_BATCH = 1_000;

/** Growing pauses between attempts. */
export class Backoff {
  #ms = RETRY_MS;

  next(): number {
    const ms = this.#ms;
    this.#ms = Math.min(ms * 2, LONGEST_RETRY_MS);
    return ms;
  }

  reset(): void {
    this.#ms = RETRY_MS;
  }
}

/** What a reader needs of the follower. */
export type SharedLog = {
  readonly feed: EventFeed;
  readonly faults: ReadFaults;
  /** The readings that readers share while they are behind. */
  readonly catchUps: CatchUps;
  /**
   * Joins a reader that has applied everything up to a position. Null if events of its categories after the position are not
   * in the tail: the reader must catch up by itself first. The subscription includes its categories from this call on.
   */
  join(categories: readonly string[], position: Position, progress: ReaderProgress): Member | null;
  /** Decodes an entry once for all readers. */
  decoded(entry: TailEntry): Decoded;
};

/** See `LogFollower.follow`. */
export function followLog(follower: SharedLog, reading: LogReading): Promise<void> {
  return new LogReader(follower, reading).run();
}

/** A reader did not apply what it has read. */
class ApplyFault extends Error {
  /** The event that it cannot apply; null if the store is unavailable. */
  readonly event: StoredEvent | null;

  constructor(cause: unknown, event: StoredEvent | null) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.event = event;
  }
}

type Item = { readonly stored: StoredEvent; readonly decoded: Decoded };

/** Reads by itself until it has caught up with the log, then takes its events from the follower. */
class LogReader {
  readonly #follower: SharedLog;
  readonly #reading: LogReading;
  readonly #backoff = new Backoff();
  /** Everything up to here is applied. */
  #after: Position;
  /** Why the reader stopped last; null while it works. A lasting fault is logged once. */
  #stopped: { readonly reason: string; readonly kind: 'read' | 'apply' } | null = null;

  constructor(follower: SharedLog, reading: LogReading) {
    this.#follower = follower;
    this.#reading = reading;
    this.#after = reading.progress.position;
  }

  async run(): Promise<void> {
    const { signal, reader, log } = this.#reading;
    while (!signal.aborted) {
      try {
        return await this.#follow();
      } catch (fault) {
        if (signal.aborted) return;
        const cause = fault instanceof ApplyFault ? fault.cause : fault;
        if (cause instanceof UnknownEvent) {
          const after = this.#follower.feed.positions.format(this.#after);
          log.error('reader of the log stopped before an unknown event', { reader, after, fault: cause });
          throw cause;
        }
        const retryMs = this.#backoff.next();
        this.#report(fault, retryMs);
        await pause(retryMs, signal);
      }
    }
  }

  async #follow(): Promise<void> {
    const { signal, until, resumeAt, progress, leftOut } = this.#reading;
    if (leftOut !== undefined) await this.#attempted(() => leftOut.load());
    this.#after = resumeAt === undefined ? progress.position : await this.#attempted(resumeAt);
    while (!signal.aborted) {
      if (until !== undefined && this.#after >= until) return;
      await this.#readAlone();
      if (until !== undefined || signal.aborted) continue;
      const member = this.#follower.join(this.#reading.categories, this.#after, progress);
      if (member === null) continue;
      await this.#readShared(member);
      this.#after = member.position;
    }
  }

  /** Without the shared subscription, until it has caught up with the log or reached `until`. */
  async #readAlone(): Promise<void> {
    const { until, signal } = this.#reading;
    for await (const { entries, ...batch } of this.#behind()) {
      const cut = until !== undefined && batch.upTo > until;
      const within = cut ? entries.filter(({ stored }) => stored.position <= until) : entries;
      const upTo = cut ? until : batch.upTo;
      await this.#apply(this.#itemsOf(within), { upTo, caughtUp: batch.caughtUp && !cut });
      if (until === undefined ? batch.caughtUp : upTo >= until) return;
    }
    if (!signal.aborted) throw new Error('the subscription ended');
  }

  #behind(): AsyncIterable<CaughtUpPart> {
    const { categories, until, signal, inOnePass = false } = this.#reading;
    if (!inOnePass) return this.#subscribed();
    return this.#follower.catchUps.read({ after: this.#after, categories, until, signal });
  }

  async *#subscribed(): AsyncGenerator<CaughtUpPart> {
    const { reader, categories, maxBatch = MAX_BATCH, lingerMs = 0, signal } = this.#reading;
    const options = { after: this.#after, categories, reader, maxBatch, lingerMs, signal };
    for await (const { events, ...batch } of this.#follower.feed.subscribe(options))
      yield { ...batch, entries: events.map(entryOf) };
  }

  #itemsOf(entries: readonly TailEntry[]): readonly Item[] {
    return entries.map((entry) => ({ stored: entry.stored, decoded: this.#follower.decoded(entry) }));
  }

  /** Until it is too slow for the follower's tail. */
  async #readShared(member: Member): Promise<void> {
    const { maxBatch = MAX_BATCH, lingerMs = 0, quietMs, signal } = this.#reading;
    try {
      while (!signal.aborted) {
        const taken = member.take(maxBatch);
        if (taken === null) return;
        if (taken.entries.length > 0) {
          await this.#apply(this.#itemsOf(taken.entries), taken);
          member.rest();
          await (taken.caughtUp && lingerMs > 0 ? pause(lingerMs, signal) : new Promise(setImmediate));
          continue;
        }
        member.rest();
        const quiet = await member.wait(quietMs, this.#after, signal);
        if (quiet && !signal.aborted) await this.#applyQuiet();
      }
    } finally {
      member.leave();
    }
  }

  /** Applies the position alone if it has advanced. */
  async #applyQuiet(): Promise<void> {
    const { position } = this.#reading.progress;
    if (position > this.#after) await this.#applied({ events: [], upTo: position, caughtUp: true }, null);
  }

  /** @throws ApplyFault at an event that cannot be decoded or applied, with everything before it applied */
  async #apply(items: readonly Item[], batch: BatchEnd): Promise<void> {
    const undecodable = items.findIndex(({ decoded, stored }) => 'fault' in decoded && !this.#leavesOut(stored));
    if (undecodable < 0) return this.#applyTogether(items, batch);
    const readable = items.slice(0, undecodable);
    const last = readable.at(-1)?.stored.position;
    if (last !== undefined) await this.#applyTogether(readable, { upTo: last, caughtUp: false });
    const { stored, decoded } = items[undecodable] as Item;
    await this.#leaveOut(stored, new ApplyFault('fault' in decoded && decoded.fault, stored));
    return this.#apply(items.slice(undecodable + 1), batch);
  }

  /** After a fault that is not the store's, applies the halves of the batch, down to the event to blame. */
  async #applyTogether(items: readonly Item[], batch: BatchEnd): Promise<void> {
    const [only, ...others] = items;
    const alone = others.length === 0 ? (only?.stored ?? null) : null;
    try {
      return await this.#applied(this.#batchOf(items, batch), alone);
    } catch (fault) {
      if (items.length === 0 || (fault instanceof ApplyFault && fault.cause instanceof StoreUnavailable)) throw fault;
      if (alone !== null) {
        await this.#leaveOut(alone, fault);
        return this.#applied({ ...batch, events: [] }, null);
      }
    }
    const half = items.length >> 1;
    const [first, second] = [items.slice(0, half), items.slice(half)];
    await this.#applyTogether(first, { upTo: (first.at(-1) as Item).stored.position, caughtUp: false });
    await this.#applyTogether(second, batch);
  }

  /** Without the events that the reader leaves out, and those of streams that are not of the domain. */
  #batchOf(items: readonly Item[], batch: BatchEnd): Omit<ReaderBatch, 'after'> {
    const events: Recorded[] = [];
    for (const { stored, decoded } of items)
      if ('event' in decoded && decoded.event !== null && !this.#leavesOut(stored)) events.push(decoded.event);
    return { ...batch, events };
  }

  #leavesOut({ id }: StoredEvent): boolean {
    return this.#reading.leftOut?.has(id) ?? false;
  }

  /** @throws the fault, unless the event is to blame for it */
  async #leaveOut(stored: StoredEvent, fault: unknown): Promise<void> {
    const { leftOut } = this.#reading;
    if (leftOut === undefined || !(fault instanceof ApplyFault)) throw fault;
    const added = await this.#attempted(() => leftOut.add(stored, fault.cause, this.#after), stored);
    if (!added) throw fault;
  }

  async #applied(batch: Omit<ReaderBatch, 'after'>, event: StoredEvent | null): Promise<void> {
    const { apply, progress } = this.#reading;
    await this.#attempted(async () => apply({ ...batch, after: this.#after }), event);
    this.#after = batch.upTo;
    if (batch.upTo > progress.position) progress.set(batch.upTo);
    this.#backoff.reset();
    if (this.#stopped !== null) this.#reportWorks();
  }

  /** @throws ApplyFault */
  async #attempted<Result>(work: () => Promise<Result>, event: StoredEvent | null = null): Promise<Result> {
    try {
      return await work();
    } catch (fault) {
      throw new ApplyFault(fault, fault instanceof StoreUnavailable ? null : event);
    }
  }

  #report(fault: unknown, retryMs: number): void {
    const { reader, log } = this.#reading;
    const reason = fault instanceof Error ? fault.message : String(fault);
    if (this.#stopped?.reason === reason) return;
    this.#stopped = { reason, kind: fault instanceof ApplyFault ? 'apply' : 'read' };
    if (!(fault instanceof ApplyFault)) return this.#follower.faults.readerStopped?.(reader, fault);
    log.error('reader of the log stopped by a fault', {
      reader,
      retryMs,
      ...(fault.event !== null && { event: this.#placeOf(fault.event) }),
      fault: fault.cause,
    });
  }

  #placeOf({ stream, revision, type, position }: StoredEvent): object {
    return { stream, revision, type, position: this.#follower.feed.positions.format(position) };
  }

  #reportWorks(): void {
    const { reader, log } = this.#reading;
    if (this.#stopped?.kind === 'apply') log.info('reader of the log works again', { reader });
    else this.#follower.faults.readerWorks?.(reader);
    this.#stopped = null;
  }
}
