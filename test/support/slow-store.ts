import type { EventStore } from '../../src/ports/event-store.ts';

/** An event store that delays some appends until a test releases them. */
export type SlowStore = {
  /** Delays later appends that begin with an event of these types, and releases the others. */
  hold(...types: readonly string[]): void;
  /** Releases all appends and delays none. */
  release(): void;
  /** Drops waiting appends and later ones of these types, as if the process died. */
  lose(): void;
  /** Resolves once an append that begins with this type waits. */
  waiting(type: string): Promise<void>;
};

type Held = { readonly type: string; readonly go: () => void; readonly fail: (fault: Error) => void };

/** Makes the store of a running service slow, until the service restarts. */
export function slowStore(store: EventStore): SlowStore {
  const append = store.append.bind(store);
  let types: readonly string[] = [];
  let lost = false;
  const held = new Set<Held>();
  const expecting = new Set<() => void>();
  store.append = async (stream, expectedRevision, events) => {
    const type = typeOf(events[0]?.type ?? '');
    if (types.includes(type)) {
      if (lost) throw new Error('the append was lost');
      await new Promise<void>((go, fail) => {
        held.add({ type, go, fail });
        for (const look of expecting) look();
      });
    }
    return append(stream, expectedRevision, events);
  };
  const hold = (...wanted: readonly string[]): void => {
    types = wanted;
    for (const waits of held) {
      if (types.includes(waits.type)) continue;
      held.delete(waits);
      waits.go();
    }
  };
  return {
    hold,
    release: () => hold(),
    lose() {
      lost = true;
      for (const { fail } of held) fail(new Error('the append was lost'));
      held.clear();
    },
    waiting: (type) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (![...held].some((each) => each.type === type)) return;
          expecting.delete(look);
          resolve();
        };
        expecting.add(look);
        look();
      }),
  };
}

/** `BookingStarted` of `BookingStarted.v1`. */
function typeOf(stored: string): string {
  return stored.replace(/\.v\d+$/, '');
}
