import type { Decider } from '../../../src/eventsourcing/decider.ts';
import type {
  Allotment,
  AllotmentCommand,
  AllotmentEvent,
  AllotmentRejection,
} from '../../../src/domain/allotment/allotment.ts';
import type { Booking, BookingCommand, BookingEvent, BookingRejection } from '../../../src/domain/booking/booking.ts';
import type { Guest, GuestCommand, GuestEvent, GuestRejection } from '../../../src/domain/guest/guest.ts';

/** What each kind of stream is made of. */
export type Kinds = {
  allotment: {
    command: AllotmentCommand;
    state: Allotment;
    event: AllotmentEvent;
    rejection: AllotmentRejection;
  };
  booking: { command: BookingCommand; state: Booking; event: BookingEvent; rejection: BookingRejection };
  guest: { command: GuestCommand; state: Guest; event: GuestEvent; rejection: GuestRejection };
};
export type Kind = keyof Kinds;

export type Deciders = {
  readonly [K in Kind]: Decider<Kinds[K]['command'], Kinds[K]['state'], Kinds[K]['event'], Kinds[K]['rejection']>;
};

/** What a decision on a stream comes to: a moment that the stream would reach, or an answer that appends nothing. */
export type Handled<K extends Kind> =
  | { readonly kind: 'appends'; readonly becomes: Stream<K> }
  | { readonly kind: 'answers'; readonly rejection: Kinds[K]['rejection'] | null }
  | { readonly kind: 'erased' };

export type AnyStream = Stream<'allotment'> | Stream<'booking'> | Stream<'guest'>;

/** Numbers for whatever is told apart by identity, so that a state's key is short. */
export type Numbers = () => number;

export function numbers(): Numbers {
  let last = 0;
  return () => ++last;
}

/**
 * A stream at one moment of its history. The same history is always the same object, so "the expected revision is still
 * the stream's revision" is `===`, and what the decider (pure) says of a command at this moment is worked out once.
 */
export class Stream<K extends Kind> {
  readonly kind: K;
  readonly name: string;
  readonly number: number;
  readonly state: Kinds[K]['state'];
  readonly events: readonly Kinds[K]['event'][];
  readonly erased: boolean;
  /** The moment before the last append, and what that appended. */
  readonly before: Stream<K> | null;
  readonly appended: readonly Kinds[K]['event'][];
  readonly #decider: Deciders[K];
  readonly #numbers: Numbers;
  readonly #handled = new Map<Kinds[K]['command'], Handled<K>>();
  readonly #after = new Map<string, Stream<K>>();
  #tombstone: Stream<K> | null = null;

  private constructor(
    root: { readonly kind: K; readonly name: string; readonly decider: Deciders[K]; readonly numbers: Numbers },
    before: Stream<K> | null,
    appended: readonly Kinds[K]['event'][],
    erased: boolean,
  ) {
    this.kind = root.kind;
    this.name = root.name;
    this.#decider = root.decider;
    this.#numbers = root.numbers;
    this.number = root.numbers();
    this.before = before;
    this.appended = appended;
    this.erased = erased;
    this.events = before === null || erased ? [] : [...before.events, ...appended];
    let state: Kinds[K]['state'] = before === null || erased ? root.decider.initial : before.state;
    for (const event of appended) state = root.decider.evolve(state, event);
    this.state = state;
  }

  static empty<K extends Kind>(kind: K, name: string, decider: Deciders[K], numbers: Numbers): Stream<K> {
    return new Stream({ kind, name, decider, numbers }, null, [], false);
  }

  get revision(): number {
    return this.events.length - 1;
  }

  /** What the decider says of a command here. */
  handle(command: Kinds[K]['command']): Handled<K> {
    let handled = this.#handled.get(command);
    if (handled === undefined) {
      handled = this.#decide(command);
      this.#handled.set(command, handled);
    }
    return handled;
  }

  /** The stream after these events. */
  then(events: readonly Kinds[K]['event'][]): Stream<K> {
    const key = JSON.stringify(events);
    let after = this.#after.get(key);
    if (after === undefined) {
      after = new Stream(this.#root, this, events, false);
      this.#after.set(key, after);
    }
    return after;
  }

  /** The tombstone: nothing can be read from it or appended to it any more. */
  erase(): Stream<K> {
    if (this.erased) return this;
    if (this.before !== null) return this.before.erase();
    this.#tombstone ??= new Stream(this.#root, this, [], true);
    return this.#tombstone;
  }

  get #root() {
    return { kind: this.kind, name: this.name, decider: this.#decider, numbers: this.#numbers };
  }

  #decide(command: Kinds[K]['command']): Handled<K> {
    if (this.erased) return { kind: 'erased' };
    const decision = this.#decider.decide(command, this.state);
    if (decision.kind === 'rejected') return { kind: 'answers', rejection: decision.rejection };
    if (decision.events.length === 0) return { kind: 'answers', rejection: null };
    return { kind: 'appends', becomes: this.then(decision.events) };
  }
}
