import type { BookingWorkflowOutcome } from '../../../src/domain/booking/booking-workflow.ts';
import type { ModificationWorkflowOutcome } from '../../../src/domain/booking/modification-workflow.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import type { Step, StepResult } from '../../../src/domain/booking/workflow-step.ts';
import type { Rules } from './rules.ts';
import { inOrder, type Numbers } from './stream.ts';
import { bookingAsk, fingerprintOf, modificationAsk, type PlainWish, stepOf, type Wish } from './wish.ts';

/** `stopped`: past its request's deadline, when it may make no further claim. `obeyed`: a wish of one step. */
export type Outcome =
  | BookingWorkflowOutcome
  | ModificationWorkflowOutcome
  | { readonly kind: 'rejected'; readonly rejection: { readonly code: string } }
  | { readonly kind: 'obeyed' | 'stopped' };

/** What all attempts of a search have in common. */
export type Attempts = Pick<Rules, 'claimId' | 'book' | 'modify'> & {
  /**
   * Claims after which an attempt stops: the bound of the search, where production has a deadline. Fewer than the rounds
   * after which the generator gives up, so that none is ever contended for want of rounds.
   */
  readonly claims: number;
  readonly numbers: Numbers;
  readonly moments: Map<string, Attempt>;
};

type Turn = { readonly step: Step | null; readonly outcome: Outcome | null };

/** What a request's node knows when its generator begins. */
type AtStart = { readonly booking: Booking; readonly nowMs: number };

const NOTHING_READ: AtStart = { booking: { status: 'none', abandoned: [] }, nowMs: 0 };

/**
 * A request at one moment: its wish, and what its generator was given so far. A generator cannot be copied, so each new
 * moment runs the real one again from its beginning. Two requests with the same wish (one sent again) that have come
 * equally far are one object.
 */
export class Attempt {
  readonly wish: Wish;
  readonly number: number;
  /** What it wants done next; null before the booking's stream was read, and at its end. */
  readonly step: Step | null;
  readonly outcome: Outcome | null;
  readonly #attempts: Attempts;
  readonly #atStart: AtStart;
  readonly #results: readonly StepResult[];
  readonly #answered = new Map<string, Attempt>();

  private constructor(wish: Wish, attempts: Attempts, turn: Turn, atStart: AtStart, results: readonly StepResult[]) {
    this.wish = wish;
    this.number = attempts.numbers();
    this.step = turn.step;
    this.outcome = turn.outcome;
    this.#attempts = attempts;
    this.#atStart = atStart;
    this.#results = results;
  }

  static of(wish: Wish, attempts: Attempts): Attempt {
    // Who has to look at the booking first does so in a move of its own.
    const reads = wish.kind === 'book' || wish.kind === 'modify';
    const turn = reads ? { step: null, outcome: null } : run(wish, attempts, NOTHING_READ, []);
    return remembered(attempts, [wish, turn, 'unbegun'], () => new Attempt(wish, attempts, turn, NOTHING_READ, []));
  }

  get begun(): boolean {
    return this.step !== null || this.outcome !== null;
  }

  /** The version of the booking that a modification was planned on, once it is; null for every other wish. */
  get planned(): number | null {
    const { booking } = this.#atStart;
    return this.wish.kind === 'modify' && booking.status !== 'none' ? booking.version : null;
  }

  /** The attempt once its node has read the booking's stream. What was done before is answered from its events. */
  begin(booking: Booking, nowMs: number): Attempt {
    const known = knownOutcome(this.wish, booking);
    // The hour matters to those alone who use a hold.
    const atMs = this.wish.kind === 'book' && this.wish.hold !== null ? nowMs : 0;
    if (known === null) return this.#after({ booking, nowMs: atMs }, []);
    const turn = { step: null, outcome: known };
    return remembered(this.#attempts, [this.wish, turn, 'known'], () => {
      return new Attempt(this.wish, this.#attempts, turn, NOTHING_READ, []);
    });
  }

  /** The attempt after its step came to this. */
  answered(result: StepResult): Attempt {
    const key = JSON.stringify(result, inOrder);
    const known = this.#answered.get(key);
    if (known !== undefined) return known;
    const attempt = this.#after(this.#atStart, [...this.#results, result]);
    this.#answered.set(key, attempt);
    return attempt;
  }

  /**
   * What came before the last reading of the booking is forgotten but for the number of claims: the generators take
   * nothing else from one claim to the next; a modification's goes on from the booking that it began with.
   */
  #after(atStart: AtStart, results: readonly StepResult[]): Attempt {
    const turn = run(this.wish, this.#attempts, atStart, results);
    const lastRead = results.findLastIndex((result) => result.kind === 'read');
    const planned = this.wish.kind === 'modify' ? atStart.booking : atStart.nowMs;
    const since = lastRead < 0 ? [abandonmentsIn(atStart.booking), results] : readSince(results.slice(lastRead));
    return remembered(this.#attempts, [this.wish, turn, planned, since], () => {
      return new Attempt(this.wish, this.#attempts, turn, atStart, results);
    });
  }
}

/** What a node answers from the events alone; null where there is something to do. */
function knownOutcome(wish: Wish, booking: Booking): Outcome | null {
  if (wish.kind === 'book') {
    if (booking.status === 'none') return null;
    const fulfilled = booking.facts.fingerprint === fingerprintOf(wish);
    return { kind: fulfilled ? 'booked' : 'key-reused' };
  }
  if (wish.kind !== 'modify') return null;
  if (booking.status === 'none') return { kind: 'rejected', rejection: { code: 'BOOKING_NOT_FOUND' } };
  const before = booking.modifications.get(wish.command);
  if (before === undefined) return null;
  if (before.fingerprint === fingerprintOf(wish)) return { kind: 'modified' };
  return { kind: 'rejected', rejection: { code: 'IDEMPOTENCY_KEY_REUSED' } };
}

/** Runs the real generator over the results, up to the step it wants done next or to its end. */
function run(
  wish: Wish,
  attempts: Attempts,
  atStart: AtStart,
  results: readonly StepResult[],
): Turn & { claims: number } {
  const generator = generatorOf(wish, attempts, atStart);
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

function generatorOf(
  wish: Wish,
  { book, modify, claimId }: Attempts,
  { booking, nowMs }: AtStart,
): Generator<Step, Outcome, StepResult> {
  if (wish.kind === 'book') return book(bookingAsk(wish, booking.abandoned.length, nowMs), claimId);
  if (wish.kind !== 'modify') return once(wish);
  if (booking.status === 'none') throw new Error('a modification of nothing began');
  return modify(modificationAsk(wish, booking, nowMs), claimId);
}

function* once(wish: PlainWish): Generator<Step, Outcome, StepResult> {
  const result: StepResult = yield stepOf(wish);
  return result.kind === 'rejected' ? result : { kind: 'obeyed' };
}

function readSince([read, ...results]: readonly StepResult[]): unknown {
  return [read?.kind === 'read' ? abandonmentsIn(read.booking) : null, results];
}

function abandonmentsIn({ status, abandoned }: Booking): unknown {
  return [status === 'none', abandoned.length];
}

function remembered({ moments }: Attempts, parts: readonly unknown[], make: () => Attempt): Attempt {
  const key = JSON.stringify(parts, inOrder);
  let attempt = moments.get(key);
  if (attempt === undefined) {
    attempt = make();
    moments.set(key, attempt);
  }
  return attempt;
}
