import { dayOf, type KeyUsage } from '../../ports/key-usage.ts';
import type { Taking, Usage, UsageLimits } from '../../ports/usage-counters.ts';
import type { Known, UsageDocuments } from './usage-documents.ts';
import {
  type Decision,
  decide,
  type HeldShare,
  lookShared,
  type Request,
  SHARE_MS,
  type SharedUsage,
  shareFor,
  spend,
  stored,
} from './usage-shares.ts';

/** Times a group is decided anew because another node was there first. Each time one of the others got its turn. */
const ROUNDS = 64;
/** A request that is refused for shares that are out is decided again after so long. */
const LOOK_AGAIN_MS = 20;
/** A share that is seen for so long without being settled belongs to a node that is gone. */
const PATIENCE_MS = SHARE_MS + 500;

/** How time passes beside the instants of requests. */
export type Passing = {
  /** Grows with real time (ms); says nothing of the date. */
  nowMs(): number;
  /** Calls once, after so long; does not keep the process up. */
  later(ms: number, call: () => void): void;
};

export type LaneContext = {
  readonly documents: UsageDocuments;
  readonly time: Passing;
  /** A share's, used once. */
  readonly newId: () => string;
  /** Told of each write the day on which it counted (days since the epoch, UTC). */
  readonly wrote: (day: number) => void;
  /** False once nothing is done any more without being asked for. */
  readonly open: () => boolean;
};

/** The requests of one key on one node: those that wait are decided together, once those before them are written. */
export type Lane = {
  take(request: Request): Promise<Taking>;
  look(limits: UsageLimits, atMs: number): Promise<Usage>;
  /** Gives back what was not taken from a share, and resolves when nothing is under way. */
  settle(): Promise<void>;
  /** Whether it can be forgotten: nothing is under way, and nothing is out. */
  idle(): boolean;
};

type Waiting = Request & { readonly resolve: (taking: Taking) => void; readonly reject: (fault: unknown) => void };

/** A share, and what was used as its holder saw it. */
type OpenShare = { readonly held: HeldShare; readonly seen: KeyUsage };

export function openLane(key: string, { documents, time, newId, wrote, open }: LaneContext): Lane {
  let waiting: Waiting[] = [];
  let known: Known | null = null;
  let running: Promise<void> | null = null;
  /** What may be taken from at once. */
  let share: OpenShare | null = null;
  /** Shares that may still be out, though nothing is taken from them any more. */
  let unsettled: readonly HeldShare[] = [];
  const lostOf = watchShares(time);
  /** When the last request was counted at the store. */
  let latelyMs = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    do {
      const group = waiting;
      waiting = [];
      try {
        const { outcomes } = await visit(group);
        const heldUp = group.filter((request, place) => {
          const outcome = outcomes[place];
          if (outcome === undefined || outcome.kind === 'held up') return true;
          request.resolve(outcome);
          return false;
        });
        if (heldUp.length > 0) await new Promise<void>((resolve) => time.later(LOOK_AGAIN_MS, resolve));
        waiting = [...heldUp, ...waiting];
        waiting = unserved(waiting, share);
      } catch (fault) {
        known = null;
        for (const { reject } of group) reject(fault);
        if (unsettled.length > 0) settleLater();
      }
    } while (waiting.length > 0);
    running = null;
  }

  /** Decides a group, with what this node holds settled. Refusals alone write nothing. */
  async function visit(group: readonly Request[]): Promise<Decision> {
    const spent = share?.held.spent.length ?? 0;
    if (share !== null) unsettled = [...unsettled, share.held];
    share = null;
    for (let round = 0; round < ROUNDS; round++) {
      const remembered = known;
      const { usage, version } = remembered ?? (await documents.read(key));
      const decision = decide(usage, unsettled, lostOf(usage, unsettled), group);
      const taken = decision.outcomes.filter(({ kind }) => kind === 'taken').length;
      known = null;
      // What other nodes did since may have changed when there is room again.
      if (taken < group.length && remembered !== null) continue;
      const next = (): HeldShare | null =>
        nextShare(decision, group, { taken: Math.max(spent, taken), latelyMs }, newId);
      if (!decision.changed || (await write(version, decision, next()))) return decision;
    }
    throw new Error(`the usage of a key changed under ${ROUNDS} attempts to write it`);
  }

  /** False where another node was there first. */
  async function write(version: string | null, { after, seen }: Decision, next: HeldShare | null): Promise<boolean> {
    const usage = next === null ? after : { used: after.used, shares: [...after.shares, stored(next)] };
    const before = unsettled;
    // Where the answer to the write is lost, the share may be out.
    if (next !== null) unsettled = [...before, next];
    const written = await documents.replace(key, version, usage);
    if (written === null) {
      unsettled = before;
      return false;
    }
    unsettled = [];
    known = { usage, version: written };
    const countedMs = after.used.recent.at(-1) ?? 0;
    latelyMs = countedMs;
    if (next !== null) {
      share = { held: next, seen };
      settleLater();
    }
    wrote(dayOf(countedMs));
    return true;
  }

  function settleLater(): void {
    time.later(SHARE_MS, () => {
      if (open()) void settle();
    });
  }

  async function settle(): Promise<void> {
    if (share !== null || unsettled.length > 0) running ??= run();
    await running;
  }

  return {
    take(request) {
      return new Promise((resolve, reject) => {
        waiting.push({ ...request, resolve, reject });
        if (running !== null) return;
        waiting = unserved(waiting, share);
        if (waiting.length > 0) running = run();
      });
    },
    async look(limits, atMs) {
      const { usage } = await documents.read(key);
      return lookShared(usage, share === null ? unsettled : [...unsettled, share.held], limits, atMs);
    },
    settle,
    idle: () => running === null && share === null && unsettled.length === 0,
  };
}

/** Answers the requests that a share has room for, and returns the others. */
function unserved(waiting: Waiting[], share: OpenShare | null): Waiting[] {
  if (share === null) return waiting;
  return waiting.filter((request) => {
    const taking = spend(share.held, share.seen, request);
    if (taking !== null) request.resolve(taking);
    return taking === null;
  });
}

/** A share for the node that decided; none where the last of the group was refused: then next to nothing is left. */
function nextShare(
  { after, outcomes }: Decision,
  group: readonly Request[],
  lately: { readonly taken: number; readonly latelyMs: number },
  newId: () => string,
): HeldShare | null {
  const [last, outcome] = [group.at(-1), outcomes.at(-1)];
  const atMs = after.used.recent.at(-1);
  if (last === undefined || atMs === undefined || outcome?.kind !== 'taken') return null;
  if (atMs - lately.latelyMs > SHARE_MS) return null;
  return shareFor(outcome.usage, lately.taken, newId(), last.limits, atMs);
}

/** Tells which shares of others were seen for too long to belong to anybody. */
function watchShares(time: Passing): (usage: SharedUsage, own: readonly HeldShare[]) => ReadonlySet<string> {
  const seenSince = new Map<string, number>();
  return ({ shares }, own) => {
    const others = shares.map(({ id }) => id).filter((id) => own.every((mine) => mine.id !== id));
    const nowMs = time.nowMs();
    for (const id of seenSince.keys()) if (!others.includes(id)) seenSince.delete(id);
    for (const id of others) if (!seenSince.has(id)) seenSince.set(id, nowMs);
    return new Set(others.filter((id) => nowMs - (seenSince.get(id) ?? nowMs) > PATIENCE_MS));
  };
}
