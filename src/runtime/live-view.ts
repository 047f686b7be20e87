import type { Position } from '../eventsourcing/message.ts';
import { readerOf } from './parking.ts';
import { pause } from './running.ts';
import { View, type Viewed } from './view.ts';

/** After a retried event was applied, the view looks so often, and so many times, for the build with it. */
const RELOAD_LOOK_MS = 50;
const RELOAD_LOOKS = 200;

/**
 * A small read model in memory, kept current by the log's follower, so that the hot path looks up keys, devices and the
 * catalogue without a query (docs/decisions/0004).
 */
export type LiveView<Doc extends object> = {
  get(id: string): Doc | undefined;
  /** The document with this key among its `secondaryKeysOf`. */
  findBySecondaryKey(key: string): Doc | undefined;
  values(): Iterable<Doc>;
  /** The documents whose `groupOf` is this group. */
  inGroup(group: string): Iterable<Doc>;
  /** A number that changes with every change of a document whose `groupOf` is this group. */
  changesIn(group: string): number;
  /** True once the view has applied everything up to a position; false after `timeoutMs`, if given. */
  passed(position: Position, timeoutMs?: number): Promise<boolean>;
  stop(): Promise<void>;
};

/**
 * Loads the view from its read model. Resolves when the view has applied everything that the log held at the call. Stops
 * before an event of a newer release that is appended later.
 * @throws UnknownEvent if the log holds such an event already
 */
export async function openLiveView<Doc extends object>(opening: Viewed<Doc>): Promise<LiveView<Doc>> {
  const { parking, projection } = opening;
  let current = await openView(opening);
  const stopping = new AbortController();
  let reloading = Promise.resolve();
  const reload = async (): Promise<void> => {
    const before = current;
    const next = await openReplacement(before, opening, stopping.signal);
    if (next === null) return;
    next.view.countAfter(before.view);
    current = next;
    before.replaced();
    await before.stop();
  };
  const unlisten = parking?.onResumed(readerOf(projection), () => {
    reloading = reloading.then(reload);
  });
  return {
    get: (id) => current.view.get(id),
    findBySecondaryKey: (key) => current.view.findBySecondaryKey(key),
    values: () => current.view.values(),
    inGroup: (group) => current.view.inGroup(group),
    changesIn: (group) => current.view.changesIn(group),
    async passed(position, timeoutMs) {
      const waited = current;
      const passed = await Promise.race([waited.view.passed(position, timeoutMs), waited.whenReplaced]);
      return passed ?? current.view.passed(position, timeoutMs);
    },
    async stop() {
      unlisten?.();
      stopping.abort();
      await reloading;
      await current.stop();
    },
  };
}

type OpenView<Doc extends object> = {
  readonly view: View<Doc>;
  readonly whenReplaced: Promise<void>;
  readonly replaced: () => void;
  stop(): Promise<void>;
};

/** @throws UnknownEvent if the log holds such an event already */
async function openView<Doc extends object>(opening: Viewed<Doc>): Promise<OpenView<Doc>> {
  const view = new View(opening);
  await view.load();
  const running = view.follow();
  running.catch(() => {});
  await Promise.race([view.passed(await opening.store.head()), running]);
  const { promise: whenReplaced, resolve: replaced } = Promise.withResolvers<void>();
  return {
    view,
    whenReplaced,
    replaced,
    async stop() {
      view.stopping.abort();
      await running.catch(() => {});
    },
  };
}

/** Loads the view from the build that a rebuild has made. Null at the stop, or if no other build serves. */
async function openReplacement<Doc extends object>(
  { view }: OpenView<Doc>,
  opening: Viewed<Doc>,
  stopping: AbortSignal,
): Promise<OpenView<Doc> | null> {
  const { collection, projection, log } = opening;
  for (let looks = 0; looks < RELOAD_LOOKS && !stopping.aborted; looks++) {
    try {
      // A node caches for a moment which build serves.
      if ((await collection()) !== view.collection) return await openView(opening);
    } catch (fault) {
      log.error('live view not loaded again', { projection: projection.name, fault });
    }
    await pause(RELOAD_LOOK_MS, stopping);
  }
  return null;
}
