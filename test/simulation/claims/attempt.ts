import { type AttemptOutcome, bookingAttempt } from '../../../src/domain/booking/attempt.ts';
import type { Booking } from '../../../src/domain/booking/booking.ts';
import type { Step, StepResult } from '../../../src/domain/booking/step.ts';
import type { Rules } from './rules.ts';
import type { Numbers } from './stream.ts';
import { askOf, fulfils, type Wish } from './wish.ts';

/** `stopped`: past its request's deadline, when it may make no further claim. */
export type Outcome = AttemptOutcome | { readonly kind: 'stopped' };

/** What all attempts of a search have in common. */
export type Attempts = Pick<Rules, 'claimId'> & {
  /**
   * Claims after which an attempt stops: the bound of the search, where production has a deadline. Fewer than the rounds
   * after which the generator gives up, so that none is ever contended for want of rounds.
   */
  readonly claims: number;
  readonly numbers: Numbers;
  readonly moments: Map<string, Attempt>;
};

type Turn = { readonly claims: number; readonly step: Step | null; readonly outcome: Outcome | null };

/**
 * A request to book, at one moment: its wish, and what its generator was given so far. A generator cannot be copied, so
 * each new moment runs the real one again from its beginning. Two requests with the same wish (one sent again) that
 * have come equally far are one object.
 */
export class Attempt {
  readonly wish: Wish;
  readonly number: number;
  /** What it wants done next; null before the booking's stream was read, and at its end. */
  readonly step: Step | null;
  readonly outcome: Outcome | null;
  readonly #attempts: Attempts;
  readonly #abandonments: number;
  readonly #results: readonly StepResult[];
  readonly #answered = new Map<string, Attempt>();

  private constructor(
    wish: Wish,
    attempts: Attempts,
    turn: Pick<Turn, 'step' | 'outcome'>,
    given: { readonly abandonments: number; readonly results: readonly StepResult[] },
  ) {
    this.wish = wish;
    this.number = attempts.numbers();
    this.step = turn.step;
    this.outcome = turn.outcome;
    this.#attempts = attempts;
    this.#abandonments = given.abandonments;
    this.#results = given.results;
  }

  static of(wish: Wish, attempts: Attempts): Attempt {
    const key = JSON.stringify(wish);
    return remembered(attempts, key, () => {
      return new Attempt(wish, attempts, { step: null, outcome: null }, { abandonments: 0, results: [] });
    });
  }

  get begun(): boolean {
    return this.step !== null || this.outcome !== null;
  }

  /** The attempt once its node has read the booking's stream. A booking that exists is answered from its own events. */
  begin(booking: Booking): Attempt {
    if (booking.status === 'none') return this.#after(booking.abandoned.length, []);
    const kind = fulfils(booking, this.wish) ? 'booked' : 'key-reused';
    const turn = { step: null, outcome: { kind } } as const;
    return remembered(this.#attempts, JSON.stringify([this.wish, turn]), () => {
      return new Attempt(this.wish, this.#attempts, turn, { abandonments: 0, results: [] });
    });
  }

  /** The attempt after its step came to this. */
  answered(result: StepResult): Attempt {
    const key = JSON.stringify(result);
    const known = this.#answered.get(key);
    if (known !== undefined) return known;
    const attempt = this.#after(this.#abandonments, [...this.#results, result]);
    this.#answered.set(key, attempt);
    return attempt;
  }

  /**
   * What came before the last reading of the booking is forgotten but for the number of claims: the generator takes
   * nothing else from one claim to the next.
   */
  #after(abandonments: number, results: readonly StepResult[]): Attempt {
    const turn = run(this.wish, this.#attempts, abandonments, results);
    const lastRead = results.findLastIndex((result) => result.kind === 'read');
    const since = lastRead < 0 ? [abandonments, ...results] : results.slice(lastRead);
    return remembered(this.#attempts, JSON.stringify([this.wish, turn, since]), () => {
      return new Attempt(this.wish, this.#attempts, turn, { abandonments, results });
    });
  }
}

/** Runs the real generator over the results, up to the step it wants done next or to its end. */
function run(wish: Wish, attempts: Attempts, abandonments: number, results: readonly StepResult[]): Turn {
  const generator = bookingAttempt(askOf(wish, abandonments), attempts.claimId);
  let turn = generator.next();
  let claims = 0;
  for (const result of results) {
    if (turn.done) throw new Error('an attempt that has ended was given one more result');
    if (turn.value.to === 'allotment') claims += 1;
    turn = generator.next(result);
  }
  if (turn.done) return { claims, step: null, outcome: turn.value };
  const stopped = turn.value.to === 'allotment' && claims >= attempts.claims;
  return stopped ? { claims, step: null, outcome: { kind: 'stopped' } } : { claims, step: turn.value, outcome: null };
}

function remembered({ moments }: Attempts, key: string, make: () => Attempt): Attempt {
  let attempt = moments.get(key);
  if (attempt === undefined) {
    attempt = make();
    moments.set(key, attempt);
  }
  return attempt;
}
