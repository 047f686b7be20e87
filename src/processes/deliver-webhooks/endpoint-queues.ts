import { OrderedMap } from '../../collections/ordered-map.ts';
import { PriorityQueue } from '../../collections/priority-queue.ts';
import { fnv1a } from '../../eventsourcing/fnv1a.ts';
import { BULKHEADS, type Bulkhead, CAPACITY, type Counts, EMPTY } from './bulkheads.ts';
import { type EndpointQueue, isEmpty, nextBulkhead } from './endpoint-queue.ts';
import type { AttemptCommand, OpenDelivery } from './open-delivery.ts';

/**
 * Number of partitions; one node works on each (docs/decisions/0040). Stop all nodes before you change it: nodes with
 * different numbers would work on the same queue.
 */
export const PARTITIONS = 16;

/** A queue that can begin an attempt, and when (ms since the epoch). */
type Turn = { readonly key: string; readonly priority: number };
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

/** The partition of a queue, by its key. */
export function partitionOf(queue: string): number {
  const hash = fnv1a(queue);
  return ((hash ^ (hash >>> 15)) >>> 0) % PARTITIONS;
}

/** Puts a queue in. An empty one is dropped, with its concurrency limit. */
export function withQueue(queues: EndpointQueues, queue: EndpointQueue): EndpointQueues {
  const { key } = queue;
  const before = queues.byKey.get(key);
  const byKey = isEmpty(queue) ? queues.byKey.without(key) : queues.byKey.with(key, queue);
  const turns = updateTurns(queues.turns, key, before === undefined ? null : turnOf(before), turnOf(queue));
  return { ...queues, byKey, turns };
}

/** The next attempt of each queue whose turn has come at `nowMs`, earliest turn first; at most `limit`. */
export function dueOf(
  { byKey, turns, inFlight }: EndpointQueues,
  nowMs: number,
  { limit, holds }: { readonly limit: number; readonly holds: (part: number) => boolean },
): readonly AttemptCommand[] {
  const due: Turn[] = [];
  for (const bulkhead of BULKHEADS) {
    const free = Math.min(limit, CAPACITY[bulkhead] - inFlight[bulkhead]);
    if (free <= 0) continue;
    const inBulkhead: Turn[] = [];
    for (const [part, { [bulkhead]: queue }] of turns.entries()) {
      if (holds(part)) inBulkhead.push(...firstOf(queue, nowMs, free));
    }
    due.push(...inBulkhead.sort(byPriority).slice(0, free));
  }
  return due
    .sort(byPriority)
    .slice(0, limit)
    .flatMap(({ key }) => commandOf(byKey.get(key)?.waiting.first));
}

function updateTurns(
  turns: readonly Turns[],
  key: string,
  before: QueueTurn | null,
  now: QueueTurn | null,
): readonly Turns[] {
  if (before?.bulkhead === now?.bulkhead && before?.priority === now?.priority) return turns;
  const part = partitionOf(key);
  let mine = turns[part] ?? NO_TURNS;
  if (before !== null && before.bulkhead !== now?.bulkhead)
    mine = { ...mine, [before.bulkhead]: mine[before.bulkhead].without(key) };
  if (now !== null) mine = { ...mine, [now.bulkhead]: mine[now.bulkhead].with({ key, priority: now.priority }) };
  return turns.with(part, mine);
}

type QueueTurn = { readonly bulkhead: Bulkhead; readonly priority: number };

function turnOf(queue: EndpointQueue): QueueTurn | null {
  const next = queue.waiting.first;
  const bulkhead = nextBulkhead(queue);
  return next === undefined || bulkhead === null
    ? null
    : { bulkhead, priority: Math.max(next.priority, queue.lastTurnMs) };
}

function firstOf(queue: PriorityQueue<Turn>, nowMs: number, most: number): readonly Turn[] {
  const first: Turn[] = [];
  // Usually none is due; then skip the iteration.
  if ((queue.first?.priority ?? Number.POSITIVE_INFINITY) > nowMs) return first;
  for (const turn of queue.values()) {
    if (first.length >= most || turn.priority > nowMs) break;
    first.push(turn);
  }
  return first;
}

function byPriority(left: Turn, right: Turn): number {
  return left.priority - right.priority;
}

function commandOf(open: OpenDelivery | undefined): readonly AttemptCommand[] {
  if (open === undefined) return [];
  const { delivery, attempt, queue, correlationId, causationId } = open;
  return [{ delivery, attempt, queue, correlationId, causationId }];
}
