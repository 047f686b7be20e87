import { codec } from '../eventsourcing/codec.ts';
import { type Position, START } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import { type EventStore, NO_STREAM } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';

/** This type is the storage format. */
type CheckpointEvent = { readonly type: 'CheckpointStored'; readonly data: { readonly position: Position } };
export const checkpointCodec = codec<CheckpointEvent>('checkpoint', { CheckpointStored: [] });

/** More places than this are not remembered: every second one is forgotten then, and from there on as many are passed over. */
const MOST_BOUNDARIES = 4_096;
/** How often the checkpoint moves on over events of others alone, so that a restart need not read them again. */
const IDLE_MS = 3_600_000;

type Context = { readonly store: EventStore; readonly clock: Clock; readonly ids: Ids };

/**
 * The checkpoint of a process manager, kept in the event store itself (docs/decisions/0006): a place before the oldest
 * item that is still open, so that a restart folds that item again.
 */
export class LowWaterCheckpoint {
  position: Position = START;
  readonly #name: string;
  readonly #stream: string;
  readonly #context: Context;
  #revision = NO_STREAM;
  /** Whether something of its own was folded, or was open, since the last store: checkpoints themselves move the log, too. */
  #news = false;
  #lookedAtMs: number;
  /** Positions between batches, oldest first: the places a checkpoint can be set at. */
  #boundaries: Position[] = [];
  /** Of so many batches one is remembered. */
  #stride = 1;
  #batches = 0;

  constructor(name: string, context: Context) {
    this.#name = name;
    this.#stream = `${checkpointCodec.category}-${name}`;
    this.#context = context;
    this.#lookedAtMs = context.clock.nowMs();
  }

  async load(): Promise<void> {
    const last = await this.#context.store.last(this.#stream);
    if (last === null) return;
    this.position = checkpointCodec.decode(last).data.position;
    this.#revision = last.revision;
  }

  /** A batch of so many events follows on this position, up to which everything has been folded. */
  noteBatch(after: Position, events: number): void {
    if (events > 0) this.#news = true;
    if (this.#batches++ % this.#stride > 0) return;
    this.#boundaries.push(after);
    if (this.#boundaries.length <= MOST_BOUNDARIES) return;
    this.#boundaries = this.#boundaries.filter((_, at) => at % 2 === 0);
    this.#stride *= 2;
  }

  /** Stores how far a restart need not read again, where that is further than before. */
  async store(folded: Position, oldestOpen: Position | null): Promise<void> {
    const { store, clock, ids } = this.#context;
    const position = this.#lowWater(folded, oldestOpen);
    const nowMs = clock.nowMs();
    if (!this.#news && nowMs - this.#lookedAtMs < IDLE_MS) return;
    this.#news = oldestOpen !== null;
    this.#lookedAtMs = nowMs;
    if (position <= this.position) return;
    const event = checkpointCodec.encode({ type: 'CheckpointStored', data: { position } });
    const at = new Date(nowMs).toISOString();
    const cause = { correlationId: ids.uuid(), causationId: null, by: this.#name, at };
    const outcome = await store.append(this.#stream, this.#revision, [{ id: ids.uuid(), ...event, cause }]);
    if (outcome.kind !== 'appended') return this.load();
    this.position = position;
    this.#revision = outcome.revision;
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
    if (this.#boundaries.length < MOST_BOUNDARIES / 4) this.#stride = Math.max(1, this.#stride / 2);
    return this.#boundaries[0] ?? this.position;
  }
}
