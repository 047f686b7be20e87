import type { SeededRandom } from './seeded-random.ts';
import type { Moment, SimulatedService } from './simulated-service.ts';

/** What happens at a simulated time (ms since the epoch). Adds the steps that follow from it to the queue. */
export type Step = (moment: Moment) => Promise<void>;

/** Maximum number of steps at once: their appends share group commits. */
const IN_FLIGHT = 1_024;

type Planned = { readonly atMs: number; readonly random: SeededRandom; readonly step: Step };

/**
 * The steps to come, in rounds of simulated time. Steps of one round run at once, so the log is in order of time up to
 * the length of a round; a step that follows from another one runs after it.
 */
export class StepQueue {
  readonly #rounds = new Map<number, Planned[]>();
  readonly #fromMs: number;
  readonly #untilMs: number;
  readonly #roundMs: number;

  /** Steps from `untilMs` on are left out. */
  constructor({ fromMs, untilMs, roundMs }: Span) {
    [this.#fromMs, this.#untilMs, this.#roundMs] = [fromMs, untilMs, roundMs];
  }

  get rounds(): number {
    return Math.ceil((this.#untilMs - this.#fromMs) / this.#roundMs);
  }

  beginsAtMs(round: number): number {
    return this.#fromMs + round * this.#roundMs;
  }

  /** @param random of this step alone */
  add(atMs: number, random: SeededRandom, step: Step): void {
    if (atMs >= this.#untilMs) return;
    const round = Math.floor((atMs - this.#fromMs) / this.#roundMs);
    const planned = this.#rounds.get(round);
    if (planned === undefined) this.#rounds.set(round, [{ atMs, random, step }]);
    else planned.push({ atMs, random, step });
  }

  /** Runs every step of a round, and those that they add to it. */
  async run(round: number, service: SimulatedService): Promise<void> {
    service.advanceTo(this.beginsAtMs(round));
    for (;;) {
      const planned = this.#rounds.get(round);
      this.#rounds.delete(round);
      if (planned === undefined) return;
      planned.sort((left, right) => left.atMs - right.atMs);
      for (let from = 0; from < planned.length; from += IN_FLIGHT) {
        const together = planned.slice(from, from + IN_FLIGHT);
        await Promise.all(together.map(({ atMs, random, step }) => step(service.at(atMs, random))));
      }
    }
  }
}

/** A span of simulated time, in ms since the epoch, and the length of a round. */
export type Span = { readonly fromMs: number; readonly untilMs: number; readonly roundMs: number };
