import { OrderedMap } from '../../../src/collections/ordered-map.ts';
import type { AllotmentCommand, AllotmentRejection } from '../../../src/domain/allotment/commands.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { Allotment } from '../../../src/domain/allotment/state.ts';
import type { BookingCommand, BookingRejection } from '../../../src/domain/booking/commands.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import type { Guest, GuestCommand, GuestEvent, GuestRejection } from '../../../src/domain/guest/guest.ts';
import type { Decider } from '../../../src/eventsourcing/decider.ts';

/** The types of each kind of stream. */
export type Kinds = {
  allotment: { command: AllotmentCommand; state: Allotment; event: AllotmentEvent; rejection: AllotmentRejection };
  booking: { command: BookingCommand; state: Booking; event: BookingEvent; rejection: BookingRejection };
  guest: { command: GuestCommand; state: Guest; event: GuestEvent; rejection: GuestRejection };
};
export type Kind = keyof Kinds;
export type Deciders = {
  readonly [K in Kind]: Decider<Kinds[K]['command'], Kinds[K]['state'], Kinds[K]['event'], Kinds[K]['rejection']>;
};

/** A decided append: its events, the stream that it was decided on, and the stream after it. */
export type AppendTo<K extends Kind> = {
  readonly kind: K;
  readonly number: number;
  readonly on: Stream<K>;
  readonly events: readonly Kinds[K]['event'][];
  readonly becomes: Stream<K>;
};

/** The result of a decision: an append, or an answer without one. */
export type Handled<K extends Kind> =
  | { readonly kind: 'appends'; readonly append: AppendTo<K> }
  | { readonly kind: 'answers'; readonly rejection: Kinds[K]['rejection'] | null }
  | { readonly kind: 'erased' };

export type AnyStream = Stream<'allotment'> | Stream<'booking'> | Stream<'guest'>;
export type Append = AppendTo<'allotment'> | AppendTo<'booking'> | AppendTo<'guest'>;

/** Assigns short numbers to objects that are compared by identity. */
export type Numbers = () => number;

export function numbers(): Numbers {
  let last = 0;
  return () => {
    last += 1;
    return last;
  };
}

/** Shared by all states of one stream. */
type Root<K extends Kind> = {
  readonly kind: K;
  readonly name: string;
  readonly decider: Deciders[K];
  readonly numbers: Numbers;
  readonly moments: Map<string, Stream<K>>;
};

/**
 * A stream at one moment of its history. Two histories with the same events and the same folded state, in whatever
 * order, are one object: no decider can tell them apart. So "the stream is still at the revision it was read at" is
 * `===`, and what the decider (which is pure) says of a command at this moment is worked out once.
 */
export class Stream<K extends Kind> {
  readonly kind: K;
  readonly name: string;
  readonly number: number;
  readonly events: readonly Kinds[K]['event'][];
  readonly state: Kinds[K]['state'];
  readonly erased: boolean;
  readonly #root: Root<K>;
  readonly #handled = new Map<Kinds[K]['command'], Handled<K>>();

  private constructor(root: Root<K>, history: Pick<Stream<K>, 'events' | 'state' | 'erased'>) {
    this.kind = root.kind;
    this.name = root.name;
    this.number = root.numbers();
    this.events = history.events;
    this.state = history.state;
    this.erased = history.erased;
    this.#root = root;
  }

  static empty<K extends Kind>(kind: K, name: string, decider: Deciders[K], next: Numbers): Stream<K> {
    const root = { kind, name, decider, numbers: next, moments: new Map<string, Stream<K>>() };
    return moment(root, { events: [], state: decider.initial, erased: false }, (history) => new Stream(root, history));
  }

  get revision(): number {
    return this.events.length - 1;
  }

  /** Decides a command on this state. */
  handle(command: Kinds[K]['command']): Handled<K> {
    let handled = this.#handled.get(command);
    if (handled === undefined) {
      handled = this.#decide(command);
      this.#handled.set(command, handled);
    }
    return handled;
  }

  /** The stream after these events. */
  after(events: readonly Kinds[K]['event'][]): Stream<K> {
    let { state } = this;
    for (const event of events) state = this.#root.decider.evolve(state, event);
    return this.#moment({ events: [...this.events, ...events], state, erased: false });
  }

  /** The tombstone: without events, and closed for appends. */
  erase(): Stream<K> {
    return this.#moment({ events: [], state: this.#root.decider.initial, erased: true });
  }

  #decide(command: Kinds[K]['command']): Handled<K> {
    if (this.erased) return { kind: 'erased' };
    const decision = this.#root.decider.decide(command, this.state);
    if (decision.kind === 'rejected') return { kind: 'answers', rejection: decision.rejection };
    const { events } = decision;
    if (events.length === 0) return { kind: 'answers', rejection: null };
    const number = this.#root.numbers();
    return { kind: 'appends', append: { kind: this.kind, number, on: this, events, becomes: this.after(events) } };
  }

  #moment(history: Pick<Stream<K>, 'events' | 'state' | 'erased'>): Stream<K> {
    return moment(this.#root, history, (found) => new Stream(this.#root, found));
  }
}

function moment<K extends Kind, H extends Pick<Stream<K>, 'events' | 'state' | 'erased'>>(
  { moments }: Root<K>,
  history: H,
  make: (history: H) => Stream<K>,
): Stream<K> {
  const events = history.events.map((event) => JSON.stringify(event)).sort();
  const key = JSON.stringify([history.erased, events, history.state], inOrder);
  let known = moments.get(key);
  if (known === undefined) {
    known = make(history);
    moments.set(key, known);
  }
  return known;
}

/**
 * For `JSON.stringify`: sorts the entries of maps and sets in a state. The order of releases decides only which id is
 * forgotten first, and an allotment of a search forgets all released ids or none.
 */
export function inOrder(key: string, value: unknown): unknown {
  if (value instanceof OrderedMap) return [...value.entries()].map((entry) => JSON.stringify(entry, inOrder)).sort();
  const unordered = key === 'abandoned' || key === 'lastReleased';
  return unordered && Array.isArray(value) ? value.map(String).sort() : value;
}
