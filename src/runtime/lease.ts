import type { Leasing } from '../ports/leases.ts';
import type { LeaseContext, NodeLeases } from './node-leases.ts';
import { pause, type Running, runLoop, unlessAborted } from './running.ts';

/** Work calls it when it cannot continue on this node. The runner then stops the work and releases the lease. */
export type OnFatal = (fault: unknown) => void;

export type Start = (onFatal: OnFatal) => Promise<Running>;

/** Poll interval while waiting for a one-shot lease. */
const POLL_MS = 250;
/** Pause after a fault at the start of the work. */
const FAULT_PAUSE_MS = 1_000;

/**
 * Runs work on the node that holds the lease (docs/decisions/0028). Starts it once this node holds the lease, and stops it
 * when the lease is lost, when its end has passed without a renewal, or when the machine's clock is off; then tries again.
 * Work that was in progress when a lease was lost may be done twice.
 */
export function runWhileLeader(name: string, start: Start, node: NodeLeases): Running {
  const { log, holder } = node.context;
  return runRepeatedly(name, node.context, async (over) => {
    const taking = async (): Promise<Leasing | null> => ((await node.available(name)) ? node.take(name) : null);
    const taken = await unlessAborted(node.logged(taking()), over);
    if (taken === null || taken.kind === 'lost') {
      await node.nextTurn(over);
      return null;
    }
    log.info('lease taken', { lease: name, holder });
    const kept = node.keep({ name, ...taken });
    // Renewed also while the work stops: no other node may start it before it has stopped here.
    const result = await runUntil(AbortSignal.any([kept.lost, over]), start);
    if (kept.lost.aborted) log.warn('lease lost', { lease: name, holder });
    await kept.release();
    return result;
  });
}

/**
 * Waits for a lease, then does work that ends by itself, and releases the lease. `lost` aborts when another node has taken
 * the lease, when its end has passed without a renewal, or when the machine's clock is off.
 *
 * @throws what the work throws; ClockOff and faults of the leases while waiting
 */
export async function withLease<Result>(
  name: string,
  work: (lost: AbortSignal) => Promise<Result>,
  node: NodeLeases,
): Promise<Result> {
  let taken = await node.take(name);
  while (taken.kind === 'lost') {
    await pollPause(node);
    if (await node.available(name)) taken = await node.take(name);
  }
  const kept = node.keep({ name, ...taken });
  try {
    return await work(kept.lost);
  } finally {
    await kept.release();
  }
}

/** For work that ends by itself. In real time, since the service's clock may be a test clock that stands still. */
async function pollPause(node: NodeLeases): Promise<void> {
  const over = new AbortController();
  await Promise.race([node.nextTurn(over.signal), pause(POLL_MS)]);
  over.abort();
}

/** Why work ended before it was stopped. */
type Ended = { readonly kind: 'not started' | 'failed'; readonly fault: unknown };

/**
 * Repeats an attempt until it is stopped, and only while the clock is right: `over` aborts when the clock is off, too. After
 * work has failed it waits for the duration of a lease, so that another node can take the work over.
 */
export function runRepeatedly(
  name: string,
  { clock, clockCheck, log, ttlMs }: LeaseContext,
  attempt: (over: AbortSignal) => Promise<Ended | null>,
): Running {
  return runLoop(async (stopping) => {
    while (!stopping.aborted) {
      await clockCheck.right(stopping);
      const over = AbortSignal.any([stopping, clockCheck.off]);
      while (!over.aborted) {
        const ended = await attempt(over);
        if (ended === null) continue;
        const retryMs = ended.kind === 'failed' ? ttlMs : FAULT_PAUSE_MS;
        log.error('leased work failed', { lease: name, retryMs, fault: ended.fault });
        await clock.until(clock.nowMs() + retryMs, over);
      }
    }
  });
}

/** Starts work and stops it at the signal, or when it cannot continue. Resolves when it has stopped. */
export async function runUntil(over: AbortSignal, start: Start): Promise<Ended | null> {
  const failed = Promise.withResolvers<Ended>();
  try {
    const running = await start((fault) => failed.resolve({ kind: 'failed', fault }));
    const ended = await unlessAborted(failed.promise, over);
    await running.stop();
    return ended;
  } catch (fault) {
    return { kind: 'not started', fault };
  }
}
