import { PROJECTIONS } from '../../projections/index.ts';
import { openEventReader } from '../adapters/sqlite/event-reader.ts';
import { openReadModelStore } from '../adapters/sqlite/read-model-store.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemLog } from '../adapters/system/log.ts';
import { decodeEvent } from '../domain/codecs.ts';
import type { UnknownEvent } from '../eventsourcing/codec.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { RebuildOutcome } from '../eventsourcing/projection.ts';
import { openFollower } from '../runtime/follower.ts';
import { openProjector, type Projector, type RunningProjection, rebuildOutcomeOf } from '../runtime/projector.ts';
import { createUnknownEvents } from '../runtime/unknown-events.ts';
import { type ParkingAnswer, type ParkingQuestion, parkingByMessages } from './parking-messages.ts';
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
  | ParkingAnswer
  | { readonly kind: 'stop' };

/** A projection as this thread knows it; the main thread knows the end of the log. */
export type Advanced = RunningProjection;

/** Messages to the main thread. */
export type FromThread =
  /** `head` is the position of the log's last event. */
  | { readonly kind: 'opened'; readonly projections: readonly Advanced[]; readonly head: Position }
  /** Sent soon after a projection or its rebuild has advanced, with all projections. */
  | { readonly kind: 'advanced'; readonly projections: readonly Advanced[] }
  | { readonly kind: 'rebuilt'; readonly name: string; readonly outcome: RebuildOutcome }
  | { readonly kind: 'unknown-event'; readonly category: string; readonly type: string; readonly fault: string | null }
  | ParkingQuestion
  /** Sent on a change. */
  | { readonly kind: 'storing'; readonly storing: boolean }
  | { readonly kind: 'stopped' };

/** Interval of the check whether the disk accepts writes. */
const STORING_CHECK_MS = 1_000;

/** Collects the advances of the projections for this time into one message. */
const ADVANCED_MS = 5;

const parking = parkingByMessages(send);
let projector: Projector | undefined;
let sending: ReturnType<typeof setTimeout> | undefined;
let close = async (): Promise<void> => {};

self.addEventListener('message', ({ data }: MessageEvent<ToThread>) => {
  void handle(data);
});

async function handle(message: ToThread): Promise<void> {
  switch (message.kind) {
    case 'open':
      return open(message);
    case 'parking-answer':
      return parking.answered(message);
    case 'rebuild': {
      const outcome = await rebuildOutcomeOf(rebuild(message.name));
      sendAdvanced();
      return send({ kind: 'rebuilt', name: message.name, outcome });
    }
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
  const log = systemLog(logLevel);
  const unknownEvents = { ...createUnknownEvents(log), note };
  const follower = openFollower(reader, { decode: decodeEvent, unknownEvents });
  const store = { ...reader, follower };
  const readModels = openReadModelStore(documents);
  const versions = await showVersions({ readModels, clock: systemClock, log, graceMs, alone: true });
  let storing = true;
  const checking = setInterval(() => {
    if (readModels.writable() === storing) return;
    storing = !storing;
    send({ kind: 'storing', storing });
  }, STORING_CHECK_MS);
  close = async () => {
    clearInterval(checking);
    await versions.stop();
    await follower.close();
    clearTimeout(sending);
    reader.close();
    await readModels.close();
  };
  const changed = (): void => {
    sending ??= setTimeout(sendAdvanced, ADVANCED_MS);
  };
  follower.onAdvance(changed);
  projector = await openProjector(PROJECTIONS, { store, readModels, parking, log, changed });
  send({ kind: 'opened', projections: projector.running(), head: await store.head() });
  await projector.resumeRebuilds();
}

function sendAdvanced(): void {
  clearTimeout(sending);
  sending = undefined;
  if (projector !== undefined) send({ kind: 'advanced', projections: projector.running() });
}

function rebuild(name: string): ReturnType<Projector['rebuild']> {
  return projector?.rebuild(name) ?? Promise.reject(new Error('the projections are not open yet'));
}

function send(message: FromThread): void {
  postMessage(message);
}
