import { type BookingWorkflowInput, bookingWorkflow, factsOf } from '../../../src/domain/booking/booking-workflow.ts';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import { modificationWorkflow } from '../../../src/domain/booking/modification-workflow.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import type { Step, StepResult } from '../../../src/domain/booking/workflow-step.ts';
import { ERASED } from '../../../src/domain/guest/guest.ts';
import type { AllotmentId } from '../../../src/domain/ids.ts';
import { EARLY_MS } from '../../support/booking-life.ts';
import {
  A_VOUCHER,
  allotment,
  aSchedule,
  bookingFacts,
  bookingId,
  claimId,
  commandId,
  date,
  fingerprint,
  ISSUED,
} from '../../support/examples.ts';

export const CLOSED_DATE = '2026-12-24';
export const OTHER_DATE = '2026-12-26';
export const HERE = allotment(`bkk-ocean-world-${CLOSED_DATE}`);
export const THERE = allotment(`bkk-ocean-world-${OTHER_DATE}`);
export const BOOKING = bookingId('bk_7gk2m0q9xw4t1zc8rb5n');
export const GUESTS = 3;
export const AT = new Date(EARLY_MS).toISOString();
export const NO_GUARDS = { expectedTotalMinor: null, unpaid: null, spending: null };
export const HOURS = { beginsAtMs: 1_798_218_000_000, opensAtMs: 1_798_250_400_000, closesAtMs: 1_798_282_800_000 };

function inputOf(finalStep: BookingWorkflowInput['finalStep'], on: AllotmentId): BookingWorkflowInput {
  const { claims: _, pricing: __, guest: ___, cancellation: ____, ...facts } = bookingFacts();
  const day = date(on === HERE ? CLOSED_DATE : OTHER_DATE);
  return {
    bookingId: BOOKING,
    allotmentId: on,
    schedule: aSchedule({ date: day }),
    hotelPercentOff: 0,
    holdId: null,
    nowMs: EARLY_MS,
    guests: GUESTS,
    ...NO_GUARDS,
    guestDetails: { ...ERASED, name: 'Ada Lovelace' },
    guestFingerprint: fingerprint('GUEST1'),
    reference: null,
    facts: { ...facts, date: day, hours: HOURS },
    finalStep,
    claimDeadlineMs: EARLY_MS,
    abandonments: 0,
    releasesSeen: 0,
  };
}

const idOf = ({ allotmentId, abandonments, size }: { allotmentId: string; abandonments: number; size: number }) =>
  claimId(`${allotmentId}#${abandonments}#${size}`);

/** A request to book on a date. */
export function booking(finalStep: BookingWorkflowInput['finalStep'], on = HERE) {
  return bookingWorkflow(inputOf(finalStep, on), idOf);
}

/** The workflow of a slow booking, which records BookingStarted once its slots are claimed. */
export function* started(): Generator<Step, void, StepResult> {
  const input = inputOf({ kind: 'confirm', ...ISSUED }, HERE);
  const workflow = bookingWorkflow(input, idOf);
  let next = workflow.next();
  while (next.done !== true) {
    const step = next.value;
    const result: StepResult = yield step;
    if (step.to === 'allotment' && result.kind === 'claimed' && step.command.type === 'ClaimSlots') {
      const facts = factsOf(input, { allotment: step.id, id: step.command.claimId, size: GUESTS }, result);
      const start: BookingCommand = { type: 'Start', facts, finishByMs: EARLY_MS, answerByMs: null };
      yield { to: 'booking', id: BOOKING, command: start };
    }
    next = workflow.next(result);
  }
}

export function* confirmed(): Generator<Step, void, StepResult> {
  const command: BookingCommand = { type: 'ConfirmByVenue', ...ISSUED, ifVersions: null, nowMs: EARLY_MS };
  yield { to: 'booking', id: BOOKING, command };
}

export function* cancelledByGuest(): Generator<Step, void, StepResult> {
  const metadata = { commandId: commandId('GUEST'), fingerprint: fingerprint('FP'), by: 'user', at: AT } as const;
  const command: BookingCommand = {
    type: 'Cancel',
    reason: 'user_requested',
    ...metadata,
    ifVersions: null,
    nowMs: EARLY_MS,
  };
  yield { to: 'booking', id: BOOKING, command };
}

export function* moved(found: Booking, to: string, guests = GUESTS): Generator<Step, void, StepResult> {
  if (found.status === 'none') return;
  const day = date(to);
  const metadata = { commandId: commandId('MOVE'), fingerprint: fingerprint('MOVE'), by: 'user', at: AT } as const;
  yield* modificationWorkflow(
    {
      bookingId: BOOKING,
      booking: found,
      metadata: { ...metadata, ifVersions: null, nowMs: EARLY_MS },
      move: found.facts.date === day ? null : { date: day, hours: HOURS, lastEntryMs: A_VOUCHER.validUntilMs },
      numAdults: guests - found.facts.numChildren,
      numChildren: found.facts.numChildren,
      hotelPercentOff: 0,
      ...NO_GUARDS,
      guest: null,
      schedule: aSchedule({ date: day }),
      testDay: null,
      claimDeadlineMs: EARLY_MS,
    },
    idOf,
  );
}
