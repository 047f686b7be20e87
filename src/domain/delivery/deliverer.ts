import { type Position, type Recorded, unreachable } from '../../eventsourcing/message.ts';
import type { ProcessManager, Room } from '../../eventsourcing/process-manager.ts';
import { Agenda } from '../agenda.ts';
import { PersistentMap } from '../persistent-map.ts';
import type { DeliveryEvent, DeliveryFacts, DeliveryId } from './delivery.ts';

/** An attempt that is owed: the n-th of a delivery (from 1), in the lane of its receiver. */
export type AttemptCommand = {
  readonly delivery: DeliveryId;
  readonly attempt: number;
  readonly lane: string;
  /** Of the request that the public event goes back to. */
  readonly correlationId: string;
  /** The stored event that the attempt follows from. */
  readonly causationId: string;
};

type OpenDelivery = AttemptCommand & {
  /** The delivery's id. */
  readonly key: string;
  /** When the attempt is due, ms since the epoch. */
  readonly place: number;
  readonly scheduledAt: Position;
};

type EventOf<Type extends DeliveryEvent['type']> = Recorded<Extract<DeliveryEvent, { type: Type }>>;

/** Open deliveries by receiver, and the receiver of each. */
export type DelivererState = {
  readonly lanes: PersistentMap<Agenda<OpenDelivery>>;
  readonly laneOf: PersistentMap<string>;
};

/**
 * Knows which attempts are owed, and when. Each receiver has a lane of its own, so that a slow or dead one fills only
 * that.
 */
export const webhookDeliverer: ProcessManager<DelivererState, DeliveryEvent, AttemptCommand> = {
  name: 'webhook-deliverer',
  categories: ['delivery'],
  initial: { lanes: new PersistentMap(), laneOf: new PersistentMap() },
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
      case 'DeliveryExhausted':
        return closed(state, delivery);
      default:
        return unreachable(event);
    }
  },
  due({ lanes }, nowMs, room) {
    const due = [...lanes.entries()].flatMap(([lane, agenda]) => dueIn(agenda, lane, nowMs, room));
    const first = due.sort((left, right) => left.place - right.place).slice(0, room.limit);
    return first.map(({ key: _key, place: _place, scheduledAt: _scheduledAt, ...command }) => command);
  },
  /** Every outcome of an attempt is an event. */
  done: (state) => state,
  oldestOpen({ lanes }) {
    let oldest: Position | null = null;
    for (const [, agenda] of lanes.entries()) {
      for (const { scheduledAt } of agenda.values()) if (oldest === null || scheduledAt < oldest) oldest = scheduledAt;
    }
    return oldest;
  },
};

/** The name under which an attempt is begun only once. */
export function attemptKey({ delivery, attempt }: Pick<AttemptCommand, 'delivery' | 'attempt'>): string {
  return `${delivery} ${attempt}`;
}

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

function dueIn(agenda: Agenda<OpenDelivery>, lane: string, nowMs: number, { busy, free }: Room): OpenDelivery[] {
  const due: OpenDelivery[] = [];
  const most = free(lane);
  if (most <= 0) return due;
  for (const open of agenda.inOrder()) {
    if (due.length >= most || open.place > nowMs) break;
    if (!busy(attemptKey(open))) due.push(open);
  }
  return due;
}

function opened(
  { lanes, laneOf: known }: DelivererState,
  delivery: DeliveryId,
  {
    data,
    position,
    id,
    cause,
    attempt,
  }: EventOf<'DeliveryScheduled' | 'ReplayScheduled' | 'ResendRequested'> & { readonly attempt: number },
): DelivererState {
  const lane = laneOf(data);
  const agenda = lanes.get(lane) ?? new Agenda<OpenDelivery>();
  const place = Date.parse(data.at);
  const { correlationId } = cause;
  const command = { delivery, attempt, lane, correlationId, causationId: id };
  const open = { ...command, key: delivery, place, scheduledAt: position };
  return { lanes: lanes.with(lane, agenda.with(open)), laneOf: known.with(delivery, lane) };
}

function failed(
  state: DelivererState,
  delivery: DeliveryId,
  { data: { attempt, nextAttemptAtMs }, id: causationId }: EventOf<'AttemptFailed'>,
): DelivererState {
  const lane = state.laneOf.get(delivery);
  const agenda = lane === undefined ? undefined : state.lanes.get(lane);
  const open = agenda?.get(delivery);
  // What was scheduled before the checkpoint has ended, and its last attempt is followed by none.
  if (lane === undefined || agenda === undefined || open === undefined || nextAttemptAtMs === null) return state;
  const next = { ...open, attempt: attempt + 1, place: nextAttemptAtMs, causationId };
  return { ...state, lanes: state.lanes.with(lane, agenda.with(next)) };
}

function closed(state: DelivererState, delivery: DeliveryId): DelivererState {
  const lane = state.laneOf.get(delivery);
  const agenda = lane === undefined ? undefined : state.lanes.get(lane);
  if (lane === undefined || agenda === undefined) return state;
  const rest = agenda.without(delivery);
  const lanes = rest.size === 0 ? state.lanes.without(lane) : state.lanes.with(lane, rest);
  return { lanes, laneOf: state.laneOf.without(delivery) };
}
