import { activitiesProjection } from '../../projections/activities/projection.ts';
import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import { devicesProjection } from '../../projections/devices/projection.ts';
import type { DeviceDocument } from '../../projections/devices/read-model.ts';
import { endedSessionsProjection } from '../../projections/endedsessions/projection.ts';
import type { EndedSessionDocument } from '../../projections/endedsessions/read-model.ts';
import { experimentsProjection } from '../../projections/experiments/projection.ts';
import type { ExperimentDocument } from '../../projections/experiments/read-model.ts';
import { groundTruthProjection } from '../../projections/groundtruth/projection.ts';
import type { GroundTruthDocument } from '../../projections/groundtruth/read-model.ts';
import { inventoryProjection, testInventoryProjection } from '../../projections/inventory/projection.ts';
import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import { keysProjection } from '../../projections/keys/projection.ts';
import type { KeyDocument } from '../../projections/keys/read-model.ts';
import { operatorsProjection } from '../../projections/operators/projection.ts';
import type { OperatorDocument } from '../../projections/operators/read-model.ts';
import { CITY_NAMES } from '../domain/activity/cities.ts';
import { newSessionId, testDayOf } from '../domain/ids.ts';
import { RANDOM_BYTES } from '../domain/time-ordered-id.ts';
import { DAY_MS, HOUR_MS } from '../eventsourcing/durations.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { HttpContext } from '../http/context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { groupOfAllotment, groupOfTestAllotment } from '../recommend/allotments-of-mode.ts';
import { groupOfExperiment } from '../recommend/assigned-model.ts';
import { ALL_GROUND_TRUTH } from '../recommend/learnt.ts';
import { type LiveView, openLiveView } from '../runtime/live-view.ts';
import type { Kept, ViewParking } from '../runtime/view.ts';
import { compactActivities } from './compact-activity.ts';
import type { Stores } from './embedded-stores.ts';
import type { Projections } from './engines.ts';

/** The read models that a node holds in memory. */
export type LiveViews = {
  readonly catalogue: LiveView<ActivityDocument>;
  readonly keys: LiveView<KeyDocument>;
  readonly devices: LiveView<DeviceDocument>;
  readonly operators: LiveView<OperatorDocument>;
  readonly endedSessions: EndedSessions;
  /** Allotments of today and later. */
  readonly allotments: LiveView<InventoryDocument>;
  /** Test allotments of today and later. */
  readonly testAllotments: LiveView<InventoryDocument>;
  readonly groundTruth: LiveView<GroundTruthDocument>;
  readonly experiments: LiveView<ExperimentDocument>;
  /** True once the view has applied a position; false after PASSED_MS. */
  readonly passed: (known: AwaitedView, position: Position) => Promise<boolean>;
  /** Resolves once the views that recommend reads have applied a position, at the latest after `timeoutMs`. */
  readonly candidatesPassed: (position: Position, timeoutMs: number) => Promise<void>;
  stop(): Promise<void>;
};

/** The views whose changes a request waits for that makes them. */
type AwaitedView = Parameters<HttpContext['passed']>[0];

export type EndedSessions = Pick<LiveView<EndedSessionDocument>, 'passed' | 'stop'> & {
  /** Whether its caller ended the session. True too for a session so old that this node has forgotten it. */
  has(sessionId: string): boolean;
};

/** Longest wait of a request until this node has applied what the request changed. */
const PASSED_MS = 2_000;

type Context = Pick<Stores, 'store' | 'readModels'> & {
  readonly projections: Pick<Projections, 'collection'>;
  readonly parking: ViewParking;
  readonly clock: Clock;
  readonly log: Log;
};

/** The catalogue alone, for nodes that send mails and webhooks and answer no requests. */
export function openCatalogueView(context: Context): Promise<LiveView<ActivityDocument>> {
  return openView(activitiesProjection, context, {
    groupOf: ({ activity }) => activity.city,
    compact: compactActivities(),
  });
}

/** Resolves when every view has applied what the log held at the call. */
export async function openLiveViews(context: Context): Promise<LiveViews> {
  const catalogue = await openCatalogueView(context);
  const keys = await openView(keysProjection, context, { secondaryKeysOf: valuesOf });
  const devices = await openView(devicesProjection, context, { secondaryKeysOf: (device) => [device.hash] });
  const operators = await openView(operatorsProjection, context, { secondaryKeysOf: ({ hash }) => [hash] });
  const endedSessions = await openEndedSessions(context);
  const allotments = await openView(inventoryProjection, context, {
    kept: upcomingAllotments(context.clock),
    groupOf: groupOfAllotment,
  });
  const testAllotments = await openView(testInventoryProjection, context, {
    kept: upcomingTestAllotments(context.clock),
    groupOf: groupOfTestAllotment,
  });
  const groundTruth = await openView(groundTruthProjection, context, { groupOf: () => ALL_GROUND_TRUTH });
  const experiments = await openView(experimentsProjection, context, { groupOf: groupOfExperiment });
  const ofCandidates = [catalogue, allotments, testAllotments, groundTruth, experiments];
  return {
    catalogue,
    keys,
    devices,
    operators,
    endedSessions,
    allotments,
    testAllotments,
    groundTruth,
    experiments,
    passed: (known, position) =>
      ({ keys, devices, operators, endedSessions, experiments })[known].passed(position, PASSED_MS),
    async candidatesPassed(position, timeoutMs) {
      await Promise.all(ofCandidates.map((known) => known.passed(position, timeoutMs)));
    },
    async stop() {
      await Promise.all([keys, devices, operators, endedSessions, ...ofCandidates].map((known) => known.stop()));
    },
  };
}

/** The hashes of a key's present value and of the one it replaced. */
function valuesOf({ hash, replaced }: KeyDocument): readonly string[] {
  return replaced === null ? [hash] : [hash, replaced.hash];
}

function openView<Doc extends object>(
  projection: Projection<Doc>,
  { projections, store, readModels, parking, log }: Context,
  more: Pick<Parameters<typeof openLiveView<Doc>>[0], 'secondaryKeysOf' | 'groupOf' | 'compact' | 'kept'> = {},
): Promise<LiveView<Doc>> {
  const collection = (): Promise<string> => projections.collection(projection.name);
  return openLiveView({ projection, collection, store, readModels, parking, log, ...more });
}

/** Longer than any UTC offset plus a night that ends after midnight. */
const GRACE_MS = 2 * DAY_MS;

/** The documents of dates that have not passed in any city. A date that has passed stays so, even if the clock is set back. */
export function upcoming(
  clock: Clock,
  {
    dateOf,
    findsFrom,
  }: { readonly dateOf: (id: string) => string; readonly findsFrom: (date: string) => ReturnType<Kept['finds']> },
): Kept {
  let firstDate = '';
  const since = (): string => {
    const now = new Date(clock.nowMs() - GRACE_MS).toISOString().slice(0, 10);
    if (now > firstDate) firstDate = now;
    return firstDate;
  };
  return { since, keeps: (id) => dateOf(id) >= since(), finds: () => findsFrom(since()) };
}

/** By the date of an allotment, `{activity}-{date}`. */
export function upcomingAllotments(clock: Clock): Kept {
  return upcoming(clock, {
    dateOf: (id) => id.slice(-'YYYY-MM-DD'.length),
    // One find for all cities: FerretDB decodes the whole collection for each find.
    findsFrom: (from) => [
      {
        where: { city: CITY_NAMES },
        merge: 'city',
        range: { field: 'date', from },
        sort: { field: 'date', direction: 'asc' },
      },
    ],
  });
}

/** By the day in the id of a test allotment, `test.{day}.{activity}-{date}`: ids are in the order of the days. */
export function upcomingTestAllotments(clock: Clock): Kept {
  return upcoming(clock, {
    dateOf: testDayOf,
    findsFrom: (from) => [{ after: { value: null, id: `test.${from}` } }],
  });
}

async function openEndedSessions(context: Context): Promise<EndedSessions> {
  const recent = recentSessions(context.clock);
  const view = await openView(endedSessionsProjection, context, { kept: recent });
  return {
    // Otherwise a clock that was set far forward and back would open what it made the view forget.
    has: (id) => !recent.keeps(id) || view.get(id) !== undefined,
    passed: (position, timeoutMs) => view.passed(position, timeoutMs),
    stop: () => view.stop(),
  };
}

/** Longer than any session: a clock that is set forward by days and back neither opens nor closes a session. */
const ENDED_SESSIONS_MS = 7 * DAY_MS;

/** The sessions that started recently, by their ids, which are in the order of the starts. */
export function recentSessions(clock: Clock): Kept {
  let first = '';
  const since = (): string => {
    // Whole hours: each new value makes the view look at all its documents.
    const hour = Math.floor((clock.nowMs() - ENDED_SESSIONS_MS) / HOUR_MS) * HOUR_MS;
    const id = newSessionId(hour, new Uint8Array(RANDOM_BYTES));
    if (id > first) first = id;
    return first;
  };
  return { since, keeps: (id) => id >= since(), finds: () => [{ after: { value: null, id: since() } }] };
}
