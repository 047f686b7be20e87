import type { UnreadEvents } from '../application/unread-events.ts';
import type { Config } from '../config.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { HttpContext } from '../http/context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { operationsOf } from './operations.ts';
import { versionGraceMs } from './projection-versions.ts';
import { projectHere } from './projector.ts';
import { projectInThread } from './remote-projector.ts';
import type { EmbeddedStores } from './stores.ts';

/** The projections as the rest of a node needs them, wherever they run. */
export type Projections = {
  /** The collection that queries of a projection read now. */
  collection(name: string): Promise<string>;
  /** True once the projection has applied everything up to a position; false when it has not within `timeoutMs`. */
  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  /** True once every projection has applied what the log held at the start. */
  caughtUpOnce(): boolean;
  readonly operations: HttpContext['operations'];
  stop(): Promise<void>;
};

type Context = { readonly clock: Clock; readonly log: Log; readonly unread: Pick<UnreadEvents, 'note'> };

/** Those that this process runs itself; `storing` is false while their disk refuses what they write. */
export type OwnProjections = Projections & { storing(): boolean };

/** Runs the projections in this process, as the only one that does. */
export async function openProjections(
  stores: EmbeddedStores,
  config: Pick<Config, 'projectorThread' | 'logLevel' | 'projectionVersionDays'>,
  { clock, log, unread }: Context,
): Promise<OwnProjections> {
  const graceMs = versionGraceMs(config);
  const projector = config.projectorThread
    ? await projectInThread(stores, { logLevel: config.logLevel, graceMs }, { unread, log })
    : await projectHere(stores, { clock, log, graceMs });
  return {
    collection: (name) => Promise.resolve(projector.collection(name)),
    waitFor: (name, position, timeoutMs) => projector.waitFor(name, position, timeoutMs),
    caughtUpOnce: () => projector.caughtUpOnce(),
    storing: () => projector.storing(),
    operations: operationsOf(projector, log),
    stop: () => projector.stop(),
  };
}
