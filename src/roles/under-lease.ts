import type { Clock } from '../ports/clock.ts';
import type { LeaseRequest, Leases, Leasing } from '../ports/leases.ts';

type Surroundings = { readonly leases: Leases; readonly clock: Clock };

/**
 * Waits for a lease, then does the work while renewing it three times in its time. `signal` is aborted once the lease is
 * lost: another took it, or it could not be renewed until its end. The lease is let go when the work has ended.
 *
 * @throws what the work throws; a fault of the leases while they are waited for
 */
export async function underLease<Result>(
  request: LeaseRequest,
  { leases, clock }: Surroundings,
  work: (lease: { readonly token: number; readonly signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const { token, untilMs } = await acquired(request, { leases, clock });
  const lost = new AbortController();
  const ended = new AbortController();
  const keeping = keep(request, { leases, clock }, { untilMs, lost, ended: ended.signal });
  try {
    return await work({ token, signal: lost.signal });
  } finally {
    ended.abort();
    await keeping;
    // It runs out by itself where it cannot be let go.
    if (!lost.signal.aborted) await leases.release({ ...request, token }).catch(() => {});
  }
}

async function acquired(
  request: LeaseRequest,
  { leases, clock }: Surroundings,
): Promise<Exclude<Leasing, { kind: 'lost' }>> {
  for (;;) {
    const leasing = await leases.take(request);
    if (leasing.kind !== 'lost') return leasing;
    await clock.until(clock.nowMs() + pauseMs(request));
  }
}

type Keeping = { readonly untilMs: number; readonly lost: AbortController; readonly ended: AbortSignal };

async function keep(request: LeaseRequest, { leases, clock }: Surroundings, keeping: Keeping): Promise<void> {
  const { lost, ended } = keeping;
  let { untilMs } = keeping;
  while (!ended.aborted && !lost.signal.aborted) {
    await clock.until(clock.nowMs() + pauseMs(request), ended);
    if (ended.aborted) return;
    try {
      const leasing = await leases.take(request);
      if (leasing.kind === 'renewed') ({ untilMs } = leasing);
      else lost.abort();
    } catch {
      // The store is away. Until the end of the lease it may come back.
      if (clock.nowMs() >= untilMs) lost.abort();
    }
  }
}

function pauseMs({ ttlMs }: LeaseRequest): number {
  return Math.max(1, Math.floor(ttlMs / 3));
}
