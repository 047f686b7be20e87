import type { CheckpointCheck, EventPlace } from '../../ports/event-store.ts';
import { LogReplaced } from './faults.ts';
import { type Attempt, beforeAbort, pause } from './retry.ts';

/** Deadline of one check of the log, ms. */
const CHECK_MS = 3_000;
const RETRY_MS = 250;

type LogIdentityOptions = {
  readonly check: (newest: EventPlace, signal: AbortSignal) => Promise<CheckpointCheck>;
  readonly onReplaced: (fault: LogReplaced) => void;
  /** Aborts when the store closes. */
  readonly closing: AbortSignal;
  /** How long a missing event is checked again, since a newly elected leader may not serve the end of the log yet. */
  readonly electionMs: number;
};

/**
 * Checks that the server still has the log that this process knows. After a fault, the first call verifies that the
 * newest seen event is still at its position; the other calls wait for that check.
 */
export class LogIdentity {
  readonly #options: LogIdentityOptions;
  #newest: EventPlace | null = null;
  /** Number of faults, and its value at the last successful check. */
  #faults = 0;
  #checkedFaults = 0;
  #checking: Promise<void> | null = null;
  #replaced: LogReplaced | null = null;

  constructor(options: LogIdentityOptions) {
    this.#options = options;
  }

  get electionMs(): number {
    return this.#options.electionMs;
  }

  /** Whether `verify` has to check the log. */
  get doubtful(): boolean {
    return this.#replaced !== null || this.#faults !== this.#checkedFaults;
  }

  /** Remembers an event of the log. */
  saw(event: EventPlace): void {
    if (this.#newest === null || event.position > this.#newest.position)
      this.#newest = { id: event.id, position: event.position };
  }

  /** Notes a failed call: the next call may use another connection. */
  noteFault(): void {
    this.#faults++;
  }

  /** Wraps an attempt: after a fault, it verifies the log first. */
  guarded<T>(attempt: Attempt<T>): Attempt<T> {
    return async (signal, onSign) => {
      if (this.doubtful) await this.verify(signal);
      try {
        return await attempt(signal, onSign);
      } catch (fault) {
        // The attempt was cancelled because its call has ended.
        if (!signal.aborted) this.noteFault();
        throw fault;
      }
    };
  }

  /** @throws LogReplaced; faults of the server; the signal's reason if it aborts first */
  async verify(signal: AbortSignal): Promise<void> {
    // The running check may have started before the last fault; a further check starts after it.
    for (let looks = 0; looks < 2 && this.doubtful; looks++) {
      if (this.#replaced !== null) throw this.#replaced;
      this.#checking ??= this.#look().finally(() => {
        this.#checking = null;
      });
      await beforeAbort(this.#checking, signal);
    }
    if (this.#replaced !== null) throw this.#replaced;
  }

  async #look(): Promise<void> {
    const faults = this.#faults;
    if (this.#newest !== null) {
      const found = await this.#find(this.#newest);
      if ('reason' in found && !this.#options.closing.aborted) {
        this.#replaced = new LogReplaced(found.reason);
        this.#options.onReplaced(this.#replaced);
        return;
      }
    }
    this.#checkedFaults = faults;
  }

  async #find(newest: EventPlace): Promise<CheckpointCheck> {
    const { check, closing, electionMs } = this.#options;
    const untilMs = performance.now() + electionMs;
    for (;;) {
      const found = await check(newest, AbortSignal.timeout(CHECK_MS));
      if (found.kind !== 'beyond-end' || performance.now() > untilMs || closing.aborted) return found;
      await pause(RETRY_MS, closing);
    }
  }
}
