import { codec } from '../eventsourcing/codec.ts';
import { HOUR_MS } from '../eventsourcing/durations.ts';
import { type Position, START, storedPosition } from '../eventsourcing/message.ts';
import { CHECKPOINT_CATEGORY } from '../eventsourcing/process-manager.ts';
import type { Clock } from '../ports/clock.ts';
import { type EventStore, NO_STREAM } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';

/** This type is the storage format. `edition`: what the manager folds; left out: 1. */
type CheckpointEvent = {
  readonly type: 'CheckpointStored';
  readonly data: { readonly position: string; readonly edition?: number };
};
export const checkpointCodec = codec<CheckpointEvent>(CHECKPOINT_CATEGORY, { CheckpointStored: [] });

/** Only the last event of a checkpoint's stream is read. The others show an operator how it advanced. */
export const KEPT_CHECKPOINTS = { [CHECKPOINT_CATEGORY]: 20 };

/**
 * Maximum number of remembered positions. At the limit every second position is dropped, and from then on only every second
 * batch is remembered.
 */
const MAX_BOUNDARIES = 4_096;
/** Interval at which the checkpoint advances over events that the manager ignores, so that a restart skips them. */
const IDLE_MS = HOUR_MS;

/** A manager that folds more than in earlier releases. */
export type Extension = {
  /** Higher than in the release before; the first is 1. */
  readonly edition: number;
  /** Where its first start begins to fold, if that is before the checkpoint. */
  readonly from: () => Promise<Position>;
};

type Context = {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly startsOver?: () => Promise<boolean>;
  readonly extension?: Extension | undefined;
};

/**
 * The position before the oldest item that is open in a process manager; the start of the log if it has stored none.
 *
 * @throws RangeError for a position of another engine
 */
export async function lowWaterOf(name: string, { store }: Pick<Context, 'store'>): Promise<Position> {
  return (await storedCheckpoint(`${checkpointCodec.category}-${name}`, store))?.position ?? START;
}

/** Null if none is stored. `position` is null if an earlier version stored one that is no position. */
async function storedCheckpoint(stream: string, store: EventStore) {
  const last = await store.last(stream);
  if (last === null) return null;
  const { position: text, edition = 1 } = checkpointCodec.decode(last).data;
  const position = storedPosition(text, store.positions);
  const { kind } = await store.check({ position, lastEvent: null });
  return { revision: last.revision, text, position: kind === 'no-position' ? null : position, edition };
}

/**
 * The checkpoint of a process manager, stored in the event store (docs/decisions/0006): a position before the oldest item
 * that is still open, so that a restart folds that item again.
 */
export class LowWaterCheckpoint {
  position: Position = START;
  /** If the log is folded again for more than before: up to here it was folded for the rest. The start of the log: it is not. */
  rereadUpTo: Position = START;
  readonly #name: string;
  readonly #stream: string;
  readonly #context: Context;
  #revision = NO_STREAM;
  /** Of the stored checkpoint. */
  #edition = 1;
  /** Whether the manager folded an event or had an open item since the last store. If not, it stores hourly. */
  #changed = false;
  #lookedAtMs: number;
  /** Positions between batches, oldest first: the possible checkpoints. */
  #boundaries: Position[] = [];
  /** One of this many batches is remembered. */
  #stride = 1;
  #batches = 0;

  constructor(name: string, context: Context) {
    this.#name = name;
    this.#stream = `${checkpointCodec.category}-${name}`;
    this.#context = context;
    this.#lookedAtMs = context.clock.nowMs();
  }

  /** Loads the stored checkpoint, or stores the start of the log: so a crash leaves out nothing of what is lost. */
  async begin(): Promise<void> {
    const { startsOver, extension } = this.#context;
    await this.load();
    if (await startsOver?.()) await this.retreat(START);
    this.rereadUpTo = START;
    if (extension === undefined || this.#revision === NO_STREAM || this.#edition >= extension.edition) return;
    const from = await extension.from();
    if (from >= this.position) return;
    this.rereadUpTo = this.position;
    this.position = from;
  }

  async load(): Promise<void> {
    const { store, log } = this.#context;
    const stored = await storedCheckpoint(this.#stream, store);
    if (stored === null) return;
    const { revision, position, text, edition } = stored;
    this.#revision = revision;
    this.#edition = edition;
    // An earlier version could store a checkpoint that is not a position: then the log is folded from its start.
    if (position !== null) this.position = position;
    else
      log.warn('checkpoint is not a position: reading the log from its start', {
        manager: this.#name,
        position: text,
      });
  }

  /** Call it before folding a batch: everything up to `after` has been folded, and the batch holds `events` events. */
  noteBatch(after: Position, events: number): void {
    if (events > 0) this.#changed = true;
    if (this.#batches++ % this.#stride > 0) return;
    this.#boundaries.push(after);
    if (this.#boundaries.length <= MAX_BOUNDARIES) return;
    this.#boundaries = this.#boundaries.filter((_, at) => at % 2 === 0);
    this.#stride *= 2;
  }

  /** Stores the checkpoint if it has advanced. */
  async store(folded: Position, oldestOpen: Position | null): Promise<void> {
    const { clock } = this.#context;
    const position = this.#lowWater(folded, oldestOpen);
    const nowMs = clock.nowMs();
    if (!this.#changed && nowMs - this.#lookedAtMs < IDLE_MS) return;
    this.#changed = oldestOpen !== null;
    this.#lookedAtMs = nowMs;
    // Until the log is folded again that far, a crash folds it again from the same place.
    if (position > this.position && position >= this.rereadUpTo) await this.#append(position);
  }

  /** If another node has stored a checkpoint meanwhile, takes that one. */
  async #append(position: Position): Promise<void> {
    const { store, clock, ids, extension } = this.#context;
    const data = {
      position: store.positions.format(position),
      ...(extension !== undefined && { edition: extension.edition }),
    };
    const event = checkpointCodec.encode({ type: 'CheckpointStored', data });
    const at = new Date(clock.nowMs()).toISOString();
    const cause = { correlationId: ids.uuid(), causationId: null, by: this.#name, at };
    const outcome = await store.append(this.#stream, this.#revision, [{ id: ids.uuid(), ...event, cause }]);
    if (outcome.kind !== 'appended') {
      await this.load();
      // The last event may be another program's: it is not read, but counts as a revision.
      if (outcome.kind === 'wrong-revision') this.#revision = outcome.actual;
      return;
    }
    this.position = position;
    this.#revision = outcome.revision;
  }

  /** Stores an earlier checkpoint, so that the log is folded again from there, also after a crash. */
  async retreat(position: Position): Promise<void> {
    while (position < this.position) await this.#append(position);
    this.#boundaries = [];
    this.#stride = 1;
  }

  #lowWater(folded: Position, oldestOpen: Position | null): Position {
    if (oldestOpen === null) {
      this.#boundaries = [];
      this.#stride = 1;
      return folded;
    }
    const later = this.#boundaries.findIndex((boundary) => boundary >= oldestOpen);
    const kept = later < 0 ? this.#boundaries.length - 1 : later - 1;
    this.#boundaries = this.#boundaries.slice(Math.max(0, kept));
    if (this.#boundaries.length < MAX_BOUNDARIES / 4) this.#stride = Math.max(1, this.#stride / 2);
    return this.#boundaries[0] ?? this.position;
  }
}
