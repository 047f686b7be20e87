import { OrderedMap } from '../../collections/ordered-map.ts';
import { PriorityQueue } from '../../collections/priority-queue.ts';
import type { DeliveryEvent, DeliveryFacts, DeliveryId } from '../../domain/delivery/delivery.ts';
import { type Recorded, streamId, unreachable } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';
import { addToCounts, type Bulkhead, EMPTY } from './bulkheads.ts';
import { afterFailure, afterSuccess, type EndpointQueue, INITIAL_LIMIT, nextBulkhead } from './endpoint-queue.ts';
import { dueOf, type EndpointQueues, NO_QUEUES, withQueue } from './endpoint-queues.ts';
import { type AttemptCommand, attemptKey, type OpenDelivery } from './open-delivery.ts';

export { type AttemptCommand, attemptKey };

type EventOf<Type extends DeliveryEvent['type']> = Recorded<Extract<DeliveryEvent, { type: Type }>>;

/** Delay after an attempt without an outcome (a bug, an unavailable store): other deliveries go first. */
export const AGAIN_MS = 5_000;

/** Open deliveries and the queues of their receivers. */
export type DeliverWebhooksState = { readonly open: OrderedMap<string, OpenDelivery>; readonly queues: EndpointQueues };

/**
 * Decides which attempts are due. Each receiver has its own queue and concurrency limit, so that a slow or dead
 * receiver delays only its own deliveries. The cost of `due` grows with the attempts that can begin, not with the open
 * deliveries.
 */
export const deliverWebhooks: ProcessManager<DeliverWebhooksState, DeliveryEvent, AttemptCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'webhook-deliverer',
  categories: ['delivery'],
  initial: { open: new OrderedMap(), queues: NO_QUEUES },
  react(state, event) {
    const delivery = streamId(event.stream) as DeliveryId;
    switch (event.type) {
      case 'DeliveryOmitted':
      case 'TestAttempted':
        return state;
      case 'DeliveryScheduled':
      case 'ReplayScheduled':
        return openDelivery(state, delivery, { ...event, attempt: 1 });
      case 'ResendRequested':
        return openDelivery(state, delivery, { ...event, attempt: event.data.attempt });
      case 'AttemptFailed':
        return recordFailure(state, delivery, event);
      case 'DeliverySucceeded':
        return recordSuccess(state, delivery, event);
      case 'DeliveryExhausted':
        return closeDelivery(state, delivery);
      default:
        return unreachable(event);
    }
  },
  due: ({ queues }, nowMs, room) => dueOf(queues, nowMs, room),
  inProgress: {
    began(state, { delivery, queueKey }) {
      const [pending, queue] = [state.open.get(delivery), state.queues.byKey.get(queueKey)];
      const bulkhead = queue === undefined ? null : nextBulkhead(queue);
      return pending === undefined || bulkhead === null
        ? state
        : update(state, pending, { ...pending, inFlight: bulkhead });
    },
    ended(state, { delivery, attempt }, { nowMs, recorded }) {
      const pending = state.open.get(delivery);
      if (pending?.attempt !== attempt || pending.inFlight === null) return state;
      if (recorded) return update(state, pending, { ...pending, inFlight: 'recorded' });
      return update(state, pending, { ...pending, inFlight: null, dueMs: nowMs + AGAIN_MS });
    },
  },
  /** Only for a delivery that has expired from the store; all other outcomes are events. */
  done: (state, { delivery }) => closeDelivery(state, delivery),
  drop: (state, key) => closeDelivery(state, key.slice(0, key.indexOf(' ')) as DeliveryId),
  oldestOpen: ({ open }) => oldestPosition(open.values()),
};

function queueKeyOf({ keyId, endpoint }: Pick<DeliveryFacts, 'keyId' | 'endpoint'>): string {
  switch (endpoint.kind) {
    case 'key':
      return keyId;
    case 'booking':
      return endpoint.origin;
    default:
      return unreachable(endpoint);
  }
}

function openDelivery(
  state: DeliverWebhooksState,
  delivery: DeliveryId,
  {
    data,
    position,
    id,
    cause,
    attempt,
  }: EventOf<'DeliveryScheduled' | 'ReplayScheduled' | 'ResendRequested'> & { readonly attempt: number },
): DeliverWebhooksState {
  const before = state.open.get(delivery);
  // The resend came while this attempt was in flight.
  if (before !== undefined && before.inFlight !== null && before.attempt === attempt) return state;
  return update(state, before, {
    delivery,
    attempt,
    queueKey: queueKeyOf(data),
    correlationId: cause.correlationId,
    causationId: id,
    dueMs: Date.parse(data.at),
    position,
    inFlight: null,
  });
}

function recordFailure(
  state: DeliverWebhooksState,
  delivery: DeliveryId,
  { data: { attempt, nextAttemptAtMs, responseTimeMs, at }, id: causationId }: EventOf<'AttemptFailed'>,
): DeliverWebhooksState {
  const pending = state.open.get(delivery);
  // Scheduled before the checkpoint, so closed already.
  if (pending === undefined) return state;
  // Null after the last attempt: DeliveryExhausted follows in the same append.
  const dueMs = nextAttemptAtMs ?? Number.POSITIVE_INFINITY;
  const next = { ...pending, attempt: attempt + 1, dueMs, causationId, inFlight: null };
  return update(state, pending, next, (queue) => ({
    ...queue,
    concurrency: afterFailure(queue.concurrency, responseTimeMs),
    lastTurnMs: Date.parse(at),
  }));
}

function recordSuccess(
  state: DeliverWebhooksState,
  delivery: DeliveryId,
  { data: { responseTimeMs, at } }: EventOf<'DeliverySucceeded'>,
): DeliverWebhooksState {
  const pending = state.open.get(delivery);
  if (pending === undefined) return state;
  return update(state, pending, null, (queue) => ({
    ...queue,
    concurrency: afterSuccess(queue.concurrency, responseTimeMs),
    lastTurnMs: Date.parse(at),
  }));
}

function closeDelivery(state: DeliverWebhooksState, delivery: DeliveryId): DeliverWebhooksState {
  const pending = state.open.get(delivery);
  return pending === undefined ? state : update(state, pending, null);
}

/**
 * Replaces a delivery (undefined or null: not open) and updates the queue of its receiver. Both values have the same
 * queue.
 */
function update(
  { open, queues }: DeliverWebhooksState,
  before: OpenDelivery | undefined,
  now: OpenDelivery | null,
  afterAttempt: (queue: EndpointQueue) => EndpointQueue = (queue) => queue,
): DeliverWebhooksState {
  const pending = now ?? before;
  if (pending === undefined) return { open, queues };
  const { delivery, queueKey } = pending;
  const queue = afterAttempt(queues.byKey.get(queueKey) ?? newQueue(queueKey));
  const waiting =
    now?.inFlight === null ? queue.waiting.with(delivery, now.dueMs, now) : queue.waiting.without(delivery);
  const changes = [
    { bulkhead: bulkheadOf(before), by: -1 },
    { bulkhead: bulkheadOf(now), by: 1 },
  ] as const;
  return {
    open: now === null ? open.without(delivery) : open.with(delivery, now),
    queues: withQueue(addToCounts(queues, changes), {
      ...queue,
      waiting,
      inFlight: addToCounts(queue, changes).inFlight,
    }),
  };
}

function bulkheadOf(pending: OpenDelivery | null | undefined): Bulkhead | null {
  return pending?.inFlight === 'recorded' ? null : (pending?.inFlight ?? null);
}

function newQueue(queueKey: string): EndpointQueue {
  return { queueKey, waiting: new PriorityQueue(), inFlight: EMPTY, concurrency: INITIAL_LIMIT, lastTurnMs: 0 };
}
