import { writeFileSync } from 'node:fs';
import { pause } from './real-time.ts';

const TICK_MS = 20;
/** Shorter than what a stream may take to decide, so that nothing under way is late by it. */
const STEP_MS = 5_000;
const STEPS = 7;
const BETWEEN_STEPS_MS = 150;

/**
 * A clock file (WAYMARK_TEST_CLOCK) that keeps the machine's time, and can be put forward by as much as the pause behind
 * a second refusal: what waits for its next attempt need not be waited for.
 */
export class HurriedClock implements Disposable {
  readonly #path: string;
  readonly #ticking: ReturnType<typeof setInterval>;
  #aheadMs = 0;

  constructor(path: string) {
    this.#path = path;
    this.#tick();
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Resolves when the clock is ahead; from then on it runs as before. */
  async hurry(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      this.#aheadMs += STEP_MS;
      await pause(BETWEEN_STEPS_MS);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking);
  }

  #tick(): void {
    writeFileSync(this.#path, String(Date.now() + this.#aheadMs));
  }
}
