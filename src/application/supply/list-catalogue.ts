import type { Activity, ActivityId } from '../../domain/activity/activity.ts';
import type { ActivityCommand } from '../../domain/activity/decider.ts';
import { type Cause, latest, type Position } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { Log } from '../../ports/log.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';
import { listingOf } from '../activity/listing.ts';
import type { Streams } from '../streams.ts';

/** Commands in flight at once. */
const IN_FLIGHT = 64;
/** Deadline of one attempt. */
const ATTEMPT_MS = 10_000;
/** Delay before the second attempt; it doubles with each further one, up to the longest. */
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 5_000;
/** Interval of the progress lines in the log. */
const PROGRESS_MS = 5_000;

/** New and changed entries, and ids that are no longer in the catalogue. */
type Difference = { readonly listed: readonly Activity[]; readonly dropped: readonly ActivityId[] };

/** Ids of the changed activities; `position` is that of the last event, null for none. */
type CatalogueChange = {
  readonly listed: readonly string[];
  readonly retired: readonly string[];
  readonly position: Position | null;
};

type Context = {
  readonly streams: Pick<Streams, 'activities'>;
  /** Undefined for an activity that was never listed. May be stale: it only saves reads. */
  readonly catalogue: { get(id: string): object | undefined };
  readonly clock: Clock;
  readonly digest: Digest;
  readonly log: Log;
};

type Options = {
  readonly cause: Cause;
  /** Maximum number of attempts per command while the event store does not answer. */
  readonly attempts: number;
  /** When it aborts, no further command is sent. */
  readonly signal: AbortSignal;
};

/**
 * Brings the activity streams in line with the catalogue: lists new and changed entries, retires missing ones. The
 * decider compares each entry with its stream, so repeating a command appends nothing.
 *
 * @throws StoreUnavailable if a command got no answer in all its attempts; others may have been executed
 */
export async function listCatalogue(
  difference: Difference,
  { cause, attempts, signal }: Options,
  context: Context,
): Promise<CatalogueChange> {
  const failed = new AbortController();
  const load = new Load(difference, { cause, attempts, signal: AbortSignal.any([signal, failed.signal]) }, context);
  const senders = Array.from({ length: IN_FLIGHT }, () =>
    load.send().catch((fault: unknown) => {
      // The commands in flight are awaited first: afterwards another node may list the catalogue.
      failed.abort(fault);
    }),
  );
  await Promise.all(senders);
  if (failed.signal.aborted) throw failed.signal.reason;
  return load.change;
}

class Load {
  readonly #options: Options;
  readonly #context: Context;
  readonly #total: number;
  readonly #commands: Iterator<Sent>;
  readonly #listed: string[] = [];
  readonly #retired: string[] = [];
  #position: Position | null = null;
  #done = 0;
  #reportedAtMs: number;

  constructor(difference: Difference, options: Options, context: Context) {
    this.#options = options;
    this.#context = context;
    this.#total = difference.listed.length + difference.dropped.length;
    this.#commands = commandsFor(difference, context);
    this.#reportedAtMs = context.clock.nowMs();
  }

  get change(): CatalogueChange {
    return { listed: this.#listed, retired: this.#retired, position: this.#position };
  }

  /** Sends commands one by one until none is left. */
  async send(): Promise<void> {
    while (!this.#options.signal.aborted) {
      const next = this.#commands.next();
      if (next.done === true) return;
      await this.#execute(next.value);
      this.#done++;
      this.#report();
    }
  }

  async #execute({ id, command, fresh }: Sent): Promise<void> {
    const { streams, clock, log } = this.#context;
    const { cause, attempts, signal } = this.#options;
    const known = fresh ? 'no-stream' : null;
    for (let attempt = 1; ; attempt++) {
      const reply = await streams.activities.handle(id, command, cause, clock.nowMs() + ATTEMPT_MS, { known });
      if (reply.kind === 'accepted') {
        if (reply.events.length === 0) return;
        (command.type === 'RetireActivity' ? this.#retired : this.#listed).push(id);
        this.#position = latest([this.#position, reply.position]);
        return;
      }
      if (reply.kind !== 'unavailable') throw new Error(`activity ${id} could not be listed: ${reply.kind}`);
      if (attempt >= attempts)
        throw new StoreUnavailable('event store', `activity ${id} could not be listed: ${reply.reason}`);
      const retryMs = Math.min(RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS);
      log.warn('activity not listed yet', { activity: id, reason: reply.reason, retryMs });
      await clock.until(clock.nowMs() + retryMs, signal);
      if (signal.aborted) return;
    }
  }

  #report(): void {
    const { clock, log } = this.#context;
    if (clock.nowMs() - this.#reportedAtMs < PROGRESS_MS) return;
    this.#reportedAtMs = clock.nowMs();
    log.info('catalogue is being listed', { done: this.#done, total: this.#total });
  }
}

type Sent = { readonly id: string; readonly command: ActivityCommand; readonly fresh: boolean };

function* commandsFor({ listed, dropped }: Difference, { catalogue, digest }: Context): Generator<Sent> {
  for (const activity of listed) {
    const { id } = activity;
    const command = { type: 'ListActivity', ...listingOf(activity, digest) } as const;
    yield { id, command, fresh: catalogue.get(id) === undefined };
  }
  for (const id of dropped) yield { id, command: { type: 'RetireActivity' }, fresh: false };
}
