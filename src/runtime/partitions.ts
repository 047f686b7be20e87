import { type OnFatal, runRepeatedly, runUntil, runWhileLeader } from './lease.ts';
import type { KeptLease, NodeLeases } from './node-leases.ts';
import { assignPartitions } from './partition-assignment.ts';
import { type Running, runLoop, unlessAborted } from './running.ts';

/** Work divided into partitions, numbered from 0. It does nothing before a partition is acquired. */
export type PartitionedWork = Running & {
  /** Starts the work of a partition. The stop of the partition waits for its commands in progress. */
  acquire(partition: number): Promise<Running>;
};

export type StartPartitioned = (onFatal: OnFatal) => Promise<PartitionedWork>;

export type Partitioned = { readonly name: string; readonly partitions: number };

/**
 * Divides work among nodes (docs/decisions/0040). There are as many member slots as partitions. A node holds the lease
 * of one slot, and the lease of each partition assigned to it. It computes the assignment three times per lease duration.
 * It releases a partition when the commands in progress there have ended. If a node dies, other nodes take its partitions
 * after its leases have expired. A node without a slot waits for one. While the machine's clock is off, the node lets
 * its leases expire.
 */
export function runPartitioned(work: Partitioned, start: StartPartitioned, node: NodeLeases): Running {
  return runRepeatedly(work.name, node.context, (over) =>
    runUntil(over, async (onFatal) => new Member(work, await start(onFatal), node).run()),
  );
}

/** This node's part in the work. */
class Member {
  readonly #work: PartitionedWork;
  readonly #node: NodeLeases;
  /** Leases by slot, and by partition. These names are stored: nodes of other releases use them too. */
  readonly #slots: readonly string[];
  readonly #partitions: readonly string[];
  #slot: KeptLease | null = null;
  /** The partitions whose leases this node holds or tries to take. */
  readonly #acquired = new Map<number, Running>();
  readonly #releasing = new Map<number, Promise<void>>();

  constructor({ name, partitions }: Partitioned, work: PartitionedWork, node: NodeLeases) {
    this.#work = work;
    this.#node = node;
    this.#slots = Array.from({ length: partitions }, (_, slot) => `${name}-seat-${slot}`);
    this.#partitions = Array.from({ length: partitions }, (_, partition) => `${name}-${partition}`);
  }

  run(): Running {
    const updating = runLoop((stopping) => this.#updateUntil(stopping));
    return {
      stop: async () => {
        await updating.stop();
        // Together: a partition waits for its commands in progress, and the stop of the work ends them early.
        const acquired = [...this.#acquired.values()].map((partition) => partition.stop());
        await Promise.all([this.#work.stop(), ...acquired, ...this.#releasing.values()]);
        await this.#slot?.release();
      },
    };
  }

  /** An update that fails changes nothing: leases last until they expire. */
  async #updateUntil(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      await unlessAborted(this.#node.logged(this.#update(stopping)), stopping);
      await this.#node.nextTurn(stopping);
    }
  }

  async #update(stopping: AbortSignal): Promise<void> {
    const names = [...this.#slots, ...this.#partitions];
    let held = await this.#node.holders(names);
    if (this.#slot?.lost.aborted !== false && (await this.#takeSlot(held, stopping)))
      held = await this.#node.holders(names);
    if (stopping.aborted) return;
    const members = this.#slots.flatMap((slot) => held.get(slot) ?? []);
    const holders = this.#partitions.map((partition) => held.get(partition) ?? null);
    const { holder } = this.#node.context;
    const assigned = assignPartitions({ members, holders }, holder, new Set(this.#releasing.keys()));
    for (const [partition, running] of this.#acquired) if (!assigned.has(partition)) this.#release(partition, running);
    for (const partition of assigned) if (!this.#acquired.has(partition)) this.#acquire(partition);
  }

  /** Without a slot, no partition is assigned to the node. @returns whether it has taken one */
  async #takeSlot(held: ReadonlyMap<string, string>, stopping: AbortSignal): Promise<boolean> {
    const { holder } = this.#node.context;
    this.#slot = null;
    // A slot that this node still holds first: a node has one.
    const available = this.#slots.filter((slot) => (held.get(slot) ?? holder) === holder);
    for (const name of available.toSorted((left, right) => Number(held.has(right)) - Number(held.has(left)))) {
      const answer = await this.#node.take(name);
      if (answer.kind === 'lost') continue;
      this.#slot = this.#node.keep({ name, ...answer });
      if (stopping.aborted) await this.#slot.release();
      return true;
    }
    return false;
  }

  #acquire(partition: number): void {
    const lease = this.#partitions[partition] ?? '';
    this.#acquired.set(
      partition,
      runWhileLeader(lease, () => this.#work.acquire(partition), this.#node),
    );
  }

  #release(partition: number, running: Running): void {
    this.#acquired.delete(partition);
    this.#releasing.set(
      partition,
      running.stop().finally(() => this.#releasing.delete(partition)),
    );
  }
}
