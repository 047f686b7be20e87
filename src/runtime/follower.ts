import { type DecodeEvent, UnknownEvent } from '../eventsourcing/codec.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { EventFeed, LogBatch, StoredEvent } from '../ports/event-store.ts';
import type { LogFollower, ReaderProgress } from '../ports/log-follower.ts';
import { CatchUps } from './catch-up.ts';
import { Backoff, followLog, type SharedLog } from './follow-log.ts';
import { Member } from './member.ts';
import { Progress } from './progress.ts';
import { pause } from './running.ts';
import { type Decoded, Tail, type TailEntry } from './tail.ts';
import type { ReadFaults } from './unknown-events.ts';

/** While the log is busy, collects its events for this time before they are handed on. */
const LINGER_MS = 5;
/** Name of the shared subscription in logs and in the readiness check. */
const READER = 'log follower';

export type FollowerOptions = {
  readonly decode: DecodeEvent;
  readonly unknownEvents: ReadFaults;
  readonly tail?: Tail;
};

export type ClosableFollower = LogFollower & { close(): Promise<void> };

/** Opens no subscription before the first reader has caught up with the log. */
export function openFollower(feed: EventFeed, options: FollowerOptions): ClosableFollower {
  const follower = new Follower(feed, options);
  return {
    follow: (reading) => followLog(follower, reading),
    position: () => follower.progress.position,
    waitFor: (position, timeoutMs) => follower.progress.reached(position, timeoutMs),
    quietUpTo: (categories, position) => follower.quietUpTo(categories, position),
    onAdvance: (listener) => follower.listeners.push(listener),
    categories: () => follower.categories,
    passed: (position, categories) => follower.passed(position, categories),
    reopen: () => follower.reopen(),
    close: () => follower.close(),
  };
}

/** The shared subscription and the last events that it has received, for the readers that have caught up with it. */
class Follower implements SharedLog {
  readonly feed: EventFeed;
  readonly faults: ReadFaults;
  readonly progress = new Progress();
  readonly catchUps: CatchUps;
  readonly listeners: (() => void)[] = [];
  readonly #decode: DecodeEvent;
  readonly #tail: Tail;
  /** By category. */
  readonly #members = new Map<string, Set<Member>>();
  readonly #closing = new AbortController();
  /** Of the present subscription. */
  #attempt = new AbortController();
  #running: Promise<void> | null = null;

  constructor(feed: EventFeed, { decode, unknownEvents, tail = new Tail() }: FollowerOptions) {
    this.feed = feed;
    this.catchUps = new CatchUps(feed);
    this.faults = unknownEvents;
    this.#decode = decode;
    this.#tail = tail;
  }

  join(categories: readonly string[], position: Position, progress: ReaderProgress): Member | null {
    if (this.#closing.signal.aborted) return null;
    this.#include(categories, position);
    if (!this.#tail.covers(categories, position)) return null;
    const member = new Member(this.#tail, this.progress, { categories, position, progress }, () => {
      for (const category of categories) this.#members.get(category)?.delete(member);
    });
    for (const category of categories) {
      const members = this.#members.get(category) ?? new Set();
      this.#members.set(category, members.add(member));
    }
    return member;
  }

  decoded(entry: TailEntry): Decoded {
    entry.decoded ??= this.decode(entry.stored);
    return entry.decoded;
  }

  decode(stored: StoredEvent): Decoded {
    try {
      return { event: this.#decode(stored) };
    } catch (fault) {
      if (fault instanceof UnknownEvent) this.faults.note(fault);
      return { fault };
    }
  }

  get categories(): readonly string[] {
    return this.#tail.categories;
  }

  passed(position: Position, categories: readonly string[]): void {
    if (categories === this.categories) this.#advance(position);
  }

  quietUpTo(categories: readonly string[], position: Position): Position {
    const quiet = this.#tail.covers(categories, position) && !this.#tail.hasAfter(categories, position);
    return quiet && this.progress.position > position ? this.progress.position : position;
  }

  reopen(): void {
    this.#attempt.abort();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#attempt.abort();
    await this.#running;
  }

  /** The subscription goes on after the last received event, so a category that it lacked is complete from there on. */
  #include(categories: readonly string[], position: Position): void {
    const missing = categories.filter((category) => !this.#tail.categories.includes(category));
    if (missing.length === 0) return;
    if (this.#running === null) this.progress.set(position);
    for (const category of missing) this.#tail.open(category, this.progress.position);
    this.reopen();
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const backoff = new Backoff();
    while (!this.#closing.signal.aborted) {
      this.#attempt = new AbortController();
      const { signal } = this.#attempt;
      try {
        const after = this.progress.position;
        const { categories } = this.#tail;
        for await (const batch of this.feed.subscribe({
          after,
          categories,
          lingerMs: LINGER_MS,
          reader: READER,
          signal,
        })) {
          // The next subscription reads it again, with the categories that were added meanwhile.
          if (signal.aborted) break;
          this.#receive(batch);
          backoff.reset();
          this.faults.readerWorks?.(READER);
        }
      } catch (fault) {
        if (!signal.aborted) this.faults.readerStopped?.(READER, fault);
      }
      if (!signal.aborted) await pause(backoff.next(), AbortSignal.any([signal, this.#closing.signal]));
    }
  }

  #receive({ events, upTo }: LogBatch): void {
    const { position } = this.progress;
    const added = new Set<string>();
    for (const event of events) {
      if (event.position <= position) continue;
      const category = this.#tail.add(event);
      if (category !== null) added.add(category);
    }
    // Before the follower's position advances: the members' positions stay before the events that wait now.
    for (const category of added) for (const member of this.#members.get(category) ?? []) member.wake();
    this.#advance(upTo);
  }

  #advance(position: Position): void {
    if (position <= this.progress.position) return;
    this.progress.set(position);
    for (const listener of this.listeners) listener();
  }
}
