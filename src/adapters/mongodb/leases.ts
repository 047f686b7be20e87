import type { Clock } from '../../ports/clock.ts';
import {
  assertTtl,
  CLOCK_SKEW_MS,
  type HeldLease,
  type LeaseRequest,
  type Leases,
  type Leasing,
} from '../../ports/leases.ts';
import { LEASES } from './collection-names.ts';
import type { Database } from './database.ts';
import { inCommands } from './gathered.ts';
import { isRefusal } from './server-faults.ts';

/** Maximum attempts when a lease is released between two reads of it. */
const MAX_ATTEMPTS = 8;

/** A released lease has no holder and keeps its token for the next one. */
type Kept = {
  readonly _id: string;
  readonly holder: string | null;
  readonly token: number;
  readonly untilMs: number;
  /** When the lease was given to a holder. An earlier release gives it to another one without changing this. */
  readonly since?: { readonly holder: string; readonly ms: number };
};

/**
 * Leases in MongoDB, one document each, taken by one atomic command; all leases of a node are renewed by one bulk write
 * (docs/decisions/0059). Uses the clocks of the nodes (docs/decisions/0026).
 *
 * @param database stays open when the leases are closed
 */
export function openLeases({ db, reading }: Database, clock: Clock): Leases {
  const leases = db.collection<Kept>(LEASES, reading);
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the leases are closed');
  }

  async function renewed({ name, holder }: LeaseRequest, untilMs: number): Promise<Leasing | null> {
    const kept = await leases.findOneAndUpdate(
      { _id: name, holder },
      { $set: { untilMs } },
      { returnDocument: 'after', includeResultMetadata: false },
    );
    return kept === null ? null : { kind: 'renewed', token: kept.token, untilMs };
  }

  async function takenOver({ name, holder }: LeaseRequest, nowMs: number, untilMs: number): Promise<Leasing | null> {
    const kept = await leases.findOneAndUpdate(
      { _id: name, $or: [{ holder: null }, { untilMs: { $lte: nowMs - CLOCK_SKEW_MS } }] },
      { $set: { holder, untilMs, since: { holder, ms: nowMs } }, $inc: { token: 1 } },
      { returnDocument: 'after', includeResultMetadata: false },
    );
    return kept === null ? null : { kind: 'acquired', token: kept.token, untilMs };
  }

  async function first({ name, holder }: LeaseRequest, nowMs: number, untilMs: number): Promise<Leasing | null> {
    try {
      await leases.insertOne({ _id: name, holder, token: 1, untilMs, since: { holder, ms: nowMs } });
      return { kind: 'acquired', token: 1, untilMs };
    } catch (fault) {
      if (isRefusal(fault, 'DuplicateKey')) return null;
      throw fault;
    }
  }

  async function others(name: string): Promise<Leasing | null> {
    const { holder = null, untilMs = 0 } = (await leases.findOne({ _id: name })) ?? {};
    return holder === null ? null : { kind: 'lost', holder, untilMs };
  }

  /** The names of those that this holder no longer has. Holder and token never come back together once they changed. */
  async function lostOf(held: readonly HeldLease[], holder: string): Promise<readonly string[]> {
    const ours = await leases.find({ _id: { $in: held.map(({ name }) => name) }, holder }).toArray();
    const tokens = new Map(ours.map(({ _id, token }) => [_id, token]));
    return held.flatMap(({ name, token }) => (tokens.get(name) === token ? [] : [name]));
  }

  return {
    async take(request) {
      assertOpen();
      assertTtl(request);
      for (let round = 0; round < MAX_ATTEMPTS; round++) {
        const nowMs = clock.nowMs();
        const untilMs = nowMs + request.ttlMs;
        const leasing =
          (await renewed(request, untilMs)) ??
          (await takenOver(request, nowMs, untilMs)) ??
          (await first(request, nowMs, untilMs)) ??
          (await others(request.name));
        if (leasing !== null) return leasing;
      }
      throw new Error(`the lease ${request.name} was released during all ${MAX_ATTEMPTS} attempts to take it`);
    },
    async renew(held, by) {
      assertOpen();
      assertTtl(by);
      const { holder, ttlMs } = by;
      const untilMs = clock.nowMs() + ttlMs;
      const lost = new Set<string>();
      for (const some of inCommands(held)) {
        const renewals = some.map(({ name, token }) => ({
          updateOne: { filter: { _id: name, holder, token }, update: { $set: { untilMs } } },
        }));
        const { matchedCount } = await leases.bulkWrite(renewals, { ordered: false });
        // The server reports only how many were renewed.
        if (matchedCount < some.length) for (const name of await lostOf(some, holder)) lost.add(name);
      }
      return { untilMs, lost };
    },
    async held(names) {
      assertOpen();
      const nowMs = clock.nowMs();
      const kept = await leases.find({ _id: { $in: [...names] } }).toArray();
      return kept.flatMap(({ _id: name, holder, untilMs }) =>
        holder !== null && nowMs < untilMs + CLOCK_SKEW_MS ? [{ name, holder }] : [],
      );
    },
    async list() {
      assertOpen();
      const heldFromMs = clock.nowMs() - CLOCK_SKEW_MS;
      const kept = await leases
        .find({ holder: { $ne: null } })
        .sort({ _id: 1 })
        .toArray();
      return kept.flatMap(({ _id: name, holder, untilMs, since }) => {
        if (holder === null || untilMs <= heldFromMs) return [];
        return [{ name, holder, sinceMs: since?.holder === holder ? since.ms : null, untilMs }];
      });
    },
    async release({ name, holder, token }) {
      assertOpen();
      await leases.updateOne({ _id: name, holder, token }, { $set: { holder: null, untilMs: 0 } });
    },
    async close() {
      open = false;
    },
  };
}
