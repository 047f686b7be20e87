import { type LeaseContext, type OnFatal, RENEWALS_PER_TTL, runRepeatedly, runUntil, runWhileLeader } from './lease.ts';
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
export function runPartitioned(work: Partitioned, start: StartPartitioned, context: LeaseContext): Running {
  return runRepeatedly(work.name, context, (over) =>
    runUntil(over, async (onFatal) => new Member(work, await start(onFatal), context).run()),
  );
}

/** This node's part in the work. */
class Member {
  readonly #name: string;
  readonly #work: PartitionedWork;
  readonly #context: LeaseContext;
  /** Leases by slot, and by partition. These names are stored: nodes of other releases use them too. */
  readonly #slots: readonly string[];
  readonly #partitions: readonly string[];
  #slot: { readonly name: string; readonly token: number } | null = null;
  /** The partitions whose leases this node holds or tries to take. */
  readonly #acquired = new Map<number, Running>();
  readonly #releasing = new Map<number, Promise<void>>();
  /** Whether the last update failed: a lasting fault is logged once. */
  #failing = false;

  constructor({ name, partitions }: Partitioned, work: PartitionedWork, context: LeaseContext) {
    this.#name = name;
    this.#work = work;
    this.#context = context;
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
        await this.#leave();
      },
    };
  }

  /** An update that fails changes nothing: leases last until they expire. */
  async #updateUntil(stopping: AbortSignal): Promise<void> {
    const { clock, clockCheck, ttlMs, log } = this.#context;
    while (!stopping.aborted) {
      try {
        await unlessAborted(this.#update(stopping), stopping);
        this.#failing = false;
      } catch (fault) {
        // ClockCheck logs that the clock is off.
        if (!this.#failing && !clockCheck.off.aborted)
          log.warn('lease cannot be taken or renewed', { lease: this.#name, fault });
        this.#failing = true;
      }
      await clock.until(clock.nowMs() + ttlMs / RENEWALS_PER_TTL, stopping);
    }
  }

  async #update(stopping: AbortSignal): Promise<void> {
    const { leases, holder, clockCheck } = this.#context;
    await clockCheck.confirm();
    await this.#keepSlot();
    const held = new Map(
      (await leases.held([...this.#slots, ...this.#partitions])).map((one) => [one.name, one.holder]),
    );
    if (stopping.aborted) return;
    const members = this.#slots.flatMap((slot) => held.get(slot) ?? []);
    const holders = this.#partitions.map((partition) => held.get(partition) ?? null);
    const assigned = assignPartitions({ members, holders }, holder, new Set(this.#releasing.keys()));
    for (const [partition, running] of this.#acquired) if (!assigned.has(partition)) this.#release(partition, running);
    for (const partition of assigned) if (!this.#acquired.has(partition)) this.#acquire(partition);
  }

  /** A node that has lost its slot takes another one. Without a slot, no partition is assigned to it. */
  async #keepSlot(): Promise<void> {
    const { leases, holder, ttlMs } = this.#context;
    for (const name of this.#slot === null ? this.#slots : [this.#slot.name, ...this.#slots]) {
      const answer = await leases.take({ name, holder, ttlMs });
      this.#slot = answer.kind === 'lost' ? null : { name, token: answer.token };
      if (this.#slot !== null) return;
    }
  }

  #acquire(partition: number): void {
    const lease = this.#partitions[partition] ?? '';
    this.#acquired.set(
      partition,
      runWhileLeader(lease, () => this.#work.acquire(partition), this.#context),
    );
  }

  #release(partition: number, running: Running): void {
    this.#acquired.delete(partition);
    this.#releasing.set(
      partition,
      running.stop().finally(() => this.#releasing.delete(partition)),
    );
  }

  async #leave(): Promise<void> {
    const { leases, holder, log, clockCheck } = this.#context;
    if (clockCheck.off.aborted) return;
    try {
      if (this.#slot !== null) await leases.release({ ...this.#slot, holder });
    } catch (fault) {
      log.warn('lease not released', { lease: this.#slot?.name, fault });
    }
  }
}
