import type { Activity, ActivityId } from '../domain/activity/activity.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { SupplyFiles, SupplySource } from '../ports/supply-source.ts';
import { describeFaults, type FileFault } from './json-file.ts';
import { type LoadedSupply, readSupply, type Supply } from './supply.ts';

/** A request within this time after a refresh gets the outcome of that refresh. */
const REPEAT_MS = 3_000;
/** Delay before the retry of a failed refresh. */
const RETRY_MS = 10_000;

/** Entries that are new or changed, and ids that the files no longer contain. */
export type SupplyChange = { readonly listed: readonly Activity[]; readonly dropped: readonly ActivityId[] };

/**
 * `faulty`: some files have faults; their previous versions stay in use. `failed`: the files could not be read, or the
 * changes could not be appended to the log.
 */
export type RefreshOutcome = {
  readonly kind: 'confirmed' | 'faulty' | 'failed';
  /** Ids of the activities with new events. */
  readonly changed: ReadonlySet<string>;
};

/** The supply that this node uses, and the state of its refresh. Times in ms since the epoch. */
export type SupplyStatus = {
  readonly supply: Supply;
  /** When all files were last valid and in use. */
  readonly confirmedAtMs: number;
  readonly checkedAtMs: number;
  /** Of the last check; empty if all files are valid. */
  readonly faults: readonly FileFault[];
  /** Why the last check failed; null if it succeeded. */
  readonly failure: string | null;
};

export type SupplyRefresh = {
  status(): SupplyStatus;
  /**
   * Checks the files now. Concurrent calls share one check. A call within `REPEAT_MS` after a check gets its outcome, unless
   * the watcher reported a change since.
   */
  refresh(): Promise<RefreshOutcome>;
  stop(): Promise<void>;
};

export type RefreshContext = {
  readonly source: SupplySource;
  /** Appends the change to the log. Resolves with the ids of changed activities, once this node's live views have them. */
  readonly publish: (change: SupplyChange, lost: AbortSignal) => Promise<ReadonlySet<string>>;
  /** The entry of the catalogue files that this node holds in memory. */
  readonly entryOf: (id: ActivityId) => Activity | null;
  /** Runs `work` under a lease. `lost` aborts when the lease may be lost. */
  readonly runExclusively: <Result>(work: (lost: AbortSignal) => Promise<Result>) => Promise<Result>;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Keeps the supply current (docs/decisions/0041): checks the files at the interval, when the watcher reports a change, and on
 * request. A node publishes only the changes in its own files since its last check, so that nodes with different files do
 * not undo each other's changes. Resolves after a first check, with the watcher running.
 */
export async function startSupplyRefresh(first: LoadedSupply, context: RefreshContext): Promise<SupplyRefresh> {
  const refresher = new SupplyRefresher(first, context);
  const stopping = new AbortController();
  const watcher = context.source.watch(() => refresher.filesChanged());
  const running = refresher.run(await refresher.check(), stopping.signal);
  return {
    status: () => refresher.status,
    refresh: () => refresher.refresh(),
    async stop() {
      watcher.stop();
      stopping.abort();
      await running;
    },
  };
}

class SupplyRefresher {
  readonly #context: RefreshContext;
  #current: LoadedSupply;
  /** The files of the last check; null while their changes may not be in the log. */
  #lastFiles: SupplyFiles | null;
  /** Activities whose last publication may have failed: the next check publishes them again. */
  #unconfirmed: ReadonlySet<ActivityId> = new Set();
  #status: SupplyStatus;
  #running: Promise<RefreshOutcome> | null = null;
  #lastRefresh: { readonly atMs: number; readonly refreshed: RefreshOutcome } | null = null;
  #change = Promise.withResolvers<void>();

  constructor(first: LoadedSupply, context: RefreshContext) {
    const nowMs = context.clock.nowMs();
    this.#context = context;
    this.#current = first;
    this.#lastFiles = first.files;
    this.#status = { supply: first.supply, confirmedAtMs: nowMs, checkedAtMs: nowMs, faults: [], failure: null };
  }

  get status(): SupplyStatus {
    return this.#status;
  }

  filesChanged(): void {
    this.#lastRefresh = null;
    this.#change.resolve();
  }

  async refresh(): Promise<RefreshOutcome> {
    if (this.#running !== null) return this.#running;
    const nowMs = this.#context.clock.nowMs();
    if (this.#lastRefresh !== null && nowMs - this.#lastRefresh.atMs < REPEAT_MS) return this.#lastRefresh.refreshed;
    const refreshed = await this.check();
    this.#lastRefresh = { atMs: nowMs, refreshed };
    // The caller gets the failure; `run` retries.
    if (refreshed.kind === 'failed') this.#change.resolve();
    return refreshed;
  }

  async run({ kind }: RefreshOutcome, stopping: AbortSignal): Promise<void> {
    const { clock, everyMs } = this.#context;
    const pauseAfter = (outcome: RefreshOutcome['kind']): number =>
      outcome === 'failed' ? Math.min(RETRY_MS, everyMs) : everyMs;
    let pauseMs = pauseAfter(kind);
    while (!stopping.aborted) {
      const over = new AbortController();
      const due = clock.until(clock.nowMs() + pauseMs, AbortSignal.any([stopping, over.signal]));
      await Promise.race([due, this.#change.promise]);
      over.abort();
      if (stopping.aborted) return;
      this.#change = Promise.withResolvers<void>();
      // A running check may have read the files before the change.
      await this.#running;
      const outcome = await this.check();
      if (outcome.kind !== 'failed' && this.#lastRefresh?.refreshed.kind === 'failed') this.#lastRefresh = null;
      pauseMs = pauseAfter(outcome.kind);
    }
  }

  check(): Promise<RefreshOutcome> {
    this.#running ??= this.#checkOnce().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #checkOnce(): Promise<RefreshOutcome> {
    const { source, runExclusively, clock, log } = this.#context;
    try {
      const files = await source.read();
      if (files === this.#lastFiles) return this.#record(this.#status.faults, NO_CHANGES);
      return await runExclusively((lost) => this.#apply(lost));
    } catch (fault) {
      log.error('supply could not be refreshed', { fault });
      const failure = fault instanceof Error ? fault.message : String(fault);
      this.#status = { ...this.#status, checkedAtMs: clock.nowMs(), failure };
      return { kind: 'failed', changed: NO_CHANGES };
    }
  }

  /** Reads the files again, because they may have changed while this node waited for the lease. */
  async #apply(lost: AbortSignal): Promise<RefreshOutcome> {
    const { source, publish, log } = this.#context;
    const files = await source.read();
    const { loaded, faults } = await readSupply(files, this.#current);
    const next = loaded ?? this.#current;
    const change = changeBetween(this.#current.supply.activities, next.supply.activities, this.#unconfirmed);
    this.#lastFiles = null;
    this.#unconfirmed = new Set([...change.listed.map(({ id }) => id), ...change.dropped]);
    const changed = isEmpty(change) ? NO_CHANGES : await publish(change, lost);
    if (lost.aborted) throw new Error('the catalogue lease was lost; the files are checked again');
    this.#current = await sharingEntries(next, this.#context.entryOf);
    this.#lastFiles = files;
    this.#unconfirmed = new Set();
    const named = describeFaults(faults);
    if (faults.length > 0 && named !== describeFaults(this.#status.faults)) {
      log.error('supply has faults; the previous contents stay in use', { faults: named.split('\n') });
    }
    log.info('supply refreshed', {
      listed: change.listed.length,
      dropped: change.dropped.length,
      faults: faults.length,
    });
    return this.#record(faults, changed);
  }

  #record(faults: readonly FileFault[], changed: ReadonlySet<string>): RefreshOutcome {
    const nowMs = this.#context.clock.nowMs();
    const confirmedAtMs = faults.length === 0 ? nowMs : this.#status.confirmedAtMs;
    this.#status = { supply: this.#current.supply, confirmedAtMs, checkedAtMs: nowMs, faults, failure: null };
    return { kind: faults.length === 0 ? 'confirmed' : 'faulty', changed };
  }
}

const NO_CHANGES: ReadonlySet<string> = new Set();

function isEmpty({ listed, dropped }: SupplyChange): boolean {
  return listed.length === 0 && dropped.length === 0;
}

/** @param unconfirmed ids that always count as changed */
export function changeBetween(
  before: Iterable<Activity>,
  after: readonly Activity[],
  unconfirmed: ReadonlySet<ActivityId>,
): SupplyChange {
  const previous = new Map<ActivityId, Activity>();
  for (const activity of before) previous.set(activity.id, activity);
  const named = new Set(after.map(({ id }) => id));
  return {
    listed: after.filter((activity) => unconfirmed.has(activity.id) || !isSame(previous.get(activity.id), activity)),
    dropped: [...new Set([...previous.keys(), ...unconfirmed])].filter((id) => !named.has(id)),
  };
}

/** Entries that are compared in one turn of the event loop: some milliseconds. */
const COMPARED_AT_ONCE = 200;

/** The same supply, with the entries of the node's catalogue in place of equal ones, so that it holds each of them once. */
export async function sharingEntries(loaded: LoadedSupply, entryOf: RefreshContext['entryOf']): Promise<LoadedSupply> {
  const activities: Activity[] = [];
  for (const activity of loaded.supply.activities) {
    const held = entryOf(activity.id);
    activities.push(held !== null && isSame(held, activity) ? held : activity);
    if (activities.length % COMPARED_AT_ONCE === 0) await new Promise(setImmediate);
  }
  return { ...loaded, supply: { ...loaded.supply, activities } };
}

/** Compares the JSON texts, as the decider does (src/application/activity/listing.ts). */
function isSame(previous: Activity | undefined, activity: Activity): boolean {
  return previous === activity || (previous !== undefined && JSON.stringify(previous) === JSON.stringify(activity));
}
