import type { Streams } from '../application/streams.ts';
import { type ParkingCommand, type ParkingEvent, parkingCodec, parkingDecider } from '../domain/parking/parking.ts';
import { type Recorded, streamId } from '../eventsourcing/message.ts';
import { MAX_PARKED, type ParkedItem, type ParkedItems } from '../eventsourcing/parked.ts';
import type { Clock } from '../ports/clock.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { IGNORED, type Parking } from '../runtime/parking.ts';
import { Progress } from '../runtime/progress.ts';
import type { Running } from '../runtime/running.ts';

const DECISION_MS = 10_000;

/** Undecided items, and the readers that stopped because they have too many. */
export type ParkedOnNode = {
  /** Items that are parked, or retried and not read again yet. */
  readonly items: readonly (ParkedItem & { readonly reader: string })[];
  /** Why a reader of this node stopped, by its name. */
  readonly full: ReadonlyMap<string, string>;
};

export type NodeParking = Parking &
  Running & {
    /** What the readers of this node left out. */
    onNode(): ParkedOnNode;
    /** Calls back with the item when an operator retries one of a reader, on any node. */
    onRetry(reader: string, listener: (item: ParkedItem) => void): () => void;
    /** Calls back when a retried item of a reader was read again, on any node. */
    onResumed(reader: string, listener: () => void): () => void;
  };

type Context = {
  readonly store: FollowedFeed;
  readonly streams: Pick<Streams, 'parkings'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

type Known = { readonly items: ParkedItems; readonly revision: number };

/** Keeps the parked items of the readers of this node, and follows what other nodes record of the same readers. */
export async function openParking(context: Context): Promise<NodeParking> {
  const parking = new ReadersParking(context);
  await parking.follow();
  return parking;
}

class ReadersParking implements NodeParking {
  readonly #context: Context;
  readonly #known = new Map<string, Known>();
  readonly #full = new Map<string, string>();
  readonly #retries = new Map<string, Set<(item: ParkedItem) => void>>();
  readonly #resumptions = new Map<string, Set<() => void>>();
  readonly #stopping = new AbortController();
  #following: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Resolves once later changes are followed. */
  async follow(): Promise<void> {
    const { store, log } = this.#context;
    this.#following = store.follower
      .follow({
        reader: 'parked items',
        categories: [parkingCodec.category],
        progress: new Progress(await store.head()),
        leftOut: IGNORED,
        // A reader of this category has only its events.
        apply: ({ events }) => {
          for (const event of events as readonly Recorded<ParkingEvent>[]) this.#apply(event);
        },
        log,
        signal: this.#stopping.signal,
      })
      // An event of a newer release is noted by the follower.
      .catch(() => {});
  }

  async load(reader: string): Promise<ParkedItems> {
    const { streams, clock } = this.#context;
    const reply = await streams.parkings.read(reader, clock.nowMs() + DECISION_MS);
    if (reply.kind !== 'state') throw notReached(`the parked items of ${reader} were not read: ${reply.kind}`);
    const { state: items, revision } = reply;
    this.#know(reader, { items, revision });
    return items;
  }

  async park(reader: string, leftOut: Parameters<Parking['park']>[1]): Promise<'parked' | 'full'> {
    const reply = await this.#handle(reader, { type: 'Park', leftOut, at: this.#now() });
    if (reply.kind !== 'rejected') return 'parked';
    this.#full.set(reader, `${MAX_PARKED} parked items wait for an operator, and another one failed: ${leftOut.fault}`);
    return 'full';
  }

  async resumed(reader: string, item: string): Promise<void> {
    await this.#handle(reader, { type: 'Resume', item, at: this.#now() });
  }

  onNode(): ParkedOnNode {
    const items = [...this.#known].flatMap(([reader, known]) => undecided(known.items, reader));
    return { items, full: this.#full };
  }

  onRetry(reader: string, listener: (item: ParkedItem) => void): () => void {
    return listen(this.#retries, reader, listener);
  }

  onResumed(reader: string, listener: () => void): () => void {
    return listen(this.#resumptions, reader, listener);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  async #handle(reader: string, command: ParkingCommand) {
    const { streams, clock, ids } = this.#context;
    const cause = { correlationId: ids.uuid(), causationId: null, by: reader, at: command.at };
    const reply = await streams.parkings.handle(reader, command, cause, clock.nowMs() + DECISION_MS);
    if (reply.kind !== 'accepted' && reply.kind !== 'rejected')
      throw notReached(`${command.type} of ${reader} was not recorded: ${reply.kind}`);
    this.#know(reader, { items: reply.state, revision: reply.revision });
    return reply;
  }

  #apply(event: Recorded<ParkingEvent>): void {
    const reader = streamId(event.stream);
    const known = this.#known.get(reader);
    if (known === undefined) return;
    if (event.revision > known.revision)
      this.#know(reader, { items: parkingDecider.evolve(known.items, event), revision: event.revision });
    if (event.type === 'ParkedRetried') {
      const item = this.#known.get(reader)?.items.get(event.data.item) ?? known.items.get(event.data.item);
      if (item !== undefined) for (const listener of this.#retries.get(reader) ?? []) listener(item);
    }
    if (event.type === 'ParkedResumed') for (const listener of this.#resumptions.get(reader) ?? []) listener();
  }

  #know(reader: string, known: Known): void {
    const before = this.#known.get(reader);
    if (before !== undefined && before.revision > known.revision) return;
    this.#known.set(reader, known);
    if (undecided(known.items, reader).length < MAX_PARKED) this.#full.delete(reader);
  }

  #now(): string {
    return new Date(this.#context.clock.nowMs()).toISOString();
  }
}

function undecided(items: ParkedItems, reader: string): (ParkedItem & { readonly reader: string })[] {
  return [...items.values()].filter(({ status }) => status !== 'skipped').map((item) => ({ ...item, reader }));
}

function listen<Listener>(listeners: Map<string, Set<Listener>>, reader: string, listener: Listener): () => void {
  const all = listeners.get(reader) ?? new Set();
  listeners.set(reader, all.add(listener));
  return () => all.delete(listener);
}

function notReached(message: string): StoreUnavailable {
  return new StoreUnavailable('event store', message);
}
