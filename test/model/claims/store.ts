import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { type Position, type Recorded, unreachable } from '../../../src/eventsourcing/message.ts';
import type { ReapClaimsCommand, ReapClaimsState } from '../../../src/processes/reap-claims/process-manager.ts';
import { roomFor } from '../../support/room.ts';
import { DEADLINE_MS } from './requests.ts';
import type { Reaper, Rules } from './rules.ts';
import { type AnyStream, type Append, type Deciders, type Kind, type Numbers, Stream } from './stream.ts';

export type LogEvent = Recorded<AllotmentEvent | BookingEvent>;
export type Streams = { readonly [K in Kind]: ReadonlyMap<string, Stream<K>> };

/** A command that a reaper may send, and the number of log events after which it is due. */
export type DueCommand = { readonly command: ReapClaimsCommand; readonly seen: number };

const ALL = 1_000;
const CAUSE = { correlationId: 'search', causationId: null, by: 'search', at: '2026-01-01T00:00:00.000Z' };

/** The commands that can be due for any reaper; see `Store`. */
type Reaping = {
  readonly log: readonly LogEvent[];
  readonly view: ReapClaimsState;
  readonly dueEarly: readonly DueCommand[];
  readonly dueLate: readonly DueCommand[];
};

/**
 * All streams at one moment, and the log of allotments and bookings that the reapers follow. Stores with equal streams
 * and equal due commands are one object, whatever the order of their appends; the log is one of those orders.
 *
 * There may be any number of reapers, each at any position of the log: restarted from a checkpoint, slow, or repeating
 * commands. So a command that is due at some moment may be sent at any later time: `dueEarly` and `dueLate` collect what
 * is due on every prefix of the log, and never shrink.
 */
export class Store {
  readonly number: number;
  readonly streams: Streams;
  readonly log: readonly LogEvent[];
  /** The state of a reaper that has folded the whole log and has completed no erasure. */
  readonly view: ReapClaimsState;
  /** Due before the deadline of the claims, and from then on. */
  readonly dueEarly: readonly DueCommand[];
  readonly dueLate: readonly DueCommand[];
  readonly #shared: Shared;
  readonly #after = new Map<number, Store>();

  private constructor(shared: Shared, streams: Streams, { log, view, dueEarly, dueLate }: Reaping) {
    this.number = shared.numbers();
    this.streams = streams;
    this.log = log;
    this.view = view;
    this.dueEarly = dueEarly;
    this.dueLate = dueLate;
    this.#shared = shared;
  }

  static empty(rules: Rules, numbers: Numbers): Store {
    const streams = { allotment: new Map(), booking: new Map(), guest: new Map() };
    const reaping = { log: [], view: rules.reaper.initial, dueEarly: [], dueLate: [] };
    return new Store(new Shared(rules, numbers), streams, reaping);
  }

  /** The current state of a stream; empty if nothing was appended. */
  stream<K extends Kind>(kind: K, name: string): Stream<K> {
    return this.streams[kind].get(name) ?? this.#shared.empty(kind, name);
  }

  /** The store after an append. */
  with(append: Append): Store {
    return this.#moved(append.becomes, append);
  }

  /** The store after the deletion of a guest stream. */
  erase(guest: Stream<'guest'>): Store {
    return this.#moved(guest.erase(), null);
  }

  /** The events of an append as the reapers' log records them; none for a guest stream. */
  recorded({ kind, on, events }: Append): readonly LogEvent[] {
    return kind === 'guest' ? [] : placed(`${kind}-${on.name}`, on.events.length, events, this.log.length);
  }

  /** The commands due for a reaper with this state. */
  due(view: ReapClaimsState, nowMs: number, limit: number): readonly ReapClaimsCommand[] {
    return this.#shared.due(view, nowMs, limit);
  }

  #moved(stream: AnyStream, append: Append | null): Store {
    let after = this.#after.get(stream.number);
    if (after === undefined) {
      const streams = replaced(this.streams, stream);
      const seen = append === null ? this : this.#shared.follow(this, this.recorded(append));
      after = this.#shared.same(keyOf(streams, seen), () => new Store(this.#shared, streams, seen));
      this.#after.set(stream.number, after);
    }
    return after;
  }
}

/** Shared by all stores of one search. */
class Shared {
  readonly numbers: Numbers;
  readonly #reaper: Reaper;
  readonly #deciders: Deciders;
  readonly #empty: { readonly [K in Kind]: Map<string, Stream<K>> } = {
    allotment: new Map(),
    booking: new Map(),
    guest: new Map(),
  };
  readonly #moments = new Map<string, Store>();
  readonly #commands = new Map<string, ReapClaimsCommand>();

  constructor({ reaper, deciders, snapshot }: Rules, numbers: Numbers) {
    const { allotment } = deciders;
    this.#reaper = reaper;
    this.#deciders = {
      ...deciders,
      allotment: { ...allotment, evolve: (state, event) => snapshot(allotment.evolve(state, event), state) },
    };
    this.numbers = numbers;
  }

  empty<K extends Kind>(kind: K, name: string): Stream<K> {
    const known: Map<string, Stream<K>> = this.#empty[kind];
    let stream = known.get(name);
    if (stream === undefined) {
      stream = Stream.empty(kind, name, this.#deciders[kind], this.numbers);
      known.set(name, stream);
    }
    return stream;
  }

  same(key: string, make: () => Store): Store {
    let store = this.#moments.get(key);
    if (store === undefined) {
      store = make();
      this.#moments.set(key, store);
    }
    return store;
  }

  /** Folds events into the reapers' state. */
  follow(before: Reaping, events: readonly LogEvent[]): Reaping {
    const log = [...before.log];
    let { view, dueEarly, dueLate } = before;
    for (const event of events) {
      log.push(event);
      view = this.#reaper.react(view, event);
      dueEarly = this.#collect(dueEarly, view, DEADLINE_MS - 1, log.length);
      dueLate = this.#collect(dueLate, view, DEADLINE_MS, log.length);
    }
    return { log, view, dueEarly, dueLate };
  }

  /** Equal commands are one object, so that a stream decides each of them once. */
  due(view: ReapClaimsState, nowMs: number, limit: number): readonly ReapClaimsCommand[] {
    return this.#reaper.due(view, nowMs, roomFor(limit)).map((command) => {
      const key = JSON.stringify(command);
      const known = this.#commands.get(key) ?? command;
      this.#commands.set(key, known);
      return known;
    });
  }

  #collect(owed: readonly DueCommand[], view: ReapClaimsState, nowMs: number, seen: number): readonly DueCommand[] {
    const more = this.due(view, nowMs, ALL).filter((command) => !owed.some((known) => known.command === command));
    return more.length === 0 ? owed : [...owed, ...more.map((command) => ({ command, seen }))];
  }
}

function replaced(streams: Streams, stream: AnyStream): Streams {
  switch (stream.kind) {
    case 'allotment':
      return { ...streams, allotment: new Map(streams.allotment).set(stream.name, stream) };
    case 'booking':
      return { ...streams, booking: new Map(streams.booking).set(stream.name, stream) };
    case 'guest':
      return { ...streams, guest: new Map(streams.guest).set(stream.name, stream) };
    default:
      return unreachable(stream);
  }
}

/** Everything that distinguishes two stores. Excludes positions, which only tell the order of the appends. */
function keyOf({ allotment, booking, guest }: Streams, { view, dueEarly, dueLate }: Reaping): string {
  const streams = [...allotment.values(), ...booking.values(), ...guest.values()].map(({ number }) => number);
  const open = [...view.entries()].map(([claim, item]) => JSON.stringify([claim, { ...item, position: null }]));
  const owed = [dueEarly, dueLate].map((list) => list.map(({ command }) => JSON.stringify(command)).sort());
  return JSON.stringify([streams.sort((a, b) => a - b), open.sort(), owed]);
}

function placed(
  stream: string,
  firstRevision: number,
  events: readonly (AllotmentEvent | BookingEvent)[],
  firstPosition: number,
): readonly LogEvent[] {
  return events.map((event, index) => {
    const revision = firstRevision + index;
    const position = (firstPosition + index) as Position;
    return { ...event, stream, revision, position, id: `${revision}@${stream}`, cause: CAUSE };
  });
}
