import type { Unavailable } from '../../../src/actors/actor.ts';
import { type EntityReply, type StreamHandler, streamHandler } from '../../../src/actors/entity.ts';
import type { KnownState } from '../../../src/actors/stream-handler.ts';
import { type ActorSystem, createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { codec, type DecodeEvent } from '../../../src/eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../../src/eventsourcing/decider.ts';
import type { Cause } from '../../../src/eventsourcing/message.ts';
import type { DecodedEventStore, EventStore, NewEvent, StoredEvent } from '../../../src/ports/event-store.ts';
import { decodedStore } from '../../../src/runtime/decoded-store.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { ScriptedEventStore } from '../../support/scripted-event-store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { QUIET } from './scripted-behavior.ts';

/** Adds up to `LIMIT`; the same command counts once. */
export type Add = { readonly command: string; readonly amount: number };
export type Added = { readonly type: 'Added'; readonly data: Add };
export type Total = { readonly total: number; readonly commands: readonly string[] };
export type TooMuch = { readonly code: 'TOO_MUCH'; readonly room: number };

export const LIMIT = 10;

export const tallyDecider: Decider<Add, Total, Added, TooMuch> = {
  initial: { total: 0, commands: [] },
  decide(add, { total, commands }) {
    if (commands.includes(add.command)) return accept();
    if (Number.isNaN(add.amount)) throw new Error('not a number');
    return total + add.amount > LIMIT ? reject({ code: 'TOO_MUCH', room: LIMIT - total }) : accept(added(add));
  },
  evolve: ({ total, commands }, { data }) => ({ total: total + data.amount, commands: [...commands, data.command] }),
};

export const tallyCodec = codec<Added>('tally', { Added: [] });

/** The store as an entity reads it. */
export function decodedTallies(store: EventStore): DecodedEventStore {
  const decode: DecodeEvent = (stored) => ({ ...stored, ...tallyCodec.decode(stored) });
  return decodedStore(store, { decode, unknownEvents: { note: () => {} } });
}

export function added(add: Add): Added {
  return { type: 'Added', data: add };
}

export type TallyReply = EntityReply<Total, Added, TooMuch> | Unavailable;

export type TallyScene = Disposable & {
  /** The real store, as another node sees it. */
  readonly store: EventStore;
  readonly tallies: StreamHandler<Add, Total, Added, TooMuch>;
  readonly system: ActorSystem;
  /** The clock of the deadlines; each ask has one minute. */
  readonly clock: MovedClock;
  /** Adds an amount to the tally `1`, with this command id. */
  readonly add: (
    command: string,
    amount: number,
    options?: { readonly known?: KnownState<Total> | null; readonly cause?: Cause },
  ) => Promise<TallyReply>;
  readonly read: () => Promise<TallyReply>;
  /** Another node appends to the tally `1`, at the current revision. */
  readonly elsewhere: (command: string, amount: number) => Promise<void>;
  /** The stored events of the tally `1`. */
  readonly stored: () => Promise<readonly StoredEvent[]>;
};

/** Tallies on a new store. */
export function tallies(maxBatch = 1): TallyScene {
  return sceneOn((real) => real, maxBatch);
}

/** Tallies on a scripted store; another node writes to the real store behind it. */
export function scriptedTallies(maxBatch = 1, exclusive = false): TallyScene & { readonly script: ScriptedEventStore } {
  let script: ScriptedEventStore | undefined;
  const scene = sceneOn((real) => (script = new ScriptedEventStore(real, exclusive)), maxBatch);
  if (script === undefined) throw new Error('the scene has no store');
  return Object.assign(scene, { script });
}

/** The same on a store whose only writer is this node, and on one that others write too. */
export function onBoth(work: (scene: TallyScene) => Promise<void>, maxBatch = 1): () => Promise<void> {
  return async () => {
    for (const open of [tallies, scriptedTallies]) {
      using scene = open(maxBatch);
      await work(scene);
    }
  };
}

function sceneOn(between: (real: EventStore) => EventStore, maxBatch: number): TallyScene {
  const directory = temporaryDirectory();
  const store = openEventStore(directory.file('events.db'));
  const clock = movedClock();
  const system = createActorSystem({ clock, log: collectedLog(), limits: QUIET });
  const context = { store: decodedTallies(between(store)), ids: seededIds(), system };
  const kind = { decider: tallyDecider, codec: tallyCodec, maxBatch };
  const all = streamHandler(kind, context);
  const others = seededIds(2);
  const deadlineMs = clock.nowMs() + 60_000;
  return {
    store,
    tallies: all,
    system,
    clock,
    add: (command, amount, { known = null, cause = SOME_CAUSE } = {}) =>
      all.handle('1', { command, amount }, cause, deadlineMs, { known }),
    read: () => all.read('1', deadlineMs),
    async elsewhere(command, amount) {
      const last = await store.last('tally-1');
      const event: NewEvent = {
        id: others.uuid(),
        ...tallyCodec.encode(added({ command, amount })),
        cause: SOME_CAUSE,
      };
      await store.append('tally-1', last?.revision ?? -1, [event]);
    },
    async stored() {
      const read = await store.read('tally-1');
      return read.kind === 'events' ? read.events : [];
    },
    [Symbol.dispose]() {
      void system.drain();
      void store.close();
      directory.remove();
    },
  };
}
