import type { ClaimId } from '../../../src/domain/allotment/allotment.ts';
import {
  type AttemptOutcome,
  bookingAttempt,
  type ClaimParts,
  type Step,
  type StepResult,
} from '../../../src/domain/booking/attempt.ts';
import type { Booking } from '../../../src/domain/booking/booking.ts';
import type { Numbers } from './stream.ts';
import { askOf, fulfils, type Wish } from './wish.ts';

/** `stopped`: past its request's deadline, so that it may make no further claim. */
export type Outcome = AttemptOutcome | { readonly kind: 'stopped' };

/** What is the same for every attempt of a search. */
export type AttemptRules = {
  readonly claimId: (parts: ClaimParts) => ClaimId;
  /** Claims after which an attempt stops. The bound of the search; in production a deadline. */
  readonly claims: number;
  readonly numbers: Numbers;
};

/**
 * One request to book, at one moment: its wish and the results its generator was given so far. A generator cannot be
 * copied, so each moment runs the real one again over its results. The same wish with the same results is the same
 * object, and two requests with the same wish (a retry) are told apart by nothing.
 */
export class Attempt {
  readonly wish: Wish;
  readonly number: number;
  /** What it waits for; null before the booking's stream was read, and when it has come to its outcome. */
  readonly step: Step | null;
  readonly outcome: Outcome | null;
  readonly #rules: AttemptRules;
  readonly #abandonments: number | null;
  readonly #results: readonly StepResult[];
  readonly #after = new Map<string, Attempt>();

  private constructor(
    wish: Wish,
    rules: AttemptRules,
    now: {
      readonly abandonments: number | null;
      readonly results: readonly StepResult[];
      readonly step: Step | null;
      readonly outcome: Outcome | null;
    },
  ) {
    this.wish = wish;
    this.number = rules.numbers();
    this.step = now.step;
    this.outcome = now.outcome;
    this.#rules = rules;
    this.#abandonments = now.abandonments;
    this.#results = now.results;
  }

  static of(wish: Wish, rules: AttemptRules): Attempt {
    return new Attempt(wish, rules, { abandonments: null, results: [], step: null, outcome: null });
  }

  get begun(): boolean {
    return this.step !== null || this.outcome !== null;
  }

  /** The attempt once its node has read the booking's stream. A known booking answers from its own events. */
  begin(booking: Booking): Attempt {
    if (booking.status === 'none') return this.#next(`begun ${booking.abandoned.length}`, booking.abandoned.length, []);
    const kind = fulfils(booking, this.wish) ? 'booked' : 'key-reused';
    return this.#known(kind, () => ({ abandonments: null, results: [], step: null, outcome: { kind } }));
  }

  /** The attempt after its step came to this. */
  answered(result: StepResult): Attempt {
    return this.#next(JSON.stringify(result), this.#abandonments ?? 0, [...this.#results, result]);
  }

  #next(key: string, abandonments: number, results: readonly StepResult[]): Attempt {
    const r = run(this.wish, this.#rules, abandonments, results);
    const k = results.findLastIndex((x) => x.kind === 'read');
    const key2 = JSON.stringify([this.wish, k<0 ? abandonments : 0, r.claims, results.slice(Math.max(0,k)), r.step, r.outcome]);
    const G: any = this.#rules; G.all ??= new Map();
    let a = G.all.get(key2);
    if (!a) { a = new Attempt(this.wish, this.#rules, { abandonments, results, ...r }); G.all.set(key2, a); }
    return a;
  }

  #known(key: string, make: () => ConstructorParameters<typeof Attempt>[2]): Attempt {
    let after = this.#after.get(key);
    if (after === undefined) {
      after = new Attempt(this.wish, this.#rules, make());
      this.#after.set(key, after);
    }
    return after;
  }
}

/** Runs the real generator over the results, to the step it wants done next or to its outcome. */
function run(
  wish: Wish,
  rules: AttemptRules,
  abandonments: number,
  results: readonly StepResult[],
): { readonly step: Step | null; readonly outcome: Outcome | null; claims: number } {
  const generator = bookingAttempt(askOf(wish, abandonments), rules.claimId);
  let turn = generator.next();
  let claims = 0;
  for (const result of results) {
    if (turn.done) throw new Error('an attempt that has ended was given a result');
    if (turn.value.to === 'allotment') claims += 1;
    turn = generator.next(result);
  }
  if (turn.done) return { step: null, outcome: turn.value, claims };
  if (turn.value.to === 'allotment' && claims >= rules.claims) return { step: null, outcome: { kind: 'stopped' } , claims};
  return { step: turn.value, outcome: null , claims};
}
