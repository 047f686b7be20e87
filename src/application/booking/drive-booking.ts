import {
  type BookingWorkflowInput,
  type BookingWorkflowOutcome,
  bookingWorkflow,
  factsOf,
} from '../../domain/booking/booking-workflow.ts';
import type { BookingFacts, ClaimRef } from '../../domain/booking/facts.ts';
import type { Step, StepResult } from '../../domain/booking/workflow-step.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import { claimIdWith } from '../identifiers.ts';
import type { BookingContext } from './booking-context.ts';
import { driveWorkflow, type WorkflowResult } from './drive-workflow.ts';

/** Fraction of the response deadline after which a slow workflow records BookingStarted. */
const SHARE_BEFORE_START = 0.6;
/** Pause between two runs of the workflow after the answer was sent. */
const PAUSE_MS = 1_000;

type AcceptedReply = NonNullable<WorkflowResult<BookingWorkflowOutcome>['accepted']>;

/**
 * Runs the booking workflow until the response deadline. A slow workflow records BookingStarted (docs/decisions/0035):
 * if it has not ended by the deadline, the caller gets `processing` and the workflow continues in the background.
 */
export async function driveBooking(
  input: BookingWorkflowInput,
  fresh: boolean,
  cause: Cause,
  context: BookingContext,
): Promise<WorkflowResult<BookingWorkflowOutcome | { readonly kind: 'processing' }>> {
  const { clock, limits, digest } = context;
  const beganMs = clock.nowMs();
  const deadlineMs = beganMs + limits.responseMs;
  const starter = createStarter(input, fresh, cause, { beganMs, deadlineMs }, context);
  const workflow = observed(input, bookingWorkflow(input, claimIdWith(digest)), (facts) => starter.claimed(facts));
  const result = await driveWorkflow(workflow, fresh, cause, deadlineMs, context);
  starter.stop();
  const { kind } = result.outcome;
  if (kind !== 'unavailable' && kind !== 'contended') return result;
  const started = await starter.started();
  if (started === null) return result;
  finishLater(input, cause, context);
  return { ...result, outcome: { kind: 'processing' }, accepted: started };
}

/** Starts a slow booking. */
type Starter = {
  /** The workflow has a claim, so the booking can be started. A later claim replaces one that was abandoned. */
  claimed(facts: BookingFacts): void;
  /** Starts nothing from now on. */
  stop(): void;
  /** The reply to the start; null if there was no start, or it was not stored. */
  started(): Promise<AcceptedReply | null>;
};

/** Appends BookingStarted as soon as the workflow is late and has a claim, in parallel with its current step. */
function createStarter(
  input: BookingWorkflowInput,
  fresh: boolean,
  cause: Cause,
  { beganMs, deadlineMs }: { readonly beganMs: number; readonly deadlineMs: number },
  { clock, limits, streams, log }: BookingContext,
): Starter {
  const lateMs = beganMs + Math.round(limits.responseMs * SHARE_BEFORE_START);
  const stopped = new AbortController();
  let claimed: BookingFacts | null = null;
  let attempted: BookingFacts | null = null;
  let startReply: Promise<AcceptedReply | null> = Promise.resolve(null);
  const start = async (facts: BookingFacts): Promise<AcceptedReply | null> => {
    const { finalStep, claimDeadlineMs: finishByMs, reference } = input;
    const answerByMs = finalStep.kind === 'place-on-request' ? finalStep.answerByMs : null;
    const command = { type: 'Start', facts, finishByMs, answerByMs, reference } as const;
    const reply = await streams.bookings.handle(input.bookingId, command, causeNow(cause, clock), deadlineMs, {
      known: fresh ? 'no-stream' : null,
    });
    return reply.kind === 'accepted' ? reply : null;
  };
  const startIfLate = (): void => {
    if (stopped.signal.aborted || claimed === null || claimed === attempted || clock.nowMs() < lateMs) return;
    const facts = claimed;
    attempted = facts;
    startReply = startReply
      .then((earlierReply) => earlierReply ?? start(facts))
      .catch((fault: unknown) => {
        log.error('booking could not be started', { booking: input.bookingId, fault });
        return null;
      });
  };
  void clock.until(lateMs, stopped.signal).then(startIfLate);
  return {
    claimed(facts) {
      claimed = facts;
      startIfLate();
    },
    stop: () => stopped.abort(),
    started: () => startReply,
  };
}

/** Calls `onClaimed` when the slots are claimed at a price that no limit refuses: before the guest is recorded. */
function* observed<Outcome>(
  input: BookingWorkflowInput,
  workflow: Generator<Step, Outcome, StepResult>,
  onClaimed: (facts: BookingFacts) => void,
): Generator<Step, Outcome, StepResult> {
  let claimed: BookingFacts | null = null;
  let next = workflow.next();
  while (!next.done) {
    if (next.value.to === 'guest' && claimed !== null) onClaimed(claimed);
    const result = yield next.value;
    claimed = claimedFacts(input, next.value, result) ?? claimed;
    next = workflow.next(result);
  }
  return next.value;
}

/** The booking's facts, if the step made a claim; else null. */
function claimedFacts(input: BookingWorkflowInput, step: Step, result: StepResult): BookingFacts | null {
  if (step.to !== 'allotment' || result.kind !== 'claimed') return null;
  const { id: allotment, command } = step;
  if (command.type !== 'ClaimSlots' && command.type !== 'TakeHold') return null;
  const claim: ClaimRef = { allotment, id: command.claimId, size: command.size };
  return factsOf(input, claim, result);
}

/**
 * Repeats the workflow from the beginning until it ends or the deadline in BookingStarted passes. Each stream accepts a
 * repeated step. After the deadline the process manager `end-overdue-bookings` ends a booking that is still `processing`.
 */
function finishLater(input: BookingWorkflowInput, cause: Cause, context: BookingContext): void {
  const { clock, digest, log } = context;
  const finish = async (): Promise<void> => {
    while (clock.nowMs() < input.claimDeadlineMs) {
      const workflow = bookingWorkflow(input, claimIdWith(digest));
      const { outcome } = await driveWorkflow(workflow, false, causeNow(cause, clock), input.claimDeadlineMs, context);
      if (outcome.kind !== 'unavailable' || outcome.reason === 'stopping' || outcome.reason === 'too-large') return;
      await clock.until(clock.nowMs() + PAUSE_MS);
    }
  };
  finish().catch((fault: unknown) => log.error('booking could not be finished', { booking: input.bookingId, fault }));
}

/** The cause with the present time, for work done after the request. */
function causeNow(cause: Cause, clock: Clock): Cause {
  return { ...cause, at: new Date(clock.nowMs()).toISOString() };
}
