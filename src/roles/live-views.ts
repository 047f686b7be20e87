import { activitiesProjection } from '../../projections/activities/projection.ts';
import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import { devicesProjection } from '../../projections/devices/projection.ts';
import type { DeviceDocument } from '../../projections/devices/read-model.ts';
import { groundTruthProjection } from '../../projections/groundtruth/projection.ts';
import type { GroundTruthDocument } from '../../projections/groundtruth/read-model.ts';
import { inventoryProjection } from '../../projections/inventory/projection.ts';
import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import { keysProjection } from '../../projections/keys/projection.ts';
import type { KeyDocument } from '../../projections/keys/read-model.ts';
import { type LiveView, openLiveView } from '../../projections/live-view.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { datesNotPassed } from './dates-not-passed.ts';
import type { RunningProjections } from './projector.ts';
import type { Stores } from './stores.ts';

/** The read models that a node holds in memory. */
export type LiveViews = {
  readonly catalogue: LiveView<ActivityDocument>;
  readonly keys: LiveView<KeyDocument>;
  readonly devices: LiveView<DeviceDocument>;
  /** Of dates that have not passed. */
  readonly allotments: LiveView<InventoryDocument>;
  readonly groundTruth: LiveView<GroundTruthDocument>;
  /** Resolves once keys, devices and catalogue hold a position. */
  readonly passed: (position: Position) => Promise<void>;
  /** Resolves once what recommend looks at holds a position, or after `timeoutMs`. */
  readonly candidatesPassed: (position: Position, timeoutMs: number) => Promise<void>;
  stop(): Promise<void>;
};

/** Resolves when every view holds what the log held at the call. */
export async function openLiveViews(
  projector: RunningProjections,
  { store, readModels }: Pick<Stores, 'store' | 'readModels'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<LiveViews> {
  const view = <Doc extends object>(
    projection: Projection<Doc>,
    more: Pick<Parameters<typeof openLiveView<Doc>>[0], 'indexOf' | 'keeps'> = {},
  ): Promise<LiveView<Doc>> =>
    openLiveView({ projection, collection: projector.collection(projection.name), store, readModels, log, ...more });
  const catalogue = await view(activitiesProjection);
  const keys = await view(keysProjection, { indexOf: (key) => key.hash });
  const devices = await view(devicesProjection, { indexOf: (device) => device.hash });
  const allotments = await view(inventoryProjection, { keeps: datesNotPassed(clock) });
  const groundTruth = await view(groundTruthProjection);
  return {
    catalogue,
    keys,
    devices,
    allotments,
    groundTruth,
    async passed(position) {
      await Promise.all([catalogue, keys, devices].map((known) => known.passed(position)));
    },
    async candidatesPassed(position, timeoutMs) {
      await Promise.all([catalogue, allotments, groundTruth].map((known) => known.passed(position, timeoutMs)));
    },
    async stop() {
      await Promise.all([catalogue, keys, devices, allotments, groundTruth].map((known) => known.stop()));
    },
  };
}
