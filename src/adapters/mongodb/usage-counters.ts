import { type Collection, ObjectId } from 'mongodb';
import { dayOf, type KeyUsage, look, take, unused } from '../../ports/key-usage.ts';
import type { Counting, Taking, UsageCounters, UsageLimits } from '../../ports/usage-counters.ts';
import { USAGE } from './collection-names.ts';
import type { Database } from './database.ts';
import { isRefusal } from './server-faults.ts';

/** Of so many keys the usage is kept in memory: at most 300 instants each. */
const KEYS_IN_MEMORY = 10_000;
/** Times a group is decided anew because another node was there first. Each time one of the others got its turn. */
const ROUNDS = 64;
/** Clocks of nodes may differ by so much. One that is further behind was set back. */
const CLOCK_SKEW_MS = 5_000;

type Kept = {
  readonly _id: string;
  /** Drawn anew for each write: a number would come again where a document was deleted and made anew. */
  readonly version: ObjectId;
  readonly lastDay: number;
  readonly recent: readonly number[];
  readonly days: readonly { readonly day: number; readonly used: number }[];
};
type Request = { readonly limits: UsageLimits; readonly atMs: number; readonly counting: Counting };
type Waiting = Request & { readonly resolve: (taking: Taking) => void; readonly reject: (fault: unknown) => void };
/** `version` is null where there is no document. */
type Known = { readonly used: KeyUsage; readonly version: ObjectId | null };
/** The requests of one key: those that wait are decided together, once those before them are written. */
type Lane = { waiting: Waiting[]; known: Known | null; running: Promise<void> | null };

/**
 * Usage counters that any number of nodes share (docs/decisions/0026): one document per key, replaced where its version
 * still stands, so that each request is decided on all that came before it, wherever that came in. What this node knows
 * of a key is tried first; a refusal is only given on what was read after the request came.
 *
 * @param database stays open when the counters are closed
 */
export function openUsageCounters({ db, reading }: Database): UsageCounters {
  const usage = db.collection<Kept>(USAGE, reading);
  const lanes = new Map<string, Lane>();
  let today = 0;
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the usage counters are closed');
  }

  function laneOf(key: string): Lane {
    const lane = lanes.get(key) ?? { waiting: [], known: null, running: null };
    if (!lanes.has(key) && lanes.size >= KEYS_IN_MEMORY) {
      for (const [other, { running }] of lanes) if (running === null) lanes.delete(other);
    }
    lanes.set(key, lane);
    return lane;
  }

  async function run(key: string, lane: Lane): Promise<void> {
    while (lane.waiting.length > 0) {
      const group = lane.waiting;
      lane.waiting = [];
      try {
        const takings = await decided(key, lane, group);
        for (const [place, taking] of takings.entries()) group[place]?.resolve(taking);
      } catch (fault) {
        lane.known = null;
        for (const { reject } of group) reject(fault);
      }
    }
    lane.running = null;
  }

  /**
   * What becomes of each request of a group, once it is written. A refusal writes nothing, but that a clock was set back:
   * the instants ahead of it would else count as taken now at each request, and never end.
   */
  async function decided(key: string, lane: Lane, group: readonly Request[]): Promise<readonly Taking[]> {
    for (let round = 0; round < ROUNDS; round++) {
      const remembered = lane.known;
      const { used, version } = remembered ?? (await read(usage, key));
      const after: KeyUsage = { recent: [...used.recent], days: new Map(used.days) };
      const takings = group.map(({ limits, atMs, counting }) => take(after, limits, instantOf(after, atMs), counting));
      const refused = takings.filter(({ kind }) => kind !== 'taken').length;
      lane.known = null;
      // What other nodes did since may have changed when there is room again.
      if (refused > 0 && remembered !== null) continue;
      const setBack = group.some(({ atMs }) => instantOf(used, atMs) < (used.recent.at(-1) ?? atMs));
      if (refused === takings.length && !setBack) return takings;
      const written = await write(usage, key, version, after);
      if (written === null) continue;
      lane.known = { used: after, version: written };
      forgetOthers(dayOf(after.recent.at(-1) ?? 0));
      return takings;
    }
    throw new Error(`the usage of a key changed under ${ROUNDS} attempts to write it`);
  }

  /** Once a day documents that count for nothing any more go. Where that fails, the next request of the day tries again. */
  function forgetOthers(day: number): void {
    if (day <= today) return;
    const before = today;
    today = day;
    usage.deleteMany({ lastDay: { $lt: day - 1 } }).catch(() => {
      today = before;
    });
  }

  return {
    take(key, limits, atMs, counting = 'minute and day') {
      return new Promise((resolve, reject) => {
        assertOpen();
        const lane = laneOf(key);
        lane.waiting.push({ limits, atMs, counting, resolve, reject });
        lane.running ??= run(key, lane);
      });
    },
    async peek(key, limits, atMs) {
      assertOpen();
      const { used } = await read(usage, key);
      return look(used, limits, instantOf(used, atMs));
    },
    async close() {
      open = false;
      for (const { running } of lanes.values()) await running;
    },
  };
}

/** The clock that is ahead is that of all: a request behind it counts as one of now, so that its place is free no sooner. */
function instantOf({ recent }: KeyUsage, atMs: number): number {
  const latest = recent.at(-1) ?? atMs;
  return latest > atMs && latest - atMs <= CLOCK_SKEW_MS ? latest : atMs;
}

async function read(usage: Collection<Kept>, key: string): Promise<Known> {
  const kept = await usage.findOne({ _id: key });
  if (kept === null) return { used: unused(), version: null };
  const days = new Map(kept.days.map(({ day, used }) => [day, used]));
  return { used: { recent: [...kept.recent], days }, version: kept.version };
}

/** The version written; null where another was there first. */
async function write(
  usage: Collection<Kept>,
  key: string,
  before: ObjectId | null,
  { recent, days }: KeyUsage,
): Promise<ObjectId | null> {
  const version = new ObjectId();
  const kept = {
    version,
    lastDay: dayOf(recent.at(-1) ?? 0),
    recent: [...recent],
    days: [...days].map(([day, used]) => ({ day, used })),
  };
  try {
    if (before === null) {
      await usage.insertOne({ _id: key, ...kept });
      return version;
    }
    const { matchedCount } = await usage.updateOne({ _id: key, version: before }, { $set: kept });
    return matchedCount === 1 ? version : null;
  } catch (fault) {
    if (isRefusal(fault, 'DuplicateKey')) return null;
    // The connection may have broken behind the write: what it wrote was taken.
    if ((await usage.findOne({ _id: key, version })) !== null) return version;
    throw fault;
  }
}
