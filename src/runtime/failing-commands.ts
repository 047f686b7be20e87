import { UnknownEvent } from '../eventsourcing/codec.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../eventsourcing/durations.ts';
import { AppendTooLarge } from '../ports/append-too-large.ts';
import type { Clock } from '../ports/clock.ts';
import { StoreRefused } from '../ports/store-refused.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';

/** A command is parked after this number of faults in a row, the last of them this long after the first. */
export const PARK_AFTER = { faults: 8, ms: 4 * MINUTE_MS } as const;
/** Pause after the first fault; it doubles with each further one. */
const PAUSE_MS = SECOND_MS;
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;
/** Faults are forgotten after this time without another one: another node may have done the command. */
const FORGET_MS = HOUR_MS;

type Failing = {
  readonly faults: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly pausedUntilMs: number;
};

/** Whether a command may succeed later without a change: an outage, an event of a newer release, the stop of the node. */
function mayPass(fault: unknown): boolean {
  if (fault instanceof UnknownEvent) return fault.fault === null;
  const aborted = fault instanceof Error && fault.name === 'AbortError';
  return aborted || fault instanceof StoreUnavailable || fault instanceof StoreRefused;
}

/** The commands of one process manager that failed, by key. */
export class FailingCommands {
  readonly #clock: Clock;
  readonly #failing = new Map<string, Failing>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True while a command pauses after a fault. */
  pauses(key: string): boolean {
    const failing = this.#failing.get(key);
    return failing !== undefined && this.#clock.nowMs() < failing.pausedUntilMs;
  }

  /** Counts a fault. Returns the number of faults in a row if the command fails for ever; else null. */
  count(key: string, fault: unknown): number | null {
    if (mayPass(fault)) return null;
    const nowMs = this.#clock.nowMs();
    const before = this.#failing.get(key);
    const faults = (before?.faults ?? 0) + 1;
    const firstMs = before?.firstMs ?? nowMs;
    const pauseMs = Math.min(PAUSE_MS * 2 ** (faults - 1), LONGEST_PAUSE_MS);
    this.#failing.set(key, { faults, firstMs, lastMs: nowMs, pausedUntilMs: nowMs + pauseMs });
    const lasting = faults >= PARK_AFTER.faults && nowMs - firstMs >= PARK_AFTER.ms;
    return lasting || fault instanceof AppendTooLarge ? faults : null;
  }

  forget(key: string): void {
    this.#failing.delete(key);
  }

  forgetOld(): void {
    const nowMs = this.#clock.nowMs();
    for (const [key, { lastMs }] of this.#failing) if (nowMs - lastMs >= FORGET_MS) this.#failing.delete(key);
  }
}
