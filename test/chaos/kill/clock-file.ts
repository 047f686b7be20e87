import { writeFileSync } from 'node:fs';
import { pause } from './real-time.ts';

const TICK_MS = 20;
/** Shorter than the deadline of a decision, so that no command in progress misses it. */
const STEP_MS = 5_000;
const STEPS = 7;
const BETWEEN_STEPS_MS = 150;

/**
 * A clock for one life of the service (WAYMARK_TEST_CLOCK), which never goes back: it stands still at its creation, follows
 * the machine's time once it runs, and can be advanced.
 */
export class ClockFile implements Disposable {
  readonly path: string;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #aheadMs = 0;

  constructor(path: string) {
    this.path = path;
    this.#write();
  }

  /** Jumps to the machine's time and follows it. */
  run(): void {
    this.#write();
    this.#ticking = setInterval(() => this.#write(), TICK_MS);
  }

  /**
   * Advances it by the pause after a second refusal, so that the test need not wait for the next attempt. Resolves when that
   * is done.
   */
  async hurry(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      this.#aheadMs += STEP_MS;
      await pause(BETWEEN_STEPS_MS);
    }
  }

  /** Advances it at once, for a service with no work in progress. */
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
