import type { BookingWorkflowOutcome } from '../../../src/domain/booking/booking-workflow.ts';
import type { ModificationWorkflowOutcome } from '../../../src/domain/booking/modification-workflow.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import { MAX_ROUNDS, type Step, type StepResult } from '../../../src/domain/booking/workflow-step.ts';
import {
  bookingInput,
  fingerprintOf,
  modificationInput,
  type Request,
  type SimpleRequest,
  stepOf,
} from './requests.ts';
import type { Rules } from './rules.ts';
import { inOrder, type Numbers } from './stream.ts';

/** `stopped`: past the request's deadline, so no further claim is permitted. `accepted`: a single-step request. */
export type Outcome =
  | BookingWorkflowOutcome
  | ModificationWorkflowOutcome
  | { readonly kind: 'rejected'; readonly rejection: { readonly code: string } }
  | { readonly kind: 'accepted' | 'stopped' };

/** Shared by all attempts of a search. */
export type Attempts = Pick<Rules, 'claimId' | 'book' | 'modify'> & {
  /**
   * Claims after which an attempt stops, not counting those of forgotten ids: the bound of the search; production has a
   * deadline instead. It also stops before its last round, so that no attempt is contended for lack of rounds.
   */
  readonly claims: number;
  readonly numbers: Numbers;
  readonly moments: Map<string, Attempt>;
};

type Turn = { readonly step: Step | null; readonly outcome: Outcome | null };

/** What the node of a request has read when its generator starts. */
type AtStart = { readonly booking: Booking; readonly nowMs: number; readonly releasesSeen: number };

const NOTHING_READ: AtStart = { booking: { status: 'none', abandoned: [] }, nowMs: 0, releasesSeen: 0 };

/**
 * The progress of a request: the results that its generator has received. A generator cannot be copied, so each new
 * state runs the real one again from its start. Equal requests (one is a repetition) with equal progress are one object.
 */
export class Attempt {
  readonly request: Request;
  readonly number: number;
  /** The next step; null before the booking's stream was read, and at the end. */
  readonly step: Step | null;
  readonly outcome: Outcome | null;
  readonly #attempts: Attempts;
  readonly #atStart: AtStart;
  readonly #results: readonly StepResult[];
  readonly #answered = new Map<string, Attempt>();

  private constructor(
    request: Request,
    attempts: Attempts,
    turn: Turn,
    atStart: AtStart,
    results: readonly StepResult[],
  ) {
    this.request = request;
    this.number = attempts.numbers();
    this.step = turn.step;
    this.outcome = turn.outcome;
    this.#attempts = attempts;
    this.#atStart = atStart;
    this.#results = results;
  }

  static of(request: Request, attempts: Attempts): Attempt {
    // Reading the booking first is a move by itself.
    const reads = request.kind === 'book' || request.kind === 'modify';
    const turn = reads ? { step: null, outcome: null } : run(request, attempts, NOTHING_READ, []);
    return remembered(
      attempts,
      [request, turn, 'unbegun'],
      () => new Attempt(request, attempts, turn, NOTHING_READ, []),
    );
  }

  get started(): boolean {
    return this.step !== null || this.outcome !== null;
  }

  /** The version of the booking that a modification was planned on, null before, and for every other request. */
  get planned(): number | null {
    const { booking } = this.#atStart;
    return this.request.kind === 'modify' && booking.status !== 'none' ? booking.version : null;
  }

  /**
   * The attempt after its node has read the booking's stream. A known request is answered from the events.
   *
   * @param releasesSeen number of the allotment's releases that the node knew before
   */
  begin(booking: Booking, nowMs: number, releasesSeen: number): Attempt {
    const known = knownOutcome(this.request, booking);
    // The time matters only if a hold is used.
    const atMs = this.request.kind === 'book' && this.request.hold !== null ? nowMs : 0;
    if (known === null) return this.#after({ booking, nowMs: atMs, releasesSeen }, []);
    const turn = { step: null, outcome: known };
    return remembered(this.#attempts, [this.request, turn, 'known'], () => {
      return new Attempt(this.request, this.#attempts, turn, NOTHING_READ, []);
    });
  }

  /** The attempt after a step's result. */
  answered(result: StepResult): Attempt {
    const key = JSON.stringify(result, inOrder);
    const known = this.#answered.get(key);
    if (known !== undefined) return known;
    const attempt = this.#after(this.#atStart, [...this.#results, result]);
    this.#answered.set(key, attempt);
    return attempt;
  }

  /**
   * Drops all results before the last read of the booking except the number of claims and that of the allotment's releases:
   * the generators keep nothing else from one claim to the next, and a modification keeps the booking that it started with.
   */
  #after(atStart: AtStart, results: readonly StepResult[]): Attempt {
    const turn = run(this.request, this.#attempts, atStart, results);
    const lastRead = results.findLastIndex((result) => result.kind === 'read');
    const planned = this.request.kind === 'modify' ? atStart.booking : atStart.nowMs;
    const releases = results.findLast(forgotten)?.rejection.releases ?? atStart.releasesSeen;
    const since = [
      releases,
      ...(lastRead < 0 ? [abandonmentsIn(atStart.booking), results] : readSince(results.slice(lastRead))),
    ];
    return remembered(this.#attempts, [this.request, turn, planned, since], () => {
      return new Attempt(this.request, this.#attempts, turn, atStart, results);
    });
  }
}

/** The answer from the stored events; null for a new request. */
function knownOutcome(request: Request, booking: Booking): Outcome | null {
  if (request.kind === 'book') {
    if (booking.status === 'none') return null;
    const fulfilled = booking.facts.fingerprint === fingerprintOf(request);
    return { kind: fulfilled ? 'booked' : 'key-reused' };
  }
  if (request.kind !== 'modify') return null;
  if (booking.status === 'none') return { kind: 'rejected', rejection: { code: 'BOOKING_NOT_FOUND' } };
  const before = booking.modifications.get(request.command);
  if (before === undefined) return null;
  if (before.fingerprint === fingerprintOf(request)) return { kind: 'modified' };
  return { kind: 'rejected', rejection: { code: 'IDEMPOTENCY_KEY_REUSED' } };
}

/** Runs the real generator over the results, up to its next step or its end. */
function run(
  request: Request,
  attempts: Attempts,
  atStart: AtStart,
  results: readonly StepResult[],
): Turn & { claims: number; rounds: number } {
  const generator = generatorOf(request, attempts, atStart);
  let turn = generator.next();
  let [claims, rounds] = [0, 0];
  for (const result of results) {
    if (turn.done) throw new Error('a result was given to an attempt that has ended');
    if (turn.value.to === 'allotment') {
      rounds += 1;
      if (!forgotten(result)) claims += 1;
    }
    turn = generator.next(result);
  }
  if (turn.done) return { claims, rounds, step: null, outcome: turn.value };
  const stopped = turn.value.to === 'allotment' && (claims >= attempts.claims || rounds >= MAX_ROUNDS - 1);
  if (stopped) return { claims, rounds, step: null, outcome: { kind: 'stopped' } };
  return { claims, rounds, step: turn.value, outcome: null };
}

function generatorOf(
  request: Request,
  { book, modify, claimId }: Attempts,
  { booking, nowMs, releasesSeen }: AtStart,
): Generator<Step, Outcome, StepResult> {
  if (request.kind === 'book') {
    const abandonments = booking.abandoned.length;
    return book(bookingInput(request, { abandonments, releasesSeen, nowMs }), claimId);
  }
  if (request.kind !== 'modify') return once(request);
  if (booking.status === 'none') throw new Error('a modification started without a booking');
  return modify(modificationInput(request, booking, nowMs), claimId);
}

function* once(request: SimpleRequest): Generator<Step, Outcome, StepResult> {
  const result: StepResult = yield stepOf(request);
  return result.kind === 'rejected' ? result : { kind: 'accepted' };
}

type Forgotten = StepResult & { readonly kind: 'rejected'; readonly rejection: { readonly code: 'ID_FORGOTTEN' } };

function forgotten(result: StepResult): result is Forgotten {
  return result.kind === 'rejected' && result.rejection.code === 'ID_FORGOTTEN';
}

function readSince([read, ...results]: readonly StepResult[]): readonly unknown[] {
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
