import type { Position } from '../eventsourcing/message.ts';
import type { Currency } from '../ports/currency.ts';
import { categoryOf, type EventStore, type RemoteLog, type StoredEvent } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import { StoreRefused } from '../ports/store-refused.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';

/** Shortest time between two reads. */
const READ_EVERY_MS = 500;
/** A reader counts as current for this time after the start of the read that proved it. */
const CURRENT_MS = 1_000;
/** Longest wait of a request for a proof. The election of a leader takes 2 to 5 s. */
const CONFIRM_MS = 5_000;
/** For this time after a call waits for a position, reads go on until the follower has passed it. */
const WANTED_MS = 10_000;
/** At most this many pages of events of others in one read. */
const MAX_PAGES = 10;
/** A subscription that delivers nothing for this time, although events follow its position, is replaced. */
const OVERDUE_MS = 1_000;
/** The time doubles with each replacement that does not help. */
const LONGEST_OVERDUE_MS = 30_000;

/** The subscription of this process. */
export type CheckedFollower = {
  /** The categories that it receives. Another array once these change. */
  categories(): readonly string[];
  /** Everything up to here was received; `START` before it has caught up. */
  position(): Position;
  waitFor(position: Position, timeoutMs: number): Promise<boolean>;
  /** No event of these categories lies between its position and this one. Ignored if its categories have changed. */
  passed(position: Position, categories: readonly string[]): void;
  /** Replaces a subscription that died without a fault. */
  reopen(): void;
};

/** A reader of the log on which requests rely. */
export type CheckedReader = {
  readonly categories: readonly string[];
  /** True once it has applied everything up to a position. */
  passed(position: Position, timeoutMs: number): Promise<boolean>;
};

/** The clock and timers; tests replace them. */
export type Time = {
  readonly nowMs: () => number;
  /** Calls once after `ms`; returns a function that cancels it. */
  readonly later: (ms: number, call: () => void) => () => void;
};

const REAL_TIME: Time = {
  // Monotonic: a clock that is set back must not prolong a proof.
  nowMs: () => performance.now(),
  later(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

type Options = {
  readonly store: RemoteLog & Pick<EventStore, 'positions' | 'head'>;
  readonly follower: CheckedFollower;
  readonly log: Log;
  readonly time?: Time;
};

/**
 * Proves with one read of the log behind the follower's position that its subscription lives and its readers are current
 * (docs/decisions/0055). All callers share the reads.
 */
export class CurrencyCheck {
  readonly time: Time;
  readonly #options: Options;
  readonly #readers: Proofs[] = [];
  #beganMs = Number.NEGATIVE_INFINITY;
  #running = false;
  #last: Promise<boolean> = Promise.resolve(true);
  #readingOn = false;
  #wanted: { readonly position: Position; readonly untilMs: number } | null = null;
  #expecting = false;
  #overdueMs = OVERDUE_MS;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
    this.time = options.time ?? REAL_TIME;
  }

  /** The currency of a reader, from now on. */
  of(reader: CheckedReader): Currency {
    const proofs = new Proofs(reader, this);
    this.#readers.push(proofs);
    return proofs;
  }

  /** Ends the reads. */
  stop(): void {
    this.#stopped = true;
  }

  /** Reads the log, unless a read is running or began less than 500 ms ago. Resolves with whether the store answered. */
  read(): Promise<boolean> {
    const nowMs = this.time.nowMs();
    if (this.#running || this.#stopped || nowMs - this.#beganMs < READ_EVERY_MS) return this.#last;
    this.#beganMs = nowMs;
    this.#running = true;
    this.#last = this.#read(nowMs).finally(() => {
      this.#running = false;
    });
    return this.#last;
  }

  /** Somebody waits for the follower to pass a position, which may belong to an event that it does not receive. */
  passSoon(position: Position): void {
    if (position <= this.#options.follower.position()) return;
    if (this.#wanted === null || position >= this.#wanted.position)
      this.#wanted = { position, untilMs: this.time.nowMs() + WANTED_MS };
    void this.readOn();
  }

  /** Repeats the read for as long as somebody waits for a proof or a position. */
  async readOn(): Promise<void> {
    if (this.#readingOn) return;
    this.#readingOn = true;
    while (this.#isAwaited()) {
      await this.read();
      const restMs = this.#beganMs + READ_EVERY_MS - this.time.nowMs();
      await new Promise<void>((resolve) => this.time.later(Math.max(0, restMs), resolve));
    }
    this.#readingOn = false;
  }

  #isAwaited(): boolean {
    if (this.#stopped) return false;
    const wanted = this.#wanted;
    if (wanted !== null && this.time.nowMs() < wanted.untilMs && wanted.position > this.#options.follower.position())
      return true;
    this.#wanted = null;
    return this.#readers.some((reader) => reader.awaited);
  }

  async #read(beganMs: number): Promise<boolean> {
    try {
      await this.#readAfterFollower(beganMs);
      return true;
    } catch (fault) {
      // The engine health check logs an unavailable server.
      if (!(this.#stopped || fault instanceof StoreUnavailable || fault instanceof StoreRefused))
        this.#options.log.error('end of the log not read', { fault });
      return false;
    }
  }

  async #readAfterFollower(beganMs: number): Promise<void> {
    const { store, follower } = this.#options;
    const categories = follower.categories();
    const after = follower.position();
    // No reader has caught up yet. With readers, START is a position like any other: nothing that they read was appended.
    if (categories.length === 0) {
      await store.head();
      return;
    }
    let batch = await store.readAfter(after, categories);
    for (let pages = 1; batch.events.length === 0; pages++) {
      follower.passed(batch.upTo, categories);
      if (batch.caughtUp || pages === MAX_PAGES) break;
      batch = await store.readAfter(batch.upTo, categories);
    }
    const last = batch.events.at(-1);
    if (last !== undefined) void this.#expect(last.position);
    if (batch.caughtUp)
      for (const reader of this.#readers) reader.found({ categories, events: batch.events, after, beganMs });
  }

  /** Replaces the subscription if it delivers nothing although an event is due. */
  async #expect(position: Position): Promise<void> {
    if (this.#expecting) return;
    this.#expecting = true;
    const { follower, log, store } = this.#options;
    const { format } = store.positions;
    const before = follower.position();
    if (await follower.waitFor(position, this.#overdueMs)) {
      this.#overdueMs = OVERDUE_MS;
    } else if (follower.position() === before) {
      log.warn('subscription to the event store is silent: it is replaced', {
        after: format(before),
        missing: format(position),
      });
      follower.reopen();
      this.#overdueMs = Math.min(2 * this.#overdueMs, LONGEST_OVERDUE_MS);
    }
    this.#expecting = false;
  }
}

/** Every event of these categories between a position and the end of the log, as read from a time on. */
type Found = {
  readonly categories: readonly string[];
  readonly events: readonly StoredEvent[];
  readonly after: Position;
  readonly beganMs: number;
};

type Waiting = { readonly sinceMs: number; readonly settle: (confirmed: boolean) => void };

/** The proofs of one reader. */
class Proofs implements Currency {
  readonly #reader: CheckedReader;
  readonly #check: CurrencyCheck;
  readonly #waiting = new Set<Waiting>();
  #provenMs = Number.NEGATIVE_INFINITY;
  /** Until then `current` needs no new read. */
  #freshUntilMs = Number.NEGATIVE_INFINITY;

  constructor(reader: CheckedReader, check: CurrencyCheck) {
    this.#reader = reader;
    this.#check = check;
  }

  get awaited(): boolean {
    return this.#waiting.size > 0;
  }

  current(): boolean {
    const nowMs = this.#check.time.nowMs();
    if (nowMs < this.#freshUntilMs) return true;
    void this.#check.read();
    return nowMs - this.#provenMs < CURRENT_MS;
  }

  confirmed(): Promise<boolean> {
    if (this.current()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const { time } = this.#check;
      const settle = (confirmed: boolean): void => {
        cancel();
        this.#waiting.delete(waiting);
        resolve(confirmed);
      };
      const waiting = { sinceMs: time.nowMs(), settle };
      const cancel = time.later(CONFIRM_MS, () => settle(false));
      this.#waiting.add(waiting);
      void this.#check.readOn();
    });
  }

  /** Takes what a read has found. Without the reader's categories in the subscription it proves nothing. */
  found({ categories, events, after, beganMs }: Found): void {
    const own = this.#reader.categories;
    if (!own.every((category) => categories.includes(category))) return;
    const last = events.findLast(({ stream }) => own.includes(categoryOf(stream)))?.position ?? after;
    void this.#prove(last, beganMs);
  }

  async #prove(position: Position, beganMs: number): Promise<void> {
    if (!(await this.#reader.passed(position, CONFIRM_MS)) || beganMs <= this.#provenMs) return;
    this.#provenMs = beganMs;
    this.#freshUntilMs = beganMs + READ_EVERY_MS;
    for (const { sinceMs, settle } of this.#waiting) if (sinceMs - beganMs < CURRENT_MS) settle(true);
  }
}
