import { type AttemptOutcome, type BookingAsk, bookingAttempt, factsOf } from '../domain/booking/attempt.ts';
import type { BookingFacts, ClaimRef } from '../domain/booking/booking.ts';
import type { Step, StepResult } from '../domain/booking/step.ts';
import type { Cause } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { BookingContext } from './booking-context.ts';
import { type Driven, drive } from './drive-attempt.ts';
import { claimIdWith } from './identifiers.ts';

/** The share of the time to answer after which a booking is made readable, lest it cannot be confirmed in the rest of it. */
const SHARE_BEFORE_START = 0.6;
/** Between two attempts to finish a booking that was answered already. */
const PAUSE_MS = 1_000;

type Booked = NonNullable<Driven<AttemptOutcome>['booked']>;

/**
 * An attempt at a booking, until its response deadline. One that is slow has its booking started (docs/decisions/0035):
 * where it is not through by the deadline, what is known of it by then is `processing`, and it is gone on with afterwards.
 */
export async function driveBooking(
  ask: BookingAsk,
  fresh: boolean,
  cause: Cause,
  context: BookingContext,
): Promise<Driven<AttemptOutcome | { readonly kind: 'processing' }>> {
  const { clock, limits, digest } = context;
  const beganMs = clock.nowMs();
  const deadlineMs = beganMs + limits.responseMs;
  const starter = startWhenSlow(ask, fresh, cause, { beganMs, deadlineMs }, context);
  const attempt = watched(bookingAttempt(ask, claimIdWith(digest)), (step, result) => {
    const facts = claimedFacts(ask, step, result);
    if (facts !== null) starter.claimed(facts);
  });
  const driven = await drive(attempt, fresh, cause, deadlineMs, context);
  starter.stop();
  const { kind } = driven.outcome;
  if (kind !== 'unavailable' && kind !== 'contended') return driven;
  const started = await starter.started();
  if (started === null) return driven;
  finishLater(ask, cause, context);
  return { outcome: { kind: 'processing' }, booked: started };
}

type Starter = {
  /** From here on there is something to start. A later claim stands in for one that was abandoned. */
  claimed(facts: BookingFacts): void;
  /** Nothing more is started. */
  stop(): void;
  /** What the booking's stream said to the start, once it is known; null where there was none, or it was not stored. */
  started(): Promise<Booked | null>;
};

/** Gives the booking's stream its start as soon as the attempt is late and has its slots, beside the step in flight. */
function startWhenSlow(
  ask: BookingAsk,
  fresh: boolean,
  cause: Cause,
  { beganMs, deadlineMs }: { readonly beganMs: number; readonly deadlineMs: number },
  { clock, limits, streams, log }: BookingContext,
): Starter {
  const lateMs = beganMs + Math.round(limits.responseMs * SHARE_BEFORE_START);
  const over = new AbortController();
  let claimed: BookingFacts | null = null;
  let tried: BookingFacts | null = null;
  let starting: Promise<Booked | null> = Promise.resolve(null);
  const start = async (facts: BookingFacts): Promise<Booked | null> => {
    const { ends, claimDeadlineMs: finishByMs } = ask;
    const answerByMs = ends.as === 'pending' ? ends.answerByMs : null;
    const command = { type: 'Start', facts, finishByMs, answerByMs } as const;
    const reply = await streams.bookings.handle(ask.booking, command, causeNow(cause, clock), deadlineMs, { fresh });
    return reply.kind === 'accepted' ? reply : null;
  };
  const consider = (): void => {
    if (over.signal.aborted || claimed === null || claimed === tried || clock.nowMs() < lateMs) return;
    const facts = claimed;
    tried = facts;
    starting = starting
      .then((known) => known ?? start(facts))
      .catch((fault: unknown) => {
        log.error('booking could not be started', { booking: ask.booking, fault });
        return null;
      });
  };
  void clock.until(lateMs, over.signal).then(consider);
  return {
    claimed(facts) {
      claimed = facts;
      consider();
    },
    stop: () => over.abort(),
    started: () => starting,
  };
}

/** What an attempt is told, on the way to it. */
function* watched<Outcome>(
  attempt: Generator<Step, Outcome, StepResult>,
  saw: (step: Step, result: StepResult) => void,
): Generator<Step, Outcome, StepResult> {
  let next = attempt.next();
  while (!next.done) {
    const result = yield next.value;
    saw(next.value, result);
    next = attempt.next(result);
  }
  return next.value;
}

/** The facts of the booking that a claim was made for; null of any other step. */
function claimedFacts(ask: BookingAsk, step: Step, result: StepResult): BookingFacts | null {
  if (step.to !== 'allotment' || result.kind !== 'claimed') return null;
  const { id: allotment, command } = step;
  if (command.type !== 'ClaimSlots' && command.type !== 'TakeHold') return null;
  const claim: ClaimRef = { allotment, id: command.claim, size: command.size };
  return factsOf(ask, claim, result);
}

/**
 * Makes the attempt again from its beginning until it is through: what it did before is adopted. Where this process ends, or
 * it is not through by the time that the start names, the process manager of unfinished bookings takes over.
 */
function finishLater(ask: BookingAsk, cause: Cause, context: BookingContext): void {
  const { clock, digest, log } = context;
  const finish = async (): Promise<void> => {
    while (clock.nowMs() < ask.claimDeadlineMs) {
      const attempt = bookingAttempt(ask, claimIdWith(digest));
      const { outcome } = await drive(attempt, false, causeNow(cause, clock), ask.claimDeadlineMs, context);
      if (outcome.kind !== 'unavailable' || outcome.reason === 'stopping') return;
      await clock.until(clock.nowMs() + PAUSE_MS);
    }
  };
  finish().catch((fault: unknown) => log.error('booking could not be finished', { booking: ask.booking, fault }));
}

/** What is done long after it was asked for has a time of its own. */
function causeNow(cause: Cause, clock: Clock): Cause {
  return { ...cause, at: new Date(clock.nowMs()).toISOString() };
}
