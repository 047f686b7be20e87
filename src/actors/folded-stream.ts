import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DomainEvent, Recorded } from '../eventsourcing/message.ts';
import { type AppendOutcome, type DecodedRead, type NewEvent, NO_STREAM } from '../ports/event-store.ts';
import type { LoadedState } from './snapshots.ts';
import type { EntityContext, EntityKind } from './stream-handler.ts';

/** Events per read. A stream that fits into one page needs no snapshot. */
const PAGE_EVENTS = 500;
/** A stream is saved after at least so many events … */
const SAVE_EVERY = 1_000;
/** … and one for each of so many characters of its last snapshot, so that a large state costs no more per event. */
const LENGTH_PER_EVENT = 64;

/**
 * The state of a stream, folded page by page. What was folded stays if a read or an append fails. A long stream begins with
 * its snapshot, if the stream still has the event that the snapshot names (docs/decisions/0061).
 */
export class FoldedStream<C, S, E extends DomainEvent, R> {
  state: S;
  /** Of the last event in the state; events of other programs may follow and are counted. */
  revision = NO_STREAM;
  phase: 'unread' | 'read' | 'erased' = 'unread';
  restarts = 0;
  readonly #stream: string;
  readonly #kind: EntityKind<C, S, E, R>;
  readonly #context: EntityContext;
  #last: { readonly revision: number; readonly eventId: string } | null = null;
  /** Events in the state and not in the snapshot. */
  #unsaved = 0;
  #saveAfter = SAVE_EVERY;
  #storeFault: unknown;

  constructor(stream: string, kind: EntityKind<C, S, E, R>, context: EntityContext) {
    this.#stream = stream;
    this.#kind = kind;
    this.#context = context;
    this.state = kind.decider.initial;
  }

  /** The stream is read again before the next answer. Drops the state after any fault but one of the store. */
  restart(fault: unknown): void {
    this.restarts++;
    this.phase = 'unread';
    if (fault === undefined || fault === this.#storeFault) return;
    this.state = this.#kind.decider.initial;
    this.revision = NO_STREAM;
    this.#last = null;
    this.#unsaved = 0;
  }

  /** Folds the events that follow. */
  async catchUp(): Promise<void> {
    let snapshot: LoadedState<S> | null = null;
    for (;;) {
      const { restarts } = this;
      const isFirst = this.revision === NO_STREAM && snapshot === null;
      const from: number = snapshot?.revision ?? this.revision + 1;
      const read = await this.#ofStore(this.#context.store.read(this.#stream, from, PAGE_EVENTS));
      if (read.kind === 'erased') {
        this.phase = 'erased';
        return;
      }
      if (read.kind === 'events' && (snapshot === null || this.#begins(snapshot, read))) this.#fold(read);
      const isLast = read.kind === 'no-stream' || read.events.length < PAGE_EVENTS;
      const wasUsed = snapshot === null || snapshot.revision <= this.revision;
      snapshot = null;
      // After a restart, an event may follow that this read did not find.
      if (isLast && wasUsed && restarts === this.restarts) break;
      if (isFirst && !isLast) snapshot = await this.#snapshot();
      await nextTurn();
    }
    this.phase = 'read';
    this.#saveIfDue();
  }

  async append(events: readonly NewEvent[]): Promise<AppendOutcome> {
    return this.#ofStore(this.#context.store.append(this.#stream, this.revision, events));
  }

  /** Takes the state after these events, which `append` stored. */
  appended(state: S, revision: number, events: readonly NewEvent[]): void {
    this.state = state;
    this.revision = revision;
    this.#note(revision, events.at(-1)?.id, events.length);
    this.#saveIfDue();
  }

  async #ofStore<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (fault) {
      this.#storeFault = fault;
      throw fault;
    }
  }

  /** The snapshot, if it spares more than a page. */
  async #snapshot(): Promise<LoadedState<S> | null> {
    const { snapshots } = this.#context;
    const { form } = this.#kind;
    if (snapshots === undefined || form === undefined) return null;
    const loaded = await snapshots.load(this.#stream, form);
    return loaded !== null && loaded.revision > this.revision ? loaded : null;
  }

  /** Takes the state of the snapshot if the read begins with the event that it names. */
  #begins({ state, revision, eventId, length, snapshot }: LoadedState<S>, { events }: Page): boolean {
    const [first] = events;
    if (first?.revision !== revision || first.id !== eventId) {
      this.#context.snapshots?.discard(snapshot, 'the stream has another event at its revision, or none');
      return false;
    }
    this.state = state;
    this.revision = revision;
    this.#unsaved = 0;
    this.#spaceSaves(length);
    return true;
  }

  #fold({ decoded, upTo }: Page): void {
    const { decider } = this.#kind;
    // A stream has only events of its own category. The first one may be in the snapshot.
    const events = (decoded as readonly Recorded<E>[]).filter(({ revision }) => revision > this.revision);
    let { state } = this;
    for (const event of events) state = decider.evolve(state, event);
    this.state = state;
    this.revision = upTo;
    const last = decoded.at(-1);
    if (last !== undefined) this.#note(last.revision, last.id, events.length);
  }

  #note(revision: number, eventId: string | undefined, events: number): void {
    this.#last = eventId === undefined ? this.#last : { revision, eventId };
    this.#unsaved += events;
  }

  #saveIfDue(): void {
    const { snapshots } = this.#context;
    const { form } = this.#kind;
    if (this.#unsaved < this.#saveAfter || form === undefined || snapshots === undefined || this.#last === null) return;
    this.#unsaved = 0;
    const after = { state: this.state, ...this.#last };
    snapshots.save(this.#stream, form, after, (length) => this.#spaceSaves(length));
  }

  #spaceSaves(length: number): void {
    this.#saveAfter = Math.max(SAVE_EVERY, length / LENGTH_PER_EVENT);
  }
}

type Page = Extract<DecodedRead, { kind: 'events' }>;
