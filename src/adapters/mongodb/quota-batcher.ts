import type { Taking, Usage, UsageLimits } from '../../ports/rate-limiter.ts';
import { type RequestWindow, utcDayNumber } from '../../ports/sliding-window.ts';
import {
  decide,
  type HeldLease,
  LEASE_MS,
  leaseFor,
  type Request,
  type SharedUsage,
  spend,
  stored,
  type UsageDecision,
  usageLeft,
} from './quota-leases.ts';
import type { UsageDocuments, VersionedUsage } from './usage-documents.ts';

/**
 * Maximum attempts to write a group's decision when other nodes write first. Each conflict means another node's
 * success.
 */
const MAX_WRITE_ATTEMPTS = 64;
/** Delay before a request that is blocked by open leases is decided again. */
const RECHECK_MS = 20;
/** A lease of another node that stays unsettled for this long belongs to a dead node. */
const LOST_AFTER_MS = LEASE_MS + 500;

/** The monotonic clock and the timers; separate from the instants of requests. */
export type Time = {
  /** Monotonic, ms. */
  nowMs(): number;
  /** Calls once after `ms`; does not keep the process alive. */
  later(ms: number, call: () => void): void;
};

type BatcherContext = {
  readonly documents: UsageDocuments;
  readonly time: Time;
  /** Generates lease ids, unique over all nodes. */
  readonly newId: () => string;
  /** Called after each write with the day it counted on (days since the epoch, UTC). */
  readonly onWrite: (day: number) => void;
  /** False once the counters are closed: the timer then settles nothing. */
  readonly open: () => boolean;
};

/** Decides one key's requests on one node: requests that arrive during a write are decided together after it. */
export type QuotaBatcher = {
  take(request: Request): Promise<Taking>;
  peek(limits: UsageLimits, atMs: number): Promise<Usage>;
  /** Returns the unused part of the leases to the store; resolves when no decision is running. */
  settle(): Promise<void>;
  /** Whether it can be dropped: no decision is running and no lease is open. */
  idle(): boolean;
};

type Waiting = Request & { readonly resolve: (taking: Taking) => void; readonly reject: (fault: unknown) => void };

/** A lease, and the usage that its holder knows. */
type OpenLease = { readonly held: HeldLease; readonly seen: RequestWindow };

export function openQuotaBatcher(key: string, { documents, time, newId, onWrite, open }: BatcherContext): QuotaBatcher {
  let waiting: Waiting[] = [];
  let known: VersionedUsage | null = null;
  let running: Promise<void> | null = null;
  /** The lease that requests are admitted from without a round trip. */
  let lease: OpenLease | null = null;
  /** Leases that may still be stored, though no request is admitted from them any more. */
  let unsettled: readonly HeldLease[] = [];
  const lostOf = findLostLeases(time);
  /** Instant of the last request counted at the store, ms since the epoch. */
  let lastCountedMs = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    do {
      const group = waiting;
      waiting = [];
      try {
        const { outcomes } = await visit(group);
        const blocked = group.filter((request, place) => {
          const outcome = outcomes[place];
          if (outcome === undefined || outcome.kind === 'blocked') return true;
          request.resolve(outcome);
          return false;
        });
        if (blocked.length > 0) await new Promise<void>((resolve) => time.later(RECHECK_MS, resolve));
        waiting = [...blocked, ...waiting];
        waiting = unserved(waiting, lease);
      } catch (fault) {
        known = null;
        for (const { reject } of group) reject(fault);
        if (unsettled.length > 0) settleLater();
      }
    } while (waiting.length > 0);
    running = null;
  }

  /** Settles this node's leases and decides a group. Writes nothing if all requests are refused. */
  async function visit(group: readonly Request[]): Promise<UsageDecision> {
    const spent = lease?.held.spent.length ?? 0;
    if (lease !== null) unsettled = [...unsettled, lease.held];
    lease = null;
    for (let round = 0; round < MAX_WRITE_ATTEMPTS; round++) {
      const remembered = known;
      const { usage, version } = remembered ?? (await documents.read(key));
      const decision = decide(usage, unsettled, lostOf(usage, unsettled), group);
      const taken = decision.outcomes.filter(({ kind }) => kind === 'taken').length;
      known = null;
      // A refusal needs a fresh read: other nodes may have changed the usage since.
      if (taken < group.length && remembered !== null) continue;
      const next = (): HeldLease | null =>
        nextLease(decision, group, { taken: Math.max(spent, taken), lastCountedMs }, newId);
      if (!decision.changed || (await write(version, decision, next()))) return decision;
    }
    throw new Error(`other nodes changed the usage of a key during all ${MAX_WRITE_ATTEMPTS} attempts to write it`);
  }

  /** Returns false if another node wrote first. */
  async function write(
    version: string | null,
    { after, seen }: UsageDecision,
    next: HeldLease | null,
  ): Promise<boolean> {
    const usage = next === null ? after : { used: after.used, leases: [...after.leases, stored(next)] };
    const before = unsettled;
    // If the answer to the write is lost, the lease may be stored.
    if (next !== null) unsettled = [...before, next];
    const written = await documents.replace(key, version, usage);
    if (written === null) {
      unsettled = before;
      return false;
    }
    unsettled = [];
    known = { usage, version: written };
    const countedMs = after.used.recent.at(-1) ?? 0;
    lastCountedMs = countedMs;
    if (next !== null) {
      lease = { held: next, seen };
      settleLater();
    }
    onWrite(utcDayNumber(countedMs));
    return true;
  }

  function settleLater(): void {
    time.later(LEASE_MS, () => {
      if (open()) void settle();
    });
  }

  async function settle(): Promise<void> {
    if (lease !== null || unsettled.length > 0) running ??= run();
    await running;
  }

  return {
    take(request) {
      return new Promise((resolve, reject) => {
        waiting.push({ ...request, resolve, reject });
        if (running !== null) return;
        waiting = unserved(waiting, lease);
        if (waiting.length > 0) running = run();
      });
    },
    async peek(limits, atMs) {
      const { usage } = await documents.read(key);
      return usageLeft(usage, lease === null ? unsettled : [...unsettled, lease.held], limits, atMs);
    },
    settle,
    idle: () => running === null && lease === null && unsettled.length === 0,
  };
}

/** Admits requests from the lease while it has room, and returns the others. */
function unserved(waiting: Waiting[], lease: OpenLease | null): Waiting[] {
  if (lease === null) return waiting;
  return waiting.filter((request) => {
    const taking = spend(lease.held, lease.seen, request);
    if (taking !== null) request.resolve(taking);
    return taking === null;
  });
}

/** A lease for the deciding node; null if the group's last request was refused, since almost nothing is left then. */
function nextLease(
  { after, outcomes }: UsageDecision,
  group: readonly Request[],
  recently: { readonly taken: number; readonly lastCountedMs: number },
  newId: () => string,
): HeldLease | null {
  const [last, outcome] = [group.at(-1), outcomes.at(-1)];
  const atMs = after.used.recent.at(-1);
  if (last === undefined || atMs === undefined || outcome?.kind !== 'taken') return null;
  if (atMs - recently.lastCountedMs > LEASE_MS) return null;
  return leaseFor(outcome.usage, recently.taken, newId(), last.limits, atMs);
}

/** Finds leases of other nodes that stayed unsettled for longer than LOST_AFTER_MS. */
function findLostLeases(time: Time): (usage: SharedUsage, own: readonly HeldLease[]) => ReadonlySet<string> {
  const seenSince = new Map<string, number>();
  return ({ leases }, own) => {
    const others = leases.map(({ id }) => id).filter((id) => own.every((mine) => mine.id !== id));
    const nowMs = time.nowMs();
    for (const id of seenSince.keys()) if (!others.includes(id)) seenSince.delete(id);
    for (const id of others) if (!seenSince.has(id)) seenSince.set(id, nowMs);
    return new Set(others.filter((id) => nowMs - (seenSince.get(id) ?? nowMs) > LOST_AFTER_MS));
  };
}
