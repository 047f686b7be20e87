import { Agenda } from '../agenda.ts';
import { PersistentMap } from '../persistent-map.ts';
import { isEmpty, type Lane, nextPool } from './lane.ts';
import type { AttemptCommand, OpenDelivery } from './open-delivery.ts';
import { type Counts, MOST, NONE, POOLS, type Pool } from './pools.ts';

/**
 * Lanes fall into so many parts, each of which one node attends to (docs/decisions/0040). Another number needs every
 * node to stop first: two that divide differently attend to the same lane.
 */
export const PARTS = 16;

/** A lane that has something waiting, and room for it: when its turn is, ms since the epoch. */
type Turn = { readonly key: string; readonly place: number };
type Turns = Readonly<Record<Pool, Agenda<Turn>>>;

/** Every lane that has an open delivery, those that can begin one by their next turn, and what is under way here. */
export type Lanes = {
  readonly byKey: PersistentMap<Lane>;
  /** By part, and by the pool that the lane's next attempt is counted in. */
  readonly turns: readonly Turns[];
  readonly underWay: Counts;
};

const NO_TURNS: Turns = { first: new Agenda(), further: new Agenda(), slow: new Agenda() };

export const NO_LANES: Lanes = {
  byKey: new PersistentMap(),
  turns: Array.from({ length: PARTS }, () => NO_TURNS),
  underWay: NONE,
};

/** The part that a lane falls into: FNV-1a of its key. */
export function partOf(lane: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < lane.length; index++) hash = Math.imul(hash ^ lane.charCodeAt(index), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % PARTS;
}

/** With a lane as it is now. One that has nothing left is forgotten, with all that is known of it. */
export function withLane(lanes: Lanes, lane: Lane): Lanes {
  const { key } = lane;
  const before = lanes.byKey.get(key);
  const byKey = isEmpty(lane) ? lanes.byKey.without(key) : lanes.byKey.with(key, lane);
  const turns = turned(lanes.turns, key, before === undefined ? null : turnOf(before), turnOf(lane));
  return { ...lanes, byKey, turns };
}

/** One attempt of each lane that has a turn at `nowMs`, those first whose turn came first; at most `limit`. */
export function dueOf(
  { byKey, turns, underWay }: Lanes,
  nowMs: number,
  { limit, holds }: { readonly limit: number; readonly holds: (part: number) => boolean },
): readonly AttemptCommand[] {
  const due: Turn[] = [];
  for (const pool of POOLS) {
    const free = Math.min(limit, MOST[pool] - underWay[pool]);
    if (free <= 0) continue;
    const inPool: Turn[] = [];
    for (const [part, { [pool]: agenda }] of turns.entries()) {
      if (holds(part)) inPool.push(...firstOf(agenda, nowMs, free));
    }
    due.push(...inPool.sort(byPlace).slice(0, free));
  }
  return due
    .sort(byPlace)
    .slice(0, limit)
    .flatMap(({ key }) => commandOf(byKey.get(key)?.waiting.first));
}

function turned(turns: readonly Turns[], key: string, before: LaneTurn | null, now: LaneTurn | null): readonly Turns[] {
  if (before?.pool === now?.pool && before?.place === now?.place) return turns;
  const part = partOf(key);
  let mine = turns[part] ?? NO_TURNS;
  if (before !== null && before.pool !== now?.pool) mine = { ...mine, [before.pool]: mine[before.pool].without(key) };
  if (now !== null) mine = { ...mine, [now.pool]: mine[now.pool].with({ key, place: now.place }) };
  return turns.with(part, mine);
}

type LaneTurn = { readonly pool: Pool; readonly place: number };

function turnOf(lane: Lane): LaneTurn | null {
  const next = lane.waiting.first;
  const pool = nextPool(lane);
  return next === undefined || pool === null ? null : { pool, place: Math.max(next.place, lane.lastTurnMs) };
}

function firstOf(agenda: Agenda<Turn>, nowMs: number, most: number): readonly Turn[] {
  const first: Turn[] = [];
  // Most of the time there is none, and then not even the walk is begun.
  if ((agenda.first?.place ?? Number.POSITIVE_INFINITY) > nowMs) return first;
  for (const turn of agenda.inOrder()) {
    if (first.length >= most || turn.place > nowMs) break;
    first.push(turn);
  }
  return first;
}

function byPlace(left: Turn, right: Turn): number {
  return left.place - right.place;
}

function commandOf(open: OpenDelivery | undefined): readonly AttemptCommand[] {
  if (open === undefined) return [];
  const { delivery, attempt, lane, correlationId, causationId } = open;
  return [{ delivery, attempt, lane, correlationId, causationId }];
}
