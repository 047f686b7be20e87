import { OrderedMap } from '../../collections/ordered-map.ts';
import { PriorityQueue } from '../../collections/priority-queue.ts';
import { fnv1a } from '../../domain/fnv1a.ts';
import type { Room } from '../../eventsourcing/process-manager.ts';
import { BULKHEADS, type Bulkhead, CAPACITY, type Counts, EMPTY } from './bulkheads.ts';
import { type EndpointQueue, isEmpty, nextBulkhead } from './endpoint-queue.ts';
import type { AttemptCommand, OpenDelivery } from './open-delivery.ts';

/**
 * Number of partitions; one node works on each (docs/decisions/0040). Stop all nodes before you change it: nodes with
 * different numbers would work on the same queue.
 */
export const PARTITIONS = 16;

/** A queue that can begin an attempt, and when (ms since the epoch). */
type Turn = { readonly queueKey: string; readonly dueMs: number };
type Turns = Readonly<Record<Bulkhead, PriorityQueue<Turn>>>;

/**
 * All queues with an open delivery, the turns of those that can begin an attempt, and this node's attempts in flight.
 */
export type EndpointQueues = {
  readonly byKey: OrderedMap<string, EndpointQueue>;
  /** By partition, and by the bulkhead of the queue's next attempt. */
  readonly turns: readonly Turns[];
  readonly inFlight: Counts;
};

const NO_TURNS: Turns = { first: new PriorityQueue(), further: new PriorityQueue(), slow: new PriorityQueue() };

export const NO_QUEUES: EndpointQueues = {
  byKey: new OrderedMap(),
  turns: Array.from({ length: PARTITIONS }, () => NO_TURNS),
  inFlight: EMPTY,
};

/** The partition of a queue. */
export function partitionOf(queueKey: string): number {
  const hash = fnv1a(queueKey);
  return ((hash ^ (hash >>> 15)) >>> 0) % PARTITIONS;
}

/** Puts a queue in. An empty one is dropped, with its concurrency limit. */
export function withQueue(queues: EndpointQueues, queue: EndpointQueue): EndpointQueues {
  const { queueKey } = queue;
  const before = queues.byKey.get(queueKey);
  const byKey = isEmpty(queue) ? queues.byKey.without(queueKey) : queues.byKey.with(queueKey, queue);
  const turns = updateTurns(queues.turns, queueKey, before === undefined ? null : turnOf(before), turnOf(queue));
  return { ...queues, byKey, turns };
}

/** The next attempt of each queue whose turn has come at `nowMs`, earliest turn first; at most `limit`. */
export function dueOf(
  { byKey, turns, inFlight }: EndpointQueues,
  nowMs: number,
  { limit, ownsPartition }: Pick<Room, 'limit' | 'ownsPartition'>,
): readonly AttemptCommand[] {
  const due: Turn[] = [];
  for (const bulkhead of BULKHEADS) {
    const free = Math.min(limit, CAPACITY[bulkhead] - inFlight[bulkhead]);
    if (free <= 0) continue;
    const inBulkhead: Turn[] = [];
    for (const [partition, { [bulkhead]: queue }] of turns.entries()) {
      if (ownsPartition(partition)) inBulkhead.push(...firstOf(queue, nowMs, free));
    }
    due.push(...inBulkhead.sort(byDueTime).slice(0, free));
  }
  return due
    .sort(byDueTime)
    .slice(0, limit)
    .flatMap(({ queueKey }) => commandOf(byKey.get(queueKey)?.waiting.first));
}

function updateTurns(
  turns: readonly Turns[],
  queueKey: string,
  before: QueueTurn | null,
  now: QueueTurn | null,
): readonly Turns[] {
  if (before?.bulkhead === now?.bulkhead && before?.dueMs === now?.dueMs) return turns;
  const partition = partitionOf(queueKey);
  let updated = turns[partition] ?? NO_TURNS;
  if (before !== null && before.bulkhead !== now?.bulkhead)
    updated = { ...updated, [before.bulkhead]: updated[before.bulkhead].without(queueKey) };
  if (now !== null) {
    const { bulkhead, dueMs } = now;
    updated = { ...updated, [bulkhead]: updated[bulkhead].with(queueKey, dueMs, { queueKey, dueMs }) };
  }
  return turns.with(partition, updated);
}

type QueueTurn = { readonly bulkhead: Bulkhead; readonly dueMs: number };

function turnOf(queue: EndpointQueue): QueueTurn | null {
  const next = queue.waiting.first;
  const bulkhead = nextBulkhead(queue);
  return next === undefined || bulkhead === null ? null : { bulkhead, dueMs: Math.max(next.dueMs, queue.lastTurnMs) };
}

function firstOf(queue: PriorityQueue<Turn>, nowMs: number, most: number): readonly Turn[] {
  const first: Turn[] = [];
  // Usually none is due; then skip the iteration.
  if ((queue.first?.dueMs ?? Number.POSITIVE_INFINITY) > nowMs) return first;
  for (const turn of queue.values()) {
    if (first.length >= most || turn.dueMs > nowMs) break;
    first.push(turn);
  }
  return first;
}

function byDueTime(left: Turn, right: Turn): number {
  return left.dueMs - right.dueMs;
}

function commandOf(open: OpenDelivery | undefined): readonly AttemptCommand[] {
  if (open === undefined) return [];
  const { delivery, attempt, queueKey, correlationId, causationId } = open;
  return [{ delivery, attempt, queueKey, correlationId, causationId }];
}
