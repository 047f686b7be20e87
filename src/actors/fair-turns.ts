import type { Clock } from '../ports/clock.ts';

/** Appends in a row that one writer makes to a stream before a gap. */
const IN_A_ROW = 8;
/**
 * Length of a gap, in durations of an append. Another writer reads the stream, then appends; each takes about as long as an
 * append of this one. If it has just begun when the gap starts, it conflicts once more and needs both again.
 */
const GAP_IN_APPENDS = 4;
const LONGEST_GAP_MS = 1_000;

/**
 * Leaves a gap now and then between the appends of one writer to one stream. A writer that has just appended needs no read,
 * and sends its next append before another writer has read what it missed: without gaps, a writer that always has more to
 * append would starve all others.
 */
export class FairTurns {
  readonly #clock: Clock;
  #inARow = 0;
  /** Duration of all appends in a row, since a single one may include a pause of the store. */
  #tookMs = 0;
  #gapMs = 0;
  #endedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An append succeeded that started at this time (ms since the epoch). */
  appended(beganMs: number): void {
    if (beganMs - this.#endedMs >= this.#gapMs) this.reset();
    this.#endedMs = this.#clock.nowMs();
    this.#inARow++;
    this.#tookMs += Math.max(1, this.#endedMs - beganMs);
    this.#gapMs = Math.min((this.#tookMs / this.#inARow) * GAP_IN_APPENDS, LONGEST_GAP_MS);
  }

  /** Another writer has appended, or had the time to. */
  reset(): void {
    this.#inARow = 0;
    this.#tookMs = 0;
  }

  /** Resolves when the next append may start. */
  async gap(): Promise<void> {
    if (this.#inARow < IN_A_ROW) return;
    this.reset();
    // In real time, as the store: a test clock can stand still.
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), this.#gapMs);
    await this.#clock.until(this.#clock.nowMs() + this.#gapMs, over.signal);
    clearTimeout(timer);
  }
}
