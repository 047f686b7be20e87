import { type Unavailable, unavailable } from '../actors/actor.ts';
import { claimedBy } from '../domain/booking/attempt.ts';
import type { Step, StepResult } from '../domain/booking/step.ts';
import type { Cause } from '../eventsourcing/message.ts';
import { unreachable } from '../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';
import type { Streams } from './streams.ts';

export type Driven<Outcome> = {
  readonly outcome: Outcome | Unavailable;
  /** What the booking's stream said to the last step that went there. */
  readonly booked: Extract<Awaited<ReturnType<Streams['bookings']['handle']>>, { kind: 'accepted' }> | null;
};

/** Does the steps of an attempt, each by the actor of its stream. Past the deadline no further step is begun. */
export async function drive<Outcome>(
  attempt: Generator<Step, Outcome, StepResult>,
  fresh: boolean,
  cause: Cause,
  deadlineMs: number,
  { streams, clock }: BookingContext,
): Promise<Driven<Outcome>> {
  let booked: Driven<Outcome>['booked'] = null;
  let next = attempt.next();
  while (!next.done) {
    const step = next.value;
    if (clock.nowMs() >= deadlineMs) return { outcome: unavailable('deadline'), booked };
    let result: StepResult | Unavailable;
    if (step.to === 'booking') {
      const reply = await streams.bookings.handle(step.id, step.command, cause, deadlineMs, { fresh });
      if (reply.kind === 'accepted') booked = reply;
      result = resultOf(reply);
    } else {
      result = await perform(step, cause, deadlineMs, streams);
    }
    if (result.kind === 'unavailable') return { outcome: result, booked };
    next = attempt.next(result);
  }
  return { outcome: next.value, booked };
}

async function perform(
  step: Exclude<Step, { to: 'booking' }>,
  cause: Cause,
  deadlineMs: number,
  streams: Streams,
): Promise<StepResult | Unavailable> {
  switch (step.to) {
    case 'allotment': {
      const reply = await streams.allotments.handle(step.id, step.command, cause, deadlineMs);
      if (reply.kind !== 'accepted' || reply.state.status !== 'open') return resultOf(reply);
      return claimedBy(reply.state, step.command);
    }
    case 'guest':
      // Named after the claim, which is nearly always made for this very attempt.
      return resultOf(await streams.guests.handle(step.id, step.command, cause, deadlineMs, { fresh: true }));
    case 'read': {
      const reply = await streams.bookings.read(step.id, deadlineMs);
      if (reply.kind !== 'state') return reply;
      return { kind: 'read', booking: reply.state };
    }
    default:
      return unreachable(step);
  }
}

type Handled = Awaited<ReturnType<Streams['allotments' | 'guests' | 'bookings']['handle']>>;

function resultOf(reply: Handled): StepResult | Unavailable {
  if (reply.kind === 'accepted') return { kind: 'done' };
  return reply.kind === 'rejected' ? { kind: 'refused', rejection: reply.rejection } : reply;
}
