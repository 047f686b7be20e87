import { writeFileSync } from 'node:fs';
import { pause } from './real-time.ts';

const TICK_MS = 20;
/** Shorter than what a stream may take to decide, so that nothing under way is late by it. */
const STEP_MS = 5_000;
const STEPS = 7;
const BETWEEN_STEPS_MS = 150;

/**
 * A clock for one life of the service (WAYMARK_TEST_CLOCK), which never goes back: it stands still at the moment it was
 * made, keeps the machine's time once it runs, and can be put forward.
 */
export class ClockFile implements Disposable {
  readonly path: string;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #aheadMs = 0;

  constructor(path: string) {
    this.path = path;
    this.#write();
  }

  /** It catches up with the machine's time in one leap, and goes on with it. */
  run(): void {
    this.#write();
    this.#ticking = setInterval(() => this.#write(), TICK_MS);
  }

  /**
   * Puts it forward by as much as the pause behind a second refusal: what waits for its next attempt need not be waited
   * for. Resolves when that is done.
   */
  async hurry(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      this.#aheadMs += STEP_MS;
      await pause(BETWEEN_STEPS_MS);
    }
  }

  /** Puts it forward in one leap: for a service that has nothing under way. */
  leap(ms: number): void {
    this.#aheadMs += ms;
    this.#write();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking);
  }

  #write(): void {
    writeFileSync(this.path, String(Date.now() + this.#aheadMs));
  }
}
