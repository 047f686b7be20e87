import type { AllotmentEvent } from '../../../src/domain/allotment/allotment.ts';
import type { BookingEvent } from '../../../src/domain/booking/booking.ts';
import type { ReaperCommand, ReaperState } from '../../../src/domain/booking/claim-reaper.ts';
import type { Position, Recorded } from '../../../src/eventsourcing/message.ts';
import type { ProcessManager } from '../../../src/eventsourcing/process-manager.ts';
import type { Numbers, Stream } from './stream.ts';
import { DEADLINE_MS } from './wish.ts';

export type LogEvent = Recorded<AllotmentEvent | BookingEvent>;
export type Reaper = ProcessManager<ReaperState, AllotmentEvent | BookingEvent, ReaperCommand>;

/** A command that a reaper may send, and how much of the log one must have seen to owe it. */
export type Owed = { readonly command: ReaperCommand; readonly seen: number };

const BEFORE_MS = DEADLINE_MS - 1;
const ALL = 1_000;
const CAUSE = { correlationId: 'search', causationId: null, by: 'search', at: '2026-01-01T00:00:00.000Z' };

/**
 * The log of all allotments and bookings at one moment, in log order: what the reapers see. The same log is always the
 * same object.
 */
export class Log {
  readonly number: number;
  readonly events: readonly LogEvent[];
  readonly allotments: ReadonlyMap<string, Stream<'allotment'>>;
  readonly bookings: ReadonlyMap<string, Stream<'booking'>>;
  /** The view of a reaper that has seen all of it and was never told that a guest was erased. */
  readonly view: ReaperState;
  /** All that is owed before the claims' deadline by some reaper, whatever part of the log it has seen; and after it. */
  readonly owedBefore: readonly Owed[];
  readonly owedAfter: readonly Owed[];
  readonly #shared: Shared;
  readonly #after = new Map<number, Log>();

  private constructor(shared: Shared, before: Log | null, streams: Pick<Log, 'allotments' | 'bookings'>, events: readonly LogEvent[]) {
    this.#shared = shared;
    this.number = shared.numbers();
    this.allotments = streams.allotments;
    this.bookings = streams.bookings;
    this.events = before === null ? events : [...before.events, ...events];
    let view = before === null ? shared.reaper.initial : before.view;
    const owedBefore = [...(before?.owedBefore ?? [])];
    const owedAfter = [...(before?.owedAfter ?? [])];
    let seen = before?.events.length ?? 0;
    for (const event of events) {
      view = shared.reaper.react(view, event);
      seen += 1;
      shared.owe(owedBefore, view, BEFORE_MS, seen);
      shared.owe(owedAfter, view, DEADLINE_MS, seen);
    }
    this.view = view;
    this.owedBefore = owedBefore;
    this.owedAfter = owedAfter;
  }

  static empty(
    reaper: Reaper,
    numbers: Numbers,
    streams: Pick<Log, 'allotments' | 'bookings'>,
  ): Log {
    return new Log(new Shared(reaper, numbers), null, streams, []);
  }

  /** The log after one of its streams has come to a further moment. */
  with(stream: Stream<'allotment'> | Stream<'booking'>): Log {
    let after = this.#after.get(stream.number);
    if (after === undefined) {
      const { allotments, bookings } = this;
      const streams =
        stream.kind === 'allotment'
          ? { allotments: new Map(allotments).set(stream.name, stream), bookings }
          : { allotments, bookings: new Map(bookings).set(stream.name, stream) };
      after = new Log(this.#shared, this, streams, recorded(stream, this.events.length));
      this.#after.set(stream.number, after);
    }
    return after;
  }
}

/** What all moments of a search's log have in common. */
class Shared {
  readonly reaper: Reaper;
  readonly numbers: Numbers;
  readonly #commands = new Map<string, ReaperCommand>();

  constructor(reaper: Reaper, numbers: Numbers) {
    this.reaper = reaper;
    this.numbers = numbers;
  }

  owe(owed: Owed[], view: ReaperState, nowMs: number, seen: number): void {
    for (const due of this.reaper.due(view, nowMs, ALL)) {
      const command = this.#same(due);
      if (!owed.some((known) => known.command === command)) owed.push({ command, seen });
    }
  }

  #same(command: ReaperCommand): ReaperCommand {
    const key = JSON.stringify(command);
    const known = this.#commands.get(key) ?? command;
    this.#commands.set(key, known);
    return known;
  }
}

function recorded(stream: Stream<'allotment'> | Stream<'booking'>, from: number): LogEvent[] {
  const name = `${stream.kind}-${stream.name}`;
  const first = stream.revision - stream.appended.length + 1;
  return stream.appended.map((event, index) => ({
    ...event,
    stream: name,
    revision: first + index,
    position: String(from + index).padStart(4, '0') as Position,
    id: `${name}@${first + index}`,
    cause: CAUSE,
  }));
}
