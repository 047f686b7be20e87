import { codec } from '../eventsourcing/codec.ts';
import { type Position, START } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import { type EventStore, NO_STREAM } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';

/** This type is the storage format. */
type CheckpointEvent = { readonly type: 'CheckpointStored'; readonly data: { readonly position: Position } };
export const checkpointCodec = codec<CheckpointEvent>('checkpoint', { CheckpointStored: [] });

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
  /** Positions between batches, oldest first: the places a checkpoint can be set at. */
  #boundaries: Position[] = [];

  constructor(name: string, context: Context) {
    this.#name = name;
    this.#stream = `${checkpointCodec.category}-${name}`;
    this.#context = context;
  }

  async load(): Promise<void> {
    const last = await this.#context.store.last(this.#stream);
    if (last === null) return;
    this.position = checkpointCodec.decode(last).data.position;
    this.#revision = last.revision;
  }

  /** Everything up to here has been folded, and the next batch begins after it. */
  noteBoundary(position: Position): void {
    this.#boundaries.push(position);
  }

  /** Stores how far a restart need not read again, where that is further than before. */
  async store(folded: Position, oldestOpen: Position | null): Promise<void> {
    const position = this.#lowWater(folded, oldestOpen);
    if (position <= this.position) return;
    const { store, clock, ids } = this.#context;
    const event = checkpointCodec.encode({ type: 'CheckpointStored', data: { position } });
    const at = new Date(clock.nowMs()).toISOString();
    const cause = { correlationId: ids.uuid(), causationId: null, by: this.#name, at };
    const outcome = await store.append(this.#stream, this.#revision, [{ id: ids.uuid(), ...event, cause }]);
    if (outcome.kind !== 'appended') return this.load();
    this.position = position;
    this.#revision = outcome.revision;
  }

  #lowWater(folded: Position, oldestOpen: Position | null): Position {
    if (oldestOpen === null) {
      this.#boundaries = [];
      return folded;
    }
    const later = this.#boundaries.findIndex((boundary) => boundary >= oldestOpen);
    const kept = later < 0 ? this.#boundaries.length - 1 : later - 1;
    this.#boundaries = this.#boundaries.slice(Math.max(0, kept));
    return this.#boundaries[0] ?? this.position;
  }
}
