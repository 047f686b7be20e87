import type { LocalDate } from '../../../src/domain/activity/activity.ts';
import { releasesOf } from '../../../src/domain/allotment/state.ts';
import { type BookingWorkflowOutcome, bookingWorkflow } from '../../../src/domain/booking/booking-workflow.ts';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import type { Hours } from '../../../src/domain/booking/facts.ts';
import {
  type ModificationWorkflowOutcome,
  modificationWorkflow,
} from '../../../src/domain/booking/modification-workflow.ts';
import { expenseOf } from '../../../src/domain/booking/reserve-spending.ts';
import type { StepResult } from '../../../src/domain/booking/workflow-step.ts';
import type { UnpaidTaker } from '../../../src/domain/exposure/exposure.ts';
import { NO_CALLER_DATA } from '../../../src/domain/guest/guest.ts';
import type { HoldId } from '../../../src/domain/ids.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { aVisit, bookingId, commandId, date, fingerprint, holdId, keyId, venueId } from '../../support/examples.ts';
import { CLAIM_MS, OFFER, type Offer, schedule } from './offer.ts';
import { newExpense, presentPrice, spendingOf } from './spending.ts';
import { claimIdOf, type Flow, place, RAFTING, type System } from './system.ts';

export { CLAIM_MS, OFFER, type Offer };
/** Duration of a hold. */
export const HOLD_MS = 10 * MINUTE_MS;

export type BookRequest = {
  readonly booking: string;
  readonly on: string;
  readonly guests: number;
  readonly guest: string;
  readonly hold: string | null;
  readonly ends: 'confirmed' | 'pending';
};
export type ModifyRequest = {
  readonly booking: string;
  readonly command: string;
  readonly on: string | null;
  readonly guests: number | null;
  readonly guest: string | null;
};
export type Ended = { readonly kind: 'accepted' } | { readonly kind: 'rejected'; readonly code: string };

/** The first date is ten days after the start of the model. The venue is open from 6:00 to 12:00. */
export function hoursOf(on: string): Hours {
  const beginsAtMs = Date.parse(`${on}T00:00:00Z`) - Date.parse('2026-12-01T00:00:00Z') + 10 * DAY_MS;
  return { beginsAtMs, opensAtMs: beginsAtMs + DAY_MS / 4, closesAtMs: beginsAtMs + DAY_MS / 2 };
}

export function book(system: System, request: BookRequest, offer: Offer = OFFER): Flow<BookingWorkflowOutcome> {
  const { booking, on, guests, guest, ends } = request;
  const hours = hoursOf(on);
  const state = system.booking(booking);
  const input = {
    bookingId: bookingId(booking),
    allotmentId: place(date(on)),
    schedule: schedule(date(on), offer),
    hotelPercentOff: 0,
    holdId: request.hold === null ? null : holdId(request.hold),
    nowMs: system.nowMs,
    guests,
    expectedTotalMinor: null,
    reference: null,
    guestDetails: details(guest),
    guestFingerprint: fingerprint(guest),
    facts: {
      keyId: keyId('key_1'),
      command: commandId('BOOK'),
      fingerprint: fingerprint(JSON.stringify(request)),
      activityId: RAFTING.activity,
      venueId: RAFTING.venue,
      city: 'Bangkok',
      category: 'adventure',
      date: date(on),
      hours,
      numAdults: guests,
      numChildren: 0,
      language: 'en',
      attribution: null,
      webhookUrl: null,
      at: isoOf(system),
    },
    finalStep:
      ends === 'confirmed'
        ? ({ kind: 'confirm', voucher: voucherOf(booking, hours), activityRevision: 0 } as const)
        : ({ kind: 'place-on-request', answerByMs: system.nowMs + DAY_MS } as const),
    claimDeadlineMs: system.nowMs + CLAIM_MS,
    unpaid: ends === 'pending' ? TAKER : null,
    releasesSeen: releasesOf(system.allotment(place(date(on)))),
    abandonments: state.abandoned.length,
    spending: spendingOf(system, newExpense(system, date(on), { guests, heldBy: request.hold }, offer)),
  } as const;
  return bookingWorkflow(input, claimIdOf);
}

/** The key of all requests, without a limit on its places. */
const TAKER: UnpaidTaker = { keyId: keyId('key_1'), share: null };

/** Like a node, answers a known command from the events. */
export function modify(
  system: System,
  request: ModifyRequest,
  offer: Offer = OFFER,
): Flow<ModificationWorkflowOutcome> {
  const { booking, command, on, guests, guest } = request;
  const state = system.booking(booking);
  if (state.status === 'none') return at({ kind: 'rejected', rejection: { code: 'BOOKING_NOT_FOUND' } });
  const print = fingerprint(JSON.stringify(request));
  const known = state.modifications.get(command);
  if (known !== undefined) {
    return at(
      known.fingerprint === print
        ? { kind: 'modified' }
        : { kind: 'rejected', rejection: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    );
  }
  const moves = on !== null && on !== state.facts.date;
  const input = {
    bookingId: bookingId(booking),
    booking: state,
    metadata: { ...callerFields(system, command), fingerprint: print },
    move: moves ? { date: date(on), hours: hoursOf(on), lastEntryMs: hoursOf(on).closesAtMs } : null,
    numAdults: guests ?? state.facts.numAdults,
    numChildren: state.facts.numChildren,
    hotelPercentOff: 0,
    expectedTotalMinor: null,
    guest:
      guest === null ? null : { details: details(guest), fingerprint: fingerprint(guest), fields: ['name'] as const },
    schedule: schedule(date(on ?? state.facts.date), offer),
    testDay: null,
    claimDeadlineMs: system.nowMs + CLAIM_MS,
    unpaid: state.status === 'pending' ? TAKER : null,
    spending: spendingOf(
      system,
      expenseOf(state, {
        numAdults: guests ?? state.facts.numAdults,
        numChildren: state.facts.numChildren,
        moves,
        price: presentPrice(system, date(on ?? state.facts.date), offer),
      }),
    ),
  };
  return modificationWorkflow(input, claimIdOf);
}

export function cancel(
  system: System,
  booking: string,
  command: string,
  reason: 'user_requested' | 'weather' = 'user_requested',
): Flow<Ended> {
  return toBooking(booking, {
    type: 'Cancel',
    reason,
    ...callerFields(system, command),
    fingerprint: fingerprint(reason),
  });
}

export function confirm(system: System, booking: string): Flow<Ended> {
  const state = system.booking(booking);
  const hours = hoursOf(state.status === 'none' ? '2026-12-01' : state.facts.date);
  return toBooking(booking, {
    type: 'ConfirmByVenue',
    voucher: voucherOf(booking, hours),
    activityRevision: 0,
    ifVersions: null,
    nowMs: system.nowMs,
  });
}

export function reject(system: System, booking: string): Flow<Ended> {
  const why = { reason: 'venue_unavailable', code: 'ACTIVITY_UNAVAILABLE', by: 'venue' } as const;
  return toBooking(booking, { type: 'Reject', ...why, at: isoOf(system) });
}

export function erase(system: System, booking: string): Flow<Ended> {
  return toBooking(booking, { type: 'EraseGuest', by: 'operator', at: isoOf(system) });
}

/** A scan, reported at once or later; times in ms since the start of the model. `command` identifies it. */
export function scan(booking: string, command: string, verifiedAtMs: number, reportedAtMs = verifiedAtMs): Flow<Ended> {
  const visit = aVisit({ verifiedAtMs, reportedAtMs, command: commandId(command), fingerprint: fingerprint(command) });
  return toBooking(booking, { type: 'VerifyVisit', venueId: venueId(RAFTING.venue), visit, activityRevision: 0 });
}

/** Records the hold's request, then holds the slots. */
export function* hold(
  system: System,
  request: { readonly hold: string; readonly on: string; readonly guests: number },
  offer: Offer = OFFER,
): Flow<Ended> {
  const id = holdId(request.hold);
  const on = date(request.on);
  const expiresAtMs = system.nowMs + HOLD_MS;
  const releasesSeen = releasesOf(system.allotment(place(on)));
  const facts = {
    hold: id,
    keyId: keyId('key_1'),
    fingerprint: fingerprint(JSON.stringify(request)),
    activityId: RAFTING.activity,
    date: on,
    allotment: place(on),
    numAdults: request.guests,
    numChildren: 0,
    offered: null,
    releasesSeen,
    at: isoOf(system),
  };
  const asked: StepResult = yield { to: 'hold', id, command: { type: 'AskHold', facts } };
  if (asked.kind === 'rejected') return { kind: 'rejected', code: asked.rejection.code };
  const command = {
    type: 'HoldSlots',
    holdId: id,
    size: request.guests,
    holder: TAKER,
    expiresAtMs,
    schedule: schedule(on, offer),
    hotelPercentOff: 0,
    nowMs: system.nowMs,
    releasesSeen,
  } as const;
  return ended(yield { to: 'allotment', id: place(on), command });
}

export function* releaseHold(id: string, on: string): Flow<Ended> {
  return ended(yield { to: 'allotment', id: place(date(on)), command: { type: 'ReleaseHold', holdId: id as HoldId } });
}

/** The operator sets the price of a date. */
export function* setPrice(on: LocalDate, unitPriceMinor: number): Flow<Ended> {
  const command = { type: 'SetTerms', unitPriceMinor, schedule: schedule(on, OFFER) } as const;
  return ended(yield { to: 'allotment', id: place(on), command });
}

function* toBooking(booking: string, command: BookingCommand): Flow<Ended> {
  return ended(yield { to: 'booking', id: bookingId(booking), command });
}

function ended(result: StepResult): Ended {
  return result.kind === 'rejected' ? { kind: 'rejected', code: result.rejection.code } : { kind: 'accepted' };
}

// oxlint-disable-next-line require-yield -- a flow that is at its end has no step
function* at<Outcome>(outcome: Outcome): Flow<Outcome> {
  return outcome;
}

function callerFields(system: System, command: string) {
  return {
    commandId: commandId(command),
    by: 'user',
    ifVersions: null,
    nowMs: system.nowMs,
    at: isoOf(system),
  } as const;
}

function details(name: string) {
  return { ...NO_CALLER_DATA, name, email: `${name}@example.org`, specialRequests: null };
}

function voucherOf(booking: string, { beginsAtMs, closesAtMs }: Hours) {
  return { code: `voucher of ${booking}`, validFromMs: beginsAtMs, validUntilMs: closesAtMs };
}

function isoOf({ nowMs }: System): string {
  return new Date(nowMs).toISOString();
}
