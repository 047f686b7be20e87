import { PROJECTIONS } from '../../projections/index.ts';
import { openProjector, outcomeOf, type ProjectionStatus, type Projector } from '../../projections/projector.ts';
import { openEventReader } from '../adapters/sqlite/event-reader.ts';
import { openReadModelStore } from '../adapters/sqlite/read-model-store.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemLog } from '../adapters/system/log.ts';
import { readableFeed } from '../application/unread-events.ts';
import type { RebuildOutcome } from '../domain/rebuild/rebuild.ts';
import type { UnknownEvent } from '../eventsourcing/codec.ts';
import type { Position } from '../eventsourcing/message.ts';
import { showVersions } from './projection-versions.ts';

declare const self: Worker;

/** What the node's main thread sends. */
export type ToThread =
  | {
      readonly kind: 'open';
      readonly events: string;
      readonly readModels: string;
      readonly logLevel: string;
      /** Collections of versions that were not in use for so long are dropped. */
      readonly graceMs: number;
    }
  | { readonly kind: 'rebuild'; readonly name: string }
  | { readonly kind: 'stop' };

/** A projection as the thread knows it; the log's end is the main thread's knowledge. */
export type Advanced = Omit<ProjectionStatus, 'head' | 'caughtUp'>;

/** What it is told. */
export type FromThread =
  /** `head` is the position of the log's last event. */
  | { readonly kind: 'opened'; readonly projections: readonly Advanced[]; readonly head: Position }
  | { readonly kind: 'advanced'; readonly projection: Advanced }
  | { readonly kind: 'rebuilt'; readonly name: string; readonly outcome: RebuildOutcome }
  | { readonly kind: 'unread'; readonly category: string; readonly type: string }
  /** Told when it changes. */
  | { readonly kind: 'storing'; readonly storing: boolean }
  | { readonly kind: 'stopped' };

/** How often it is looked whether the disk takes what is written. */
const LOOK_MS = 1_000;

let projector: Projector | undefined;
let close = async (): Promise<void> => {};

self.addEventListener('message', ({ data }: MessageEvent<ToThread>) => {
  void handle(data);
});

async function handle(message: ToThread): Promise<void> {
  switch (message.kind) {
    case 'open':
      return open(message);
    case 'rebuild':
      return rebuild(message.name);
    default:
      await projector?.stop();
      await close();
      return tell({ kind: 'stopped' });
  }
}

async function open(message: Extract<ToThread, { kind: 'open' }>): Promise<void> {
  const { events, readModels: documents, logLevel, graceMs } = message;
  const reader = openEventReader(events);
  const note = ({ category, type }: UnknownEvent): void => tell({ kind: 'unread', category, type });
  const store = readableFeed(reader, { note });
  const readModels = openReadModelStore(documents);
  const log = systemLog(logLevel);
  const versions = await showVersions({ readModels, clock: systemClock, log, graceMs });
  let storing = true;
  const looking = setInterval(() => {
    if (readModels.writable() === storing) return;
    storing = !storing;
    tell({ kind: 'storing', storing });
  }, LOOK_MS);
  close = async () => {
    clearInterval(looking);
    await versions.stop();
    reader.close();
    await readModels.close();
  };
  const changed = (projection: Advanced): void => tell({ kind: 'advanced', projection });
  projector = await openProjector(PROJECTIONS, { store, readModels, log, changed });
  tell({ kind: 'opened', projections: await projector.status(), head: await store.head() });
}

async function rebuild(name: string): Promise<void> {
  try {
    if (projector === undefined) throw new Error('the projections are not open yet');
    tell({ kind: 'rebuilt', name, outcome: outcomeOf(await projector.rebuild(name)) });
  } catch (fault) {
    const text = fault instanceof Error ? fault.message : String(fault);
    tell({ kind: 'rebuilt', name, outcome: { kind: 'failed', message: text } });
  }
}

function tell(message: FromThread): void {
  postMessage(message);
}
