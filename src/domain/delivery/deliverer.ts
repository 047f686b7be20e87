import { type Position, type Recorded, unreachable } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';
import { Agenda } from '../agenda.ts';
import { PersistentMap } from '../persistent-map.ts';
import type { DeliveryEvent, DeliveryFacts, DeliveryId } from './delivery.ts';
import { afterFailure, afterSuccess, type Lane, nextPool, UNTRIED } from './lane.ts';
import { dueOf, type Lanes, NO_LANES, withLane } from './lanes.ts';
import { type AttemptCommand, attemptKey, type OpenDelivery } from './open-delivery.ts';
import { counted, NONE, type Pool } from './pools.ts';

export { type AttemptCommand, attemptKey };

type EventOf<Type extends DeliveryEvent['type']> = Recorded<Extract<DeliveryEvent, { type: Type }>>;

/** Where nothing came of an attempt (a bug, a store that is away), that is most likely so a moment later: others go first. */
export const AGAIN_MS = 5_000;

/** Deliveries that have not ended, and the lanes of their receivers. */
export type DelivererState = { readonly open: PersistentMap<OpenDelivery>; readonly lanes: Lanes };

/**
 * Knows which attempts are owed, and when. Each receiver has a lane of its own, as wide as its last answers allow, so that
 * a slow or dead one fills only that. What is looked at grows with what can be begun, and not with what is open.
 */
export const webhookDeliverer: ProcessManager<DelivererState, DeliveryEvent, AttemptCommand> = {
  name: 'webhook-deliverer',
  categories: ['delivery'],
  initial: { open: new PersistentMap(), lanes: NO_LANES },
  react(state, event) {
    const delivery = event.stream.slice('delivery-'.length) as DeliveryId;
    switch (event.type) {
      case 'DeliveryOmitted':
        return state;
      case 'DeliveryScheduled':
      case 'ReplayScheduled':
        return opened(state, delivery, { ...event, attempt: 1 });
      case 'ResendRequested':
        return opened(state, delivery, { ...event, attempt: event.data.attempt });
      case 'AttemptFailed':
        return failed(state, delivery, event);
      case 'DeliverySucceeded':
        return succeeded(state, delivery, event);
      case 'DeliveryExhausted':
        return closed(state, delivery);
      default:
        return unreachable(event);
    }
  },
  due: ({ lanes }, nowMs, room) => dueOf(lanes, nowMs, room),
  began(state, { delivery, lane: key }) {
    const [owed, lane] = [state.open.get(delivery), state.lanes.byKey.get(key)];
    const pool = lane === undefined ? null : nextPool(lane);
    return owed === undefined || pool === null ? state : moved(state, owed, { ...owed, begun: pool });
  },
  ended(state, { delivery, attempt }, { nowMs, recorded }) {
    const owed = state.open.get(delivery);
    if (owed?.attempt !== attempt || owed.begun === null) return state;
    if (recorded) return moved(state, owed, { ...owed, begun: 'recorded' });
    return moved(state, owed, { ...owed, begun: null, place: nowMs + AGAIN_MS });
  },
  /** Every outcome of an attempt is an event; without one a delivery ends that the store no longer has. */
  done: (state, { delivery }) => closed(state, delivery),
  oldestOpen({ open }) {
    let oldest: Position | null = null;
    for (const [, { scheduledAt }] of open.entries()) if (oldest === null || scheduledAt < oldest) oldest = scheduledAt;
    return oldest;
  },
};

function laneOf({ keyId, endpoint }: Pick<DeliveryFacts, 'keyId' | 'endpoint'>): string {
  switch (endpoint.kind) {
    case 'key':
      return keyId;
    case 'booking':
      return endpoint.origin;
    default:
      return unreachable(endpoint);
  }
}

function opened(
  state: DelivererState,
  delivery: DeliveryId,
  {
    data,
    position,
    id,
    cause,
    attempt,
  }: EventOf<'DeliveryScheduled' | 'ReplayScheduled' | 'ResendRequested'> & { readonly attempt: number },
): DelivererState {
  const before = state.open.get(delivery);
  // It was asked for while this very attempt is under way.
  if (before !== undefined && before.begun !== null && before.attempt === attempt) return state;
  return moved(state, before, {
    delivery,
    attempt,
    lane: laneOf(data),
    correlationId: cause.correlationId,
    causationId: id,
    key: delivery,
    place: Date.parse(data.at),
    scheduledAt: position,
    begun: null,
  });
}

function failed(
  state: DelivererState,
  delivery: DeliveryId,
  { data: { attempt, nextAttemptAtMs, responseTimeMs, at }, id: causationId }: EventOf<'AttemptFailed'>,
): DelivererState {
  const owed = state.open.get(delivery);
  // What was scheduled before the checkpoint has ended.
  if (owed === undefined) return state;
  // After the last attempt comes the end, in the same append.
  const place = nextAttemptAtMs ?? Number.POSITIVE_INFINITY;
  const next = { ...owed, attempt: attempt + 1, place, causationId, begun: null };
  return moved(state, owed, next, (lane) => ({
    ...lane,
    manner: afterFailure(lane.manner, responseTimeMs),
    lastTurnMs: Date.parse(at),
  }));
}

function succeeded(
  state: DelivererState,
  delivery: DeliveryId,
  { data: { responseTimeMs, at } }: EventOf<'DeliverySucceeded'>,
): DelivererState {
  const owed = state.open.get(delivery);
  if (owed === undefined) return state;
  return moved(state, owed, null, (lane) => ({
    ...lane,
    manner: afterSuccess(lane.manner, responseTimeMs),
    lastTurnMs: Date.parse(at),
  }));
}

function closed(state: DelivererState, delivery: DeliveryId): DelivererState {
  const owed = state.open.get(delivery);
  return owed === undefined ? state : moved(state, owed, null);
}

/**
 * With a delivery as it was and is now, undefined or null where it is not open, and with what was learnt of its receiver.
 * Both are of one lane.
 */
function moved(
  { open, lanes }: DelivererState,
  before: OpenDelivery | undefined,
  now: OpenDelivery | null,
  learnt: (lane: Lane) => Lane = (lane) => lane,
): DelivererState {
  const owed = now ?? before;
  if (owed === undefined) return { open, lanes };
  const { delivery, lane: key } = owed;
  const lane = learnt(lanes.byKey.get(key) ?? newLane(key));
  const waiting = now?.begun === null ? lane.waiting.with(now) : lane.waiting.without(delivery);
  const changes = [
    { pool: poolOf(before), by: -1 },
    { pool: poolOf(now), by: 1 },
  ] as const;
  return {
    open: now === null ? open.without(delivery) : open.with(delivery, now),
    lanes: withLane(counted(lanes, changes), { ...lane, waiting, underWay: counted(lane, changes).underWay }),
  };
}

function poolOf(owed: OpenDelivery | null | undefined): Pool | null {
  return owed === null || owed === undefined || owed.begun === 'recorded' ? null : owed.begun;
}

function newLane(key: string): Lane {
  return { key, waiting: new Agenda(), underWay: NONE, manner: UNTRIED, lastTurnMs: 0 };
}
