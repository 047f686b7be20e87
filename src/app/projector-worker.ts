import { PROJECTIONS } from '../../projections/index.ts';
import { openEventReader } from '../adapters/sqlite/event-reader.ts';
import { openReadModelStore } from '../adapters/sqlite/read-model-store.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemLog } from '../adapters/system/log.ts';
import { decodeEvent } from '../domain/codecs.ts';
import type { UnknownEvent } from '../eventsourcing/codec.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { RebuildOutcome } from '../eventsourcing/projection.ts';
import { openProjector, type ProjectionStatus, type Projector, rebuildOutcomeOf } from '../runtime/projector.ts';
import { decodedFeed } from '../runtime/unknown-events.ts';
import { showVersions } from './projection-versions.ts';

declare const self: Worker;

/** Messages of the main thread. */
export type ToThread =
  | {
      readonly kind: 'open';
      readonly events: string;
      readonly readModels: string;
      readonly logLevel: string;
      /** Collections of versions that no node has used for so long are dropped. */
      readonly graceMs: number;
    }
  | { readonly kind: 'rebuild'; readonly name: string }
  | { readonly kind: 'stop' };

/** A projection as this thread knows it; the main thread knows the end of the log. */
export type Advanced = Omit<ProjectionStatus, 'head' | 'caughtUp'>;

/** Messages to the main thread. */
export type FromThread =
  /** `head` is the position of the log's last event. */
  | { readonly kind: 'opened'; readonly projections: readonly Advanced[]; readonly head: Position }
  | { readonly kind: 'advanced'; readonly projection: Advanced }
  | { readonly kind: 'rebuilt'; readonly name: string; readonly outcome: RebuildOutcome }
  | { readonly kind: 'unknown-event'; readonly category: string; readonly type: string; readonly fault: string | null }
  /** Sent on a change. */
  | { readonly kind: 'storing'; readonly storing: boolean }
  | { readonly kind: 'stopped' };

/** Interval of the check whether the disk accepts writes. */
const STORING_CHECK_MS = 1_000;

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
      return send({ kind: 'rebuilt', name: message.name, outcome: await rebuildOutcomeOf(rebuild(message.name)) });
    default:
      await projector?.stop();
      await close();
      return send({ kind: 'stopped' });
  }
}

async function open(message: Extract<ToThread, { kind: 'open' }>): Promise<void> {
  const { events, readModels: documents, logLevel, graceMs } = message;
  const reader = openEventReader(events);
  const note = ({ category, type, fault }: UnknownEvent): void =>
    send({ kind: 'unknown-event', category, type, fault });
  const store = decodedFeed(reader, { decode: decodeEvent, unknownEvents: { note } });
  const readModels = openReadModelStore(documents);
  const log = systemLog(logLevel);
  const versions = await showVersions({ readModels, clock: systemClock, log, graceMs });
  let storing = true;
  const checking = setInterval(() => {
    if (readModels.writable() === storing) return;
    storing = !storing;
    send({ kind: 'storing', storing });
  }, STORING_CHECK_MS);
  close = async () => {
    clearInterval(checking);
    await versions.stop();
    reader.close();
    await readModels.close();
  };
  const changed = (projection: Advanced): void => send({ kind: 'advanced', projection });
  projector = await openProjector(PROJECTIONS, { store, readModels, log, changed });
  send({ kind: 'opened', projections: await projector.status(), head: await store.head() });
}

function rebuild(name: string): ReturnType<Projector['rebuild']> {
  return projector?.rebuild(name) ?? Promise.reject(new Error('the projections are not open yet'));
}

function send(message: FromThread): void {
  postMessage(message);
}
