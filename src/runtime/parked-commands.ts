import { type Position, storedPosition } from '../eventsourcing/message.ts';
import { faultText } from '../eventsourcing/parked.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import { FailingCommands } from './failing-commands.ts';
import type { LowWaterCheckpoint } from './low-water-checkpoint.ts';
import { isLeftOut, type Parking } from './parking.ts';

/** Where a process manager records what it leaves out, and hears of retries. */
export type ManagerParking = Parking & {
  /** Calls back when an operator retries an item of a reader, on any node. Returns a function that ends this. */
  onRetry(reader: string, listener: () => void): () => void;
};

/** Without `parking`, a process manager parks nothing. */
export type WithParking = { readonly parking?: ManagerParking | undefined };

type Context = WithParking & {
  readonly store: Pick<EventStore, 'positions'>;
  readonly clock: Clock;
  readonly log: Log;
};

/** The commands of one process manager that fail, and those that it left out. */
export class ParkedCommands {
  readonly #manager: string;
  readonly #context: Context;
  readonly #failing: FailingCommands;
  /** Left out when everything up to a position is folded, in this order. */
  #drops: readonly { readonly key: string; readonly upTo: Position }[] = [];

  constructor(manager: string, context: Context) {
    this.#manager = manager;
    this.#context = context;
    this.#failing = new FailingCommands(context.clock);
  }

  /**
   * Reads the items, and moves the checkpoint back before those that an operator retried. The log in order is the only input
   * of the fold, so a single event or command is never put back.
   */
  async load(checkpoint: LowWaterCheckpoint): Promise<void> {
    const { parking, store } = this.#context;
    if (parking === undefined) return;
    const items = await parking.load(this.#manager);
    const retried = [...items.values()].filter(({ status }) => status === 'retried');
    for (const { after } of retried) await checkpoint.retreat(storedPosition(after, store.positions));
    for (const { id } of retried) await parking.resumed(this.#manager, id);
    const left = [...items.values()].flatMap((item) =>
      item.kind === 'command' && isLeftOut(items, item.id)
        ? [{ key: item.id, upTo: storedPosition(item.upTo, store.positions) }]
        : [],
    );
    this.#drops = left.sort((one, other) => one.upTo - other.upTo);
  }

  /** The keys to drop before an event at this position is folded. Returns each once. */
  due(before: Position): readonly string[] {
    const due = this.#drops.filter(({ upTo }) => upTo < before);
    if (due.length > 0) this.#drops = this.#drops.slice(due.length);
    return due.map(({ key }) => key);
  }

  /** True while a command pauses after a fault. */
  pauses(key: string): boolean {
    return this.#failing.pauses(key);
  }

  succeeded(key: string): void {
    this.#failing.forget(key);
  }

  forgetOld(): void {
    this.#failing.forgetOld();
  }

  /**
   * Counts a fault of a command, and parks one that fails for ever. `after`: a checkpoint before the event that opened it;
   * `upTo`: everything up to here is folded. Returns true if the command is left out.
   */
  async failed(
    key: string,
    fault: unknown,
    { after, upTo }: { readonly after: Position; readonly upTo: Position },
  ): Promise<boolean> {
    const { parking, log, store } = this.#context;
    const attempts = this.#failing.count(key, fault);
    if (parking === undefined || attempts === null) return false;
    const { format } = store.positions;
    const place = { after: format(after), upTo: format(upTo) };
    const happened = { manager: this.#manager, command: key, fault };
    try {
      const leftOut = { kind: 'command', id: key, attempts, ...place, fault: faultText(fault) } as const;
      if ((await parking.park(this.#manager, leftOut)) === 'full') return false;
    } catch (outage) {
      log.error('process manager task failed', { ...happened, fault: outage });
      return false;
    }
    this.#failing.forget(key);
    log.error('command parked: the process manager goes on without it', happened);
    return true;
  }
}
