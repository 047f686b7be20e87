import type { Activity, ActivityId } from '../domain/activity/activity.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { SupplyFiles, SupplySource } from '../ports/supply-source.ts';
import { describeFaults, type FileFault } from './json-file.ts';
import { readSupply, type SoundSupply, type Supply } from './supply.ts';

/** A repetition within this time is answered with what came of the refresh before it. */
const REPEAT_MS = 3_000;
/** What went wrong on its way into the log is tried again after so long. */
const RETRY_MS = 10_000;

/** What the log is to be told of a supply: entries that are new or changed, and ids that are named no more. */
export type SupplyChange = { readonly listed: readonly Activity[]; readonly dropped: readonly ActivityId[] };

/** `faulty`: files have faults, and what they said before goes on. `failed`: nothing could be looked at, or told to the log. */
export type Refreshed = {
  readonly kind: 'confirmed' | 'faulty' | 'failed';
  /** The ids of activities of which the log was told something new. */
  readonly changed: ReadonlySet<string>;
};

/** What this node goes by, and how it came to it. Times in ms since the epoch. */
export type SupplyStatus = {
  readonly supply: Supply;
  /** When everything in the files was last found sound, and in force. */
  readonly confirmedAtMs: number;
  readonly lookedAtMs: number;
  /** Of the last look; none where all was sound. */
  readonly faults: readonly FileFault[];
  /** Why the last look came to nothing; null where it did not. */
  readonly failure: string | null;
};

export type SupplyRefresh = {
  status(): SupplyStatus;
  /**
   * Looks at the files now. Whoever asks while they are looked at gets what comes of that look, and whoever asks again within
   * a few seconds what came of the last, unless something was seen to change.
   */
  refresh(): Promise<Refreshed>;
  stop(): Promise<void>;
};

export type RefreshContext = {
  readonly source: SupplySource;
  /** Resolves with the ids of activities that are another now, once this node's own memory has them. */
  readonly tell: (change: SupplyChange) => Promise<ReadonlySet<string>>;
  /** Does a work while no other node does it. `lost` aborts where that is no longer sure. */
  readonly exclusively: <Result>(work: (lost: AbortSignal) => Promise<Result>) => Promise<Result>;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Keeps a supply as its files say (docs/decisions/0041): looks at them at the interval, when they are seen to change, and when
 * asked. What this node's own files changed since it last looked is told to the log, and nothing else: so two nodes with
 * different files never take turns in undoing what the other said. Resolves when it has looked once more at what the log was
 * told at the start, and watches.
 */
export async function keepSupply(first: SoundSupply, context: RefreshContext): Promise<SupplyRefresh> {
  const keeper = new Keeper(first, context);
  const stopping = new AbortController();
  const watcher = context.source.watch(() => keeper.notice());
  const keeping = keeper.keep(await keeper.look(), stopping.signal);
  return {
    status: () => keeper.status,
    refresh: () => keeper.refresh(),
    async stop() {
      watcher.stop();
      stopping.abort();
      await keeping;
    },
  };
}

class Keeper {
  readonly #context: RefreshContext;
  #sound: SoundSupply;
  /** As they were looked at last; null where what they said may not all have reached the log. */
  #looked: SupplyFiles | null;
  /** Of these it is not known whether the log was told: it is told again, whatever the files say by then. */
  #doubtful: ReadonlySet<ActivityId> = new Set();
  #status: SupplyStatus;
  #running: Promise<Refreshed> | null = null;
  #answered: { readonly atMs: number; readonly refreshed: Refreshed } | null = null;
  #noticed = Promise.withResolvers<void>();

  constructor(first: SoundSupply, context: RefreshContext) {
    const nowMs = context.clock.nowMs();
    this.#context = context;
    this.#sound = first;
    this.#looked = first.files;
    this.#status = { supply: first.supply, confirmedAtMs: nowMs, lookedAtMs: nowMs, faults: [], failure: null };
  }

  get status(): SupplyStatus {
    return this.#status;
  }

  /** Something may have changed. */
  notice(): void {
    this.#answered = null;
    this.#noticed.resolve();
  }

  async refresh(): Promise<Refreshed> {
    if (this.#running !== null) return this.#running;
    const nowMs = this.#context.clock.nowMs();
    if (this.#answered !== null && nowMs - this.#answered.atMs < REPEAT_MS) return this.#answered.refreshed;
    const refreshed = await this.look();
    this.#answered = { atMs: nowMs, refreshed };
    // Who asked is told so; that it is tried again is the keeper's to see to.
    if (refreshed.kind === 'failed') this.#noticed.resolve();
    return refreshed;
  }

  async keep({ kind }: Refreshed, stopping: AbortSignal): Promise<void> {
    const { clock, everyMs } = this.#context;
    const pauseAfter = (looked: Refreshed['kind']): number =>
      looked === 'failed' ? Math.min(RETRY_MS, everyMs) : everyMs;
    let pauseMs = pauseAfter(kind);
    while (!stopping.aborted) {
      const over = new AbortController();
      const due = clock.until(clock.nowMs() + pauseMs, AbortSignal.any([stopping, over.signal]));
      await Promise.race([due, this.#noticed.promise]);
      over.abort();
      if (stopping.aborted) return;
      this.#noticed = Promise.withResolvers<void>();
      // One that is under way may have looked before the change.
      await this.#running;
      const looked = await this.look();
      if (looked.kind !== 'failed' && this.#answered?.refreshed.kind === 'failed') this.#answered = null;
      pauseMs = pauseAfter(looked.kind);
    }
  }

  look(): Promise<Refreshed> {
    this.#running ??= this.#lookOnce().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #lookOnce(): Promise<Refreshed> {
    const { source, exclusively, clock, log } = this.#context;
    try {
      const files = await source.read();
      if (files === this.#looked) return this.#found(this.#status.faults, NOTHING);
      return await exclusively((lost) => this.#takeIn(lost));
    } catch (fault) {
      log.error('supply could not be refreshed', { fault });
      const failure = fault instanceof Error ? fault.message : String(fault);
      this.#status = { ...this.#status, lookedAtMs: clock.nowMs(), failure };
      return { kind: 'failed', changed: NOTHING };
    }
  }

  /** Reads again: what another node's turn was waited for may have changed meanwhile. */
  async #takeIn(lost: AbortSignal): Promise<Refreshed> {
    const { source, tell, log } = this.#context;
    const files = await source.read();
    const { sound, faults } = await readSupply(files, this.#sound);
    const next = sound ?? this.#sound;
    const change = changeBetween(this.#sound.supply, next.supply, this.#doubtful);
    this.#looked = null;
    this.#doubtful = new Set([...change.listed.map(({ id }) => id), ...change.dropped]);
    const changed = isNothing(change) ? NOTHING : await tell(change);
    if (lost.aborted) throw new Error('another node may have had its turn meanwhile; the files are looked at again');
    this.#sound = next;
    this.#looked = files;
    this.#doubtful = new Set();
    const named = describeFaults(faults);
    if (faults.length > 0 && named !== describeFaults(this.#status.faults)) {
      log.error('supply has faults; what the files said before goes on', { faults: named.split('\n') });
    }
    log.info('supply refreshed', {
      listed: change.listed.length,
      dropped: change.dropped.length,
      faults: faults.length,
    });
    return this.#found(faults, changed);
  }

  /** Hotels and exchange rates change here, together. */
  #found(faults: readonly FileFault[], changed: ReadonlySet<string>): Refreshed {
    const nowMs = this.#context.clock.nowMs();
    const confirmedAtMs = faults.length === 0 ? nowMs : this.#status.confirmedAtMs;
    this.#status = { supply: this.#sound.supply, confirmedAtMs, lookedAtMs: nowMs, faults, failure: null };
    return { kind: faults.length === 0 ? 'confirmed' : 'faulty', changed };
  }
}

const NOTHING: ReadonlySet<string> = new Set();

function isNothing({ listed, dropped }: SupplyChange): boolean {
  return listed.length === 0 && dropped.length === 0;
}

function changeBetween(before: Supply, after: Supply, doubtful: ReadonlySet<ActivityId>): SupplyChange {
  const texts = new Map(before.activities.map((activity) => [activity.id, JSON.stringify(activity)]));
  const named = new Set(after.activities.map(({ id }) => id));
  return {
    listed: after.activities.filter(
      (activity) => doubtful.has(activity.id) || texts.get(activity.id) !== JSON.stringify(activity),
    ),
    dropped: [...new Set([...texts.keys(), ...doubtful])].filter((id) => !named.has(id)),
  };
}
