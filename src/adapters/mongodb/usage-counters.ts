import { ObjectId } from 'mongodb';
import type { KeyUsage } from '../../ports/key-usage.ts';
import { dayOf } from '../../ports/key-usage.ts';
import type { Taking, UsageCounters } from '../../ports/usage-counters.ts';
import type { Database } from './database.ts';
import { type Known, type UsageDocuments, usageDocuments } from './usage-documents.ts';
import {
  type Decision,
  decide,
  type HeldShare,
  lookShared,
  type Request,
  SHARE_MS,
  shareFor,
  spend,
  stored,
} from './usage-shares.ts';

/** Of so many keys the usage is kept in memory: at most 300 instants each. */
const KEYS_IN_MEMORY = 10_000;
/** Times a group is decided anew because another node was there first. Each time one of the others got its turn. */
const ROUNDS = 64;
/** A request that is refused for shares that are out is decided again after so long. */
const LOOK_AGAIN_MS = 20;
/** A share that is seen for so long without being settled belongs to a node that is gone. */
export const PATIENCE_MS = SHARE_MS + 500;

type Waiting = Request & { readonly resolve: (taking: Taking) => void; readonly reject: (fault: unknown) => void };
/** The requests of one key: those that wait are decided together, once those before them are written. */
type Lane = {
  waiting: Waiting[];
  known: Known | null;
  running: Promise<void> | null;
  /** What may be taken from at once, and what was used as this node saw it. */
  share: { readonly held: HeldShare; readonly seen: KeyUsage } | null;
  /** Shares that may still be out, though nothing is taken from them any more. */
  unsettled: HeldShare[];
  /** When the shares of others were first seen, by their ids. */
  readonly seenSince: Map<string, number>;
  /** How many were taken at the last visit or from its share, and when that was. */
  lately: { readonly taken: number; readonly atMs: number };
};

/** How time passes beside the instants of requests. */
export type Passing = {
  /** Grows with real time (ms); says nothing of the date. */
  nowMs(): number;
  /** Calls once, after so long; does not keep the process up. */
  later(ms: number, call: () => void): void;
};

const realTime: Passing = {
  nowMs: () => performance.now(),
  later: (ms, call) => void setTimeout(call, ms).unref(),
};

/** @param database stays open when the counters are closed */
export function openUsageCounters(database: Database): UsageCounters {
  return countersOver(usageDocuments(database), realTime, () => new ObjectId().toHexString());
}

/**
 * Usage counters that any number of nodes share (docs/decisions/0034): requests are decided on all that came before them,
 * wherever that came in, or taken from a share that a node got while plenty was left. A refusal is only given on what was
 * read after the request came, with every share settled that somebody still holds.
 *
 * @param newId a share's, used once
 */
export function countersOver(documents: UsageDocuments, time: Passing, newId: () => string): UsageCounters {
  const lanes = new Map<string, Lane>();
  let today = 0;
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the usage counters are closed');
  }

  function laneOf(key: string): Lane {
    const lane = lanes.get(key) ?? newLane();
    if (!lanes.has(key) && lanes.size >= KEYS_IN_MEMORY) {
      for (const [other, { running, share, unsettled }] of lanes)
        if (running === null && share === null && unsettled.length === 0) lanes.delete(other);
    }
    lanes.set(key, lane);
    return lane;
  }

  async function run(key: string, lane: Lane): Promise<void> {
    do {
      const group = lane.waiting;
      lane.waiting = [];
      try {
        const { outcomes } = await visit(key, lane, group);
        const heldUp: Waiting[] = [];
        for (const [place, request] of group.entries()) {
          const outcome = outcomes[place];
          if (outcome === undefined || outcome.kind === 'held up') heldUp.push(request);
          else request.resolve(outcome);
        }
        if (heldUp.length > 0) await new Promise<void>((resolve) => time.later(LOOK_AGAIN_MS, resolve));
        lane.waiting = [...heldUp, ...lane.waiting];
        serve(lane);
      } catch (fault) {
        lane.known = null;
        for (const { reject } of group) reject(fault);
        if (lane.unsettled.length > 0) settleLater(key, lane);
      }
    } while (lane.waiting.length > 0);
    lane.running = null;
  }

  /** Decides a group, with what this node holds settled. Refusals alone write nothing. */
  async function visit(key: string, lane: Lane, group: readonly Request[]): Promise<Decision> {
    const took = lane.share?.held.spent.length ?? 0;
    if (lane.share !== null) lane.unsettled = [...lane.unsettled, lane.share.held];
    lane.share = null;
    for (let round = 0; round < ROUNDS; round++) {
      const remembered = lane.known;
      const { usage, version } = remembered ?? (await documents.read(key));
      const decision = decide(usage, lane.unsettled, lostOf(lane, usage.shares), group);
      const taken = decision.outcomes.filter(({ kind }) => kind === 'taken').length;
      lane.known = null;
      // What other nodes did since may have changed when there is room again.
      if (taken < group.length && remembered !== null) continue;
      if (!decision.changed) return decision;
      const share = taken === 0 ? null : nextShare(lane, decision, group, Math.max(took, taken));
      const after = share === null ? decision.after : withShare(decision.after, share);
      const before = lane.unsettled;
      // Where the answer to the write is lost, the share may be out.
      if (share !== null) lane.unsettled = [...before, share];
      const written = await documents.replace(key, version, after);
      if (written === null) {
        lane.unsettled = before;
        continue;
      }
      lane.unsettled = [];
      lane.known = { usage: after, version: written };
      if (share !== null) {
        lane.share = { held: share, seen: decision.seen };
        settleLater(key, lane);
      }
      forgetOthers(dayOf(after.used.recent.at(-1) ?? 0));
      return decision;
    }
    throw new Error(`the usage of a key changed under ${ROUNDS} attempts to write it`);
  }

  /** Ids of shares that were seen for too long to belong to anybody. */
  function lostOf({ seenSince, unsettled }: Lane, shares: SharedIds): ReadonlySet<string> {
    const others = shares.filter(({ id }) => unsettled.every((own) => own.id !== id)).map(({ id }) => id);
    for (const id of seenSince.keys()) if (!others.includes(id)) seenSince.delete(id);
    const nowMs = time.nowMs();
    for (const id of others) if (!seenSince.has(id)) seenSince.set(id, nowMs);
    return new Set(others.filter((id) => nowMs - (seenSince.get(id) ?? nowMs) > PATIENCE_MS));
  }

  function nextShare(lane: Lane, decision: Decision, group: readonly Request[], taken: number): HeldShare | null {
    const last = group.at(-1);
    const outcome = decision.outcomes.at(-1);
    if (last === undefined || outcome?.kind !== 'taken') return null;
    const atMs = decision.after.used.recent.at(-1) ?? last.atMs;
    const before = lane.lately;
    lane.lately = { taken, atMs };
    if (atMs - before.atMs > SHARE_MS) return null;
    return shareFor(outcome.usage, taken, newId(), last.limits, atMs);
  }

  /** Gives back what was not taken from a share whose time is over. */
  function settle(key: string, lane: Lane): void {
    if (lane.running === null && (lane.share !== null || lane.unsettled.length > 0)) lane.running = run(key, lane);
  }

  function settleLater(key: string, lane: Lane): void {
    time.later(SHARE_MS, () => {
      if (open) settle(key, lane);
    });
  }

  /** Once a day documents that count for nothing any more go. Where that fails, the next request of the day tries again. */
  function forgetOthers(day: number): void {
    if (day <= today) return;
    const before = today;
    today = day;
    documents.forgetBefore(day - 1).catch(() => {
      today = before;
    });
  }

  return {
    take(key, limits, atMs, counting = 'minute and day') {
      return new Promise((resolve, reject) => {
        assertOpen();
        const lane = laneOf(key);
        lane.waiting.push({ limits, atMs, counting, resolve, reject });
        if (lane.running !== null) return;
        serve(lane);
        if (lane.waiting.length > 0) lane.running = run(key, lane);
      });
    },
    async peek(key, limits, atMs) {
      assertOpen();
      const lane = lanes.get(key);
      const { usage } = await documents.read(key);
      const own = [...(lane?.unsettled ?? []), ...(lane?.share ? [lane.share.held] : [])];
      return lookShared(usage, own, limits, atMs);
    },
    async close() {
      open = false;
      for (const [key, lane] of lanes) settle(key, lane);
      for (const { running } of lanes.values()) await running;
    },
  };
}

type SharedIds = readonly { readonly id: string }[];

function newLane(): Lane {
  return {
    waiting: [],
    known: null,
    running: null,
    share: null,
    unsettled: [],
    seenSince: new Map(),
    lately: { taken: 0, atMs: Number.NEGATIVE_INFINITY },
  };
}

/** Answers what this node's share has room for. */
function serve(lane: Lane): void {
  const { share } = lane;
  if (share === null) return;
  lane.waiting = lane.waiting.filter((request) => {
    const taking = spend(share.held, share.seen, request);
    if (taking !== null) request.resolve(taking);
    return taking === null;
  });
}

function withShare({ used, shares }: Decision['after'], share: HeldShare): Decision['after'] {
  return { used, shares: [...shares, stored(share)] };
}
