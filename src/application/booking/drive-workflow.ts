import { type Unavailable, unavailable } from '../../actors/actor.ts';
import { claimedBy, type Step, type StepResult } from '../../domain/booking/workflow-step.ts';
import { type Cause, unreachable } from '../../eventsourcing/message.ts';
import type { FailedCall } from '../../ports/store-unavailable.ts';
import type { Streams } from '../streams.ts';
import type { BookingContext } from './booking-context.ts';

type Driving = Pick<BookingContext, 'streams' | 'clock'> & {
  /** Null: it is not known whether an allotment has events. */
  readonly allotments: BookingContext['allotments'] | null;
};

export type WorkflowResult<Outcome> = {
  readonly outcome: Outcome | Unavailable;
  /** The last reply of the booking's stream that accepted a step. */
  readonly accepted: Extract<Awaited<ReturnType<Streams['bookings']['handle']>>, { kind: 'accepted' }> | null;
  /** The last step, for the log; `attempts` is its number. */
  readonly last: FailedCall;
};

/** Sends each step of a workflow to the actor of its stream. Past the deadline it begins no further step. */
export async function driveWorkflow<Outcome>(
  workflow: Generator<Step, Outcome, StepResult>,
  fresh: boolean,
  cause: Cause,
  deadlineMs: number,
  context: Driving,
): Promise<WorkflowResult<Outcome>> {
  const { streams, clock } = context;
  const beganMs = clock.nowMs();
  let accepted: WorkflowResult<Outcome>['accepted'] = null;
  let last: FailedCall = { call: 'booking workflow', attempts: 0 };
  let next = workflow.next();
  while (!next.done) {
    const step = next.value;
    const nowMs = clock.nowMs();
    last = { call: nameOf(step), tookMs: nowMs - beganMs, attempts: (last.attempts ?? 0) + 1 };
    if (nowMs >= deadlineMs) {
      const late = { ...last, deadline: { name: 'booking workflow', ms: deadlineMs - beganMs } };
      return { outcome: unavailable('deadline', late), accepted, last };
    }
    let result: StepResult | Unavailable;
    if (step.to === 'booking') {
      const reply = await streams.bookings.handle(step.id, step.command, cause, deadlineMs, {
        known: fresh ? 'no-stream' : null,
      });
      if (reply.kind === 'accepted') accepted = reply;
      result = resultOf(reply);
    } else {
      result = await perform(step, cause, deadlineMs, context);
    }
    if (result.kind === 'unavailable') return { outcome: result, accepted, last };
    next = workflow.next(result);
  }
  return { outcome: next.value, accepted, last };
}

function nameOf(step: Step): string {
  if (step.to === 'read') return `read of booking-${step.id}`;
  return `${step.command.type} to ${step.to}-${step.id}`;
}

async function perform(
  step: Exclude<Step, { to: 'booking' }>,
  cause: Cause,
  deadlineMs: number,
  { streams, allotments }: Driving,
): Promise<StepResult | Unavailable> {
  switch (step.to) {
    case 'allotment': {
      // The view lacks the date until its first event; if it is behind, the append finds the date's events.
      const known = allotments?.get(step.id) === undefined && allotments !== null ? 'no-stream' : null;
      const reply = await streams.allotments.handle(step.id, step.command, cause, deadlineMs, { known });
      if (reply.kind !== 'accepted' || reply.state.status !== 'open') return resultOf(reply);
      return claimedBy(reply.state, step.command);
    }
    case 'guest':
      // The stream is named after the claim, so it is nearly always new.
      return resultOf(await streams.guests.handle(step.id, step.command, cause, deadlineMs, { known: 'no-stream' }));
    case 'spending':
      return resultOf(await streams.spendings.handle(step.id, step.command, cause, deadlineMs));
    case 'read': {
      const reply = await streams.bookings.read(step.id, deadlineMs);
      if (reply.kind !== 'state') return reply;
      return { kind: 'read', booking: reply.state };
    }
    default:
      return unreachable(step);
  }
}

type Handled = Awaited<ReturnType<Streams['allotments' | 'guests' | 'bookings' | 'spendings']['handle']>>;

function resultOf(reply: Handled): StepResult | Unavailable {
  return reply.kind === 'accepted' ? { kind: 'done' } : reply;
}
