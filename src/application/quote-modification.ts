import { freeSlots } from '../domain/allotment/allotment.ts';
import { presentPricing, presentSchedule } from '../domain/allotment/decider.ts';
import {
  type BookingEvent,
  type BookingId,
  type CommandId,
  type ExistingBooking,
  guestsOf,
} from '../domain/booking/booking.ts';
import { bookingDecider } from '../domain/booking/decider.ts';
import { modificationAttempt } from '../domain/booking/modification-attempt.ts';
import type { Step, StepResult } from '../domain/booking/step.ts';
import type { Cause } from '../eventsourcing/message.ts';
import { unreachable } from '../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';
import { explainBooking } from './explain-booking.ts';
import { claimIdWith, fingerprintOf } from './identifiers.ts';
import type { Outcome } from './modify-booking.ts';
import { type ModifyBooking, planModification } from './plan-modification.ts';
import { readBooking } from './read-booking.ts';
import { type Refused, serviceUnavailable } from './refusal.ts';

/** What a modification would come to. Amounts in minor units of the booking's currency. */
export type ModificationQuote = Outcome & {
  readonly kind: 'quote';
  readonly id: BookingId;
  readonly booking: ExistingBooking;
  /** Whether there is room for it. */
  readonly available: boolean;
  readonly chargeMinor: number;
  readonly refundMinor: number;
};

/**
 * What a modification would come to if it were asked for now: the very attempt that would be made, whose steps are decided
 * on what the streams say. Writes nothing, and refuses as the attempt would; only too few slots are an answer.
 */
export async function quoteModification(
  request: ModifyBooking,
  cause: Cause,
  context: BookingContext,
): Promise<ModificationQuote | Refused> {
  const view = await readBooking(request.id, request.keyId, context);
  if (view.kind === 'refused') return view;
  const { id, booking, guest: guestBefore } = view;
  const wished = { command: context.ids.uuid() as CommandId, fingerprint: fingerprintOf(context.digest, []) };
  const plan = await planModification(view, request, wished, cause, context);
  if (plan.kind === 'refused') return plan;
  const { ask } = plan;
  const rehearsal = await rehearse(modificationAttempt(ask, claimIdWith(context.digest)), context);
  if (rehearsal.kind === 'refused') return rehearsal;
  const { outcome, events, available } = rehearsal;
  switch (outcome.kind) {
    case 'modified': {
      const guestAfter = ask.guest?.details ?? guestBefore;
      return { kind: 'quote', id, booking, available, guestBefore, guestAfter, ...settled(booking, events) };
    }
    case 'refused':
      return explainBooking(id, outcome.rejection);
    case 'exhausted':
    case 'contended':
      return serviceUnavailable('contended');
    default:
      return unreachable(outcome);
  }
}

/** What the events of a modification say; none: all is as it was. */
function settled({ facts }: ExistingBooking, events: readonly BookingEvent[]) {
  let quote = {
    changes: {},
    pricing: facts.pricing,
    guests: guestsOf(facts),
    chargeMinor: 0,
    refundMinor: 0,
  };
  for (const { type, data } of events) {
    if (type === 'BookingModified')
      quote = { ...quote, changes: data.changes, pricing: data.pricing, guests: data.numGuests };
    if (type === 'ChargeRecorded') quote = { ...quote, chargeMinor: data.amountMinor };
    if (type === 'RefundRecorded') quote = { ...quote, refundMinor: data.amountMinor };
  }
  return quote;
}

type Rehearsal<End> = {
  readonly kind: 'rehearsed';
  readonly outcome: End;
  readonly events: readonly BookingEvent[];
  readonly available: boolean;
};

/** Does the steps of an attempt in thought. Slots that are not there are given all the same, and told of. */
async function rehearse<End>(
  attempt: Generator<Step, End, StepResult>,
  { streams, clock, limits }: BookingContext,
): Promise<Rehearsal<End> | Refused> {
  const deadlineMs = clock.nowMs() + limits.responseMs;
  const events: BookingEvent[] = [];
  let available = true;
  let next = attempt.next();
  while (!next.done) {
    const step = next.value;
    switch (step.to) {
      case 'allotment': {
        const reply = await streams.allotments.read(step.id, deadlineMs);
        if (reply.kind !== 'state') return serviceUnavailable(reply.kind === 'erased' ? 'erased' : reply.reason);
        if (step.command.type !== 'ClaimSlots') throw new Error(`${step.command.type} is no step of a modification`);
        const { opening, size } = step.command;
        available &&= size <= freeSlots(reply.state, opening);
        const pricing = presentPricing(reply.state, opening, step.command);
        const { cancellation } = presentSchedule(reply.state, opening);
        next = attempt.next({ kind: 'claimed', pricing, cancellation });
        break;
      }
      case 'guest':
        next = attempt.next({ kind: 'done' });
        break;
      case 'booking':
      case 'read': {
        const reply = await streams.bookings.read(step.id, deadlineMs);
        if (reply.kind !== 'state') return serviceUnavailable(reply.kind === 'erased' ? 'erased' : reply.reason);
        if (step.to === 'read') {
          next = attempt.next({ kind: 'read', booking: reply.state });
          break;
        }
        const decision = bookingDecider.decide(step.command, reply.state);
        if (decision.kind === 'accepted') events.push(...decision.events);
        next = attempt.next(
          decision.kind === 'accepted' ? { kind: 'done' } : { kind: 'refused', rejection: decision.rejection },
        );
        break;
      }
      default:
        return unreachable(step);
    }
  }
  return { kind: 'rehearsed', outcome: next.value, events, available };
}
