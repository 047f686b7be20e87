import { amounts } from '../../domain/activity/pricing.ts';
import { currentSchedule, freeSlots, quotePrice } from '../../domain/allotment/state.ts';
import { overShare } from '../../domain/allotment/unpaid.ts';
import { bookingDecider } from '../../domain/booking/decider.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { modificationWorkflow } from '../../domain/booking/modification-workflow.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import type { Step, StepResult } from '../../domain/booking/workflow-step.ts';
import type { BookingId, CommandId } from '../../domain/ids.ts';
import { spendingDecider } from '../../domain/spending/decider.ts';
import { type Cause, unreachable } from '../../eventsourcing/message.ts';
import { overUnpaidShare } from '../exposure/refusals.ts';
import { claimIdWith, fingerprintOf } from '../identifiers.ts';
import { noReply, type Refused, serviceUnavailable } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import { priceChanged } from './expected-total.ts';
import { explainBooking } from './explain-booking.ts';
import { exposedAfter, predictGuests } from './expose-booking.ts';
import type { ModificationSummary } from './modify-booking.ts';
import { type ModifyBooking, planModification } from './plan-modification.ts';
import { readBooking } from './read-booking.ts';
import { spendingLimit } from './spending-limits.ts';

/** The price effect of a modification. Amounts in minor units of the booking's currency. */
export type ModificationQuote = ModificationSummary & {
  readonly kind: 'quote';
  readonly id: BookingId;
  readonly booking: ExistingBooking;
  /** Whether enough slots are free. */
  readonly available: boolean;
  readonly chargeMinor: number;
  readonly refundMinor: number;
};

/**
 * The effect that a modification would have now: a dry run of the same workflow on the present state. Writes nothing
 * and refuses what the workflow would refuse; but too few slots give `available: false`.
 */
export async function quoteModification(
  request: ModifyBooking,
  cause: Cause,
  context: BookingContext,
): Promise<ModificationQuote | Refused> {
  const view = await readBooking(request.id, request.asker, context);
  if (view.kind === 'refused') return view;
  const { id, booking, guest: guestBefore } = view;
  const identity = { commandId: context.ids.uuid() as CommandId, fingerprint: fingerprintOf(context.digest, []) };
  const plan = await planModification(view, request, identity, cause, context);
  if (plan.kind === 'refused') return plan;
  const { input, slots } = plan;
  const exposed = slots === null ? null : exposedAfter(id, booking, { party: input, offer: slots.offer });
  const overGuests = await predictGuests(booking.facts.keyId, exposed, context);
  if (overGuests !== null) return overGuests;
  const run = await dryRun(modificationWorkflow(input, claimIdWith(context.digest)), context);
  if (run.kind === 'refused') return run;
  const { outcome, events, available } = run;
  switch (outcome.kind) {
    case 'modified': {
      const guestAfter = input.guest?.details ?? guestBefore;
      return { kind: 'quote', id, booking, available, guestBefore, guestAfter, ...quoteOf(booking, events) };
    }
    case 'rejected':
      return explainBooking(id, outcome.rejection);
    case 'price-changed':
      return priceChanged(request, guestsOf(input), outcome.totalMinor, input.schedule.currency);
    case 'over-limit':
      return spendingLimit(outcome, context);
    case 'over-share':
      return overUnpaidShare(outcome.refusal);
    case 'exhausted':
    case 'contended':
      return serviceUnavailable('contended', { call: `quote of a modification of booking-${id}: ${outcome.kind}` });
    default:
      return unreachable(outcome);
  }
}

/** The quote from the workflow's events; no events: nothing changes. */
function quoteOf({ facts }: ExistingBooking, events: readonly BookingEvent[]) {
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

type DryRun<End> = {
  readonly kind: 'dry-run';
  readonly outcome: End;
  readonly events: readonly BookingEvent[];
  readonly available: boolean;
};

/** Runs a workflow without writing. Missing slots do not stop it; they make `available` false. */
async function dryRun<End>(
  workflow: Generator<Step, End, StepResult>,
  { streams, clock, limits }: BookingContext,
): Promise<DryRun<End> | Refused> {
  const deadlineMs = clock.nowMs() + limits.responseMs;
  const events: BookingEvent[] = [];
  let available = true;
  let next = workflow.next();
  while (!next.done) {
    const step = next.value;
    switch (step.to) {
      case 'allotment': {
        const reply = await streams.allotments.read(step.id, deadlineMs);
        if (reply.kind !== 'state') return noReply(reply);
        if (step.command.type !== 'ClaimSlots') throw new Error(`${step.command.type} is not a step of a modification`);
        const { schedule, size, expectedTotalMinor, unpaid } = step.command;
        available &&= size <= freeSlots(reply.state, schedule);
        const pricing = quotePrice(reply.state, schedule, step.command);
        const { totalMinor } = amounts(pricing, size);
        const { cancellation } = currentSchedule(reply.state, schedule);
        const overShareNow = unpaid && overShare(unpaid, size, reply.state, schedule, clock.nowMs());
        if (overShareNow !== null) next = workflow.next({ kind: 'rejected', rejection: overShareNow });
        else if (expectedTotalMinor !== null && expectedTotalMinor !== totalMinor)
          next = workflow.next({ kind: 'rejected', rejection: { code: 'PRICE_CHANGED', totalMinor } });
        else next = workflow.next({ kind: 'claimed', pricing, cancellation });
        break;
      }
      case 'guest':
        next = workflow.next({ kind: 'done' });
        break;
      case 'spending': {
        const reply = await streams.spendings.read(step.id, deadlineMs);
        if (reply.kind !== 'state') return noReply(reply);
        const decision = spendingDecider.decide(step.command, reply.state);
        next = workflow.next(decision.kind === 'accepted' ? { kind: 'done' } : decision);
        break;
      }
      case 'booking':
      case 'read': {
        const reply = await streams.bookings.read(step.id, deadlineMs);
        if (reply.kind !== 'state') return noReply(reply);
        if (step.to === 'read') {
          next = workflow.next({ kind: 'read', booking: reply.state });
          break;
        }
        const decision = bookingDecider.decide(step.command, reply.state);
        if (decision.kind === 'accepted') events.push(...decision.events);
        next = workflow.next(decision.kind === 'accepted' ? { kind: 'done' } : decision);
        break;
      }
      default:
        return unreachable(step);
    }
  }
  return { kind: 'dry-run', outcome: next.value, events, available };
}
