import { runWhileLeader, type Start, withLease } from './lease.ts';
import { type KeptLease, type LeaseContext, NodeLeases } from './node-leases.ts';
import { type Partitioned, runPartitioned, type StartPartitioned } from './partitions.ts';
import type { Running } from './running.ts';

/** Which node does which work. */
export type LeaderElection = {
  /** Runs work on one node at a time. Resolves when the work runs here, or waits for its lease. */
  readonly runAsLeader: (name: string, start: Start) => Promise<Running>;
  /** Does work that ends by itself, on one node at a time. `lost` aborts once another node may be doing it too. */
  readonly runExclusively: <Result>(name: string, work: (lost: AbortSignal) => Promise<Result>) => Promise<Result>;
  /**
   * Takes a lease if no other node holds it, and keeps it until it is released; null if another node holds it.
   * @throws ClockOff; faults of the leases
   */
  readonly takeLease: (name: string) => Promise<KeptLease | null>;
  /** Divides work among the nodes that call this. */
  readonly runPartitioned: (work: Partitioned, start: StartPartitioned) => Promise<Running>;
};

/** For the only process on embedded stores: it leads everything, and no other node can take over work that fails. */
export const singleNode: LeaderElection = {
  runAsLeader: (_name, start) => start(() => {}),
  runExclusively: (_name, work) => work(new AbortController().signal),
  takeLease: async () => ({ lost: new AbortController().signal, release: async () => {} }),
  async runPartitioned({ partitions }, start) {
    const work = await start(() => {});
    // Not awaited: a partition is acquired once the log is folded. The work itself logs a fault.
    const acquiring = Promise.allSettled(Array.from({ length: partitions }, (_, partition) => work.acquire(partition)));
    return {
      async stop() {
        await work.stop();
        await acquiring;
      },
    };
  },
};

/** For nodes that share the engines. */
export function electByLease(context: LeaseContext): LeaderElection {
  const node = new NodeLeases(context);
  return {
    runAsLeader: async (name, start) => runWhileLeader(name, start, node),
    runExclusively: (name, work) => withLease(name, work, node),
    takeLease: async (name) => {
      const taken = await node.take(name);
      return taken.kind === 'lost' ? null : node.keep({ name, ...taken });
    },
    runPartitioned: async (work, start) => runPartitioned(work, start, node),
  };
}
