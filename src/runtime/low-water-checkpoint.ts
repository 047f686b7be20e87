import { codec } from '../eventsourcing/codec.ts';
import { HOUR_MS } from '../eventsourcing/durations.ts';
import { type Position, START, storedPosition } from '../eventsourcing/message.ts';
import { CHECKPOINT_CATEGORY } from '../eventsourcing/process-manager.ts';
import type { Clock } from '../ports/clock.ts';
import { type EventStore, NO_STREAM } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';

/** This type is the storage format. */
type CheckpointEvent = { readonly type: 'CheckpointStored'; readonly data: { readonly position: string } };
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

type Context = {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly startsOver?: () => Promise<boolean>;
};

/**
 * The checkpoint of a process manager, stored in the event store (docs/decisions/0006): a position before the oldest item
 * that is still open, so that a restart folds that item again.
 */
export class LowWaterCheckpoint {
  position: Position = START;
  readonly #name: string;
  readonly #stream: string;
  readonly #context: Context;
  #revision = NO_STREAM;
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
    await this.load();
    if (await this.#context.startsOver?.()) await this.retreat(START);
  }

  async load(): Promise<void> {
    const { store, log } = this.#context;
    const last = await store.last(this.#stream);
    if (last === null) return;
    this.#revision = last.revision;
    const stored = checkpointCodec.decode(last).data.position;
    const position = storedPosition(stored, store.positions);
    const { kind } = await store.check({ position, lastEvent: null });
    // An earlier version could store a checkpoint that is not a position: then the log is folded from its start.
    if (kind !== 'no-position') this.position = position;
    else
      log.warn('checkpoint is not a position: reading the log from its start', {
        manager: this.#name,
        position: stored,
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
    if (position > this.position) await this.#append(position);
  }

  /** If another node has stored a checkpoint meanwhile, takes that one. */
  async #append(position: Position): Promise<void> {
    const { store, clock, ids } = this.#context;
    const event = checkpointCodec.encode({
      type: 'CheckpointStored',
      data: { position: store.positions.format(position) },
    });
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
