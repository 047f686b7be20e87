import type { ActivityId, LocalDate, VenueId } from '../../../src/domain/activity/activity.ts';
import type { DateSchedule } from '../../../src/domain/allotment/events.ts';
import type { BookingWorkflowInput } from '../../../src/domain/booking/booking-workflow.ts';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import type { Hours } from '../../../src/domain/booking/facts.ts';
import type { ModificationWorkflowInput } from '../../../src/domain/booking/modification-workflow.ts';
import type { ExistingBooking } from '../../../src/domain/booking/state.ts';
import type { ClaimParts, Step } from '../../../src/domain/booking/workflow-step.ts';
import type { UnpaidTaker } from '../../../src/domain/exposure/exposure.ts';
import { ERASED } from '../../../src/domain/guest/guest.ts';
import {
  type AllotmentId,
  allotmentIdOf,
  type BookingId,
  type ClaimId,
  type CommandId,
  type Fingerprint,
  type HoldId,
  type KeyId,
} from '../../../src/domain/ids.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';

/**
 * Deadline of every claim and end of every hold, in ms since the model's epoch. A claim made later is due at once: a
 * later deadline would permit the reaper fewer interleavings.
 */
export const DEADLINE_MS = 1_000;

/** Capacity and price per guest (minor units) with which the request's node opens the allotment. */
type Offer = { readonly capacity: number; readonly unitPriceMinor: number };

/** Books. Requests for the same `booking` have the same Idempotency-Key. */
export type BookRequest = Offer & {
  readonly kind: 'book';
  readonly booking: string;
  readonly guests: number;
  /** The lead guest's name. */
  readonly guest: string;
  /** The requested date. */
  readonly on: string;
  /** The hold to use. */
  readonly hold: string | null;
  /** The expected total in minor units, which is not a part of the fingerprint; null: any. */
  readonly expects: number | null;
  readonly ends: 'confirmed' | 'pending';
};

/** Modifies. Null: unchanged. Requests with the same `command` have the same Idempotency-Key. */
export type ModifyRequest = Offer & {
  readonly kind: 'modify';
  readonly booking: string;
  readonly command: string;
  readonly guests: number | null;
  readonly guest: string | null;
  readonly on: string | null;
};

/** Requests of a single step. */
export type SimpleRequest =
  | { readonly kind: 'cancel'; readonly booking: string; readonly command: string }
  | { readonly kind: 'confirm' | 'reject' | 'erase'; readonly booking: string }
  | (Offer & { readonly kind: 'hold'; readonly hold: string; readonly guests: number; readonly on: string })
  /** An operator sets the price of a date. */
  | (Offer & { readonly kind: 'set-price'; readonly on: string })
  | { readonly kind: 'release-hold'; readonly hold: string; readonly on: string };

export type Request = BookRequest | ModifyRequest | SimpleRequest;

const BOOK = 'book' as CommandId;
const ACTIVITY = 'rafting' as ActivityId;
const KEY = 'key' as KeyId;
/** The key of all requests, and the share of each date that it may take unpaid: 4 places of up to 9. */
export const TAKER: UnpaidTaker = { keyId: KEY, share: 0.5 };
const AT = '2026-01-01T00:00:00.000Z';
/** Far in the future, so that every refund is a full refund. */
const DAYS: Readonly<Record<string, number>> = { mon: 1, tue: 2 };

/** The input of the booking workflow, after the node has read the booking's stream. */
export function bookingInput(
  request: BookRequest,
  { abandonments, releasesSeen, nowMs }: Pick<BookingWorkflowInput, 'abandonments' | 'releasesSeen' | 'nowMs'>,
): BookingWorkflowInput {
  const hours = hoursOf(request.on);
  return {
    bookingId: request.booking as BookingId,
    allotmentId: allotmentOf(request.on),
    schedule: dateSchedule(request.on, request),
    hotelPercentOff: 0,
    holdId: request.hold as HoldId | null,
    nowMs,
    guests: request.guests,
    expectedTotalMinor: request.expects,
    guestDetails: { ...ERASED, name: request.guest },
    reference: null,
    guestFingerprint: request.guest as Fingerprint,
    facts: {
      keyId: KEY,
      command: BOOK,
      fingerprint: fingerprintOf(request),
      activityId: ACTIVITY,
      venueId: 'river' as VenueId,
      city: 'Bangkok',
      category: 'adventure',
      date: request.on as LocalDate,
      hours,
      numAdults: request.guests,
      numChildren: 0,
      language: 'en',
      attribution: null,
      webhookUrl: null,
      at: AT,
    },
    finalStep:
      request.ends === 'confirmed'
        ? { kind: 'confirm', voucher: voucherOf(request.booking, hours), activityRevision: 0 }
        : { kind: 'place-on-request', answerByMs: DEADLINE_MS },
    claimDeadlineMs: DEADLINE_MS,
    unpaid: request.ends === 'pending' ? TAKER : null,
    releasesSeen,
    abandonments,
    spending: null,
  };
}

/** The input of the modification workflow for the booking that was read. */
export function modificationInput(
  request: ModifyRequest,
  booking: ExistingBooking,
  nowMs: number,
): ModificationWorkflowInput {
  const { on, guest } = request;
  const commandId = request.command as CommandId;
  const hours = hoursOf(on ?? booking.facts.date);
  return {
    bookingId: request.booking as BookingId,
    booking,
    metadata: { commandId, fingerprint: fingerprintOf(request), by: 'user', ifVersions: null, nowMs, at: AT },
    move: on === null ? null : { date: on as LocalDate, hours, lastEntryMs: hours.closesAtMs },
    numAdults: request.guests ?? booking.facts.numAdults,
    numChildren: 0,
    hotelPercentOff: 0,
    expectedTotalMinor: null,
    guest:
      guest === null
        ? null
        : {
            details: { ...ERASED, name: guest },
            fingerprint: guest as Fingerprint,
            fields: ['name'],
          },
    schedule: dateSchedule(on ?? booking.facts.date, request),
    testDay: null,
    claimDeadlineMs: DEADLINE_MS,
    unpaid: booking.status === 'pending' ? TAKER : null,
    spending: null,
  };
}

/** The step of a single-step request. */
export function stepOf(request: SimpleRequest): Step {
  switch (request.kind) {
    case 'hold': {
      const holdId = request.hold as HoldId;
      const schedule = dateSchedule(request.on, request);
      const command = {
        type: 'HoldSlots',
        holdId,
        size: request.guests,
        holder: TAKER,
        expiresAtMs: DEADLINE_MS,
        schedule,
        hotelPercentOff: 0,
        nowMs: 0,
        // Every request for the hold has the number that its first one stored.
        releasesSeen: 0,
      } as const;
      return { to: 'allotment', id: allotmentOf(request.on), command };
    }
    case 'set-price': {
      const { on, unitPriceMinor } = request;
      // The schedule keeps its own price.
      const schedule = dateSchedule(on, { ...request, unitPriceMinor: 0 });
      return { to: 'allotment', id: allotmentOf(on), command: { type: 'SetTerms', unitPriceMinor, schedule } };
    }
    case 'release-hold':
      return {
        to: 'allotment',
        id: allotmentOf(request.on),
        command: { type: 'ReleaseHold', holdId: request.hold as HoldId },
      };
    default:
      return { to: 'booking', id: request.booking as BookingId, command: commandOf(request) };
  }
}

function commandOf(request: Exclude<SimpleRequest, { kind: 'hold' | 'release-hold' | 'set-price' }>): BookingCommand {
  switch (request.kind) {
    case 'cancel': {
      const common = { commandId: request.command as CommandId, fingerprint: fingerprintOf(request), ifVersions: null };
      return { type: 'Cancel', reason: 'user_requested', by: 'user', nowMs: 0, at: AT, ...common };
    }
    case 'confirm':
      // Made before the request starts, for the original date of the booking.
      return {
        type: 'ConfirmByVenue',
        voucher: voucherOf(request.booking, hoursOf('mon')),
        activityRevision: 0,
        nowMs: 0,
        ifVersions: null,
      };
    case 'reject':
      return { type: 'Reject', reason: 'venue_unavailable', code: 'ACTIVITY_UNAVAILABLE', by: 'venue', at: AT };
    case 'erase':
      return { type: 'EraseGuest', by: 'operator', at: AT };
    default:
      return unreachable(request);
  }
}

/** A readable claim id of all parts; in production it is their digest. */
export function claimId({ bookingId, commandId, fingerprint, allotmentId, size, abandonments }: ClaimParts): ClaimId {
  return `${bookingId}(${commandId} ${fingerprint}: ${size}@${allotmentId})#${abandonments}` as ClaimId;
}

/** A readable fingerprint. Of a booking: lead guest, further guests, date. */
export function fingerprintOf(request: Request): Fingerprint {
  switch (request.kind) {
    case 'book':
      return `${request.guest}+${request.guests - 1}@${request.on}` as Fingerprint;
    case 'modify':
      return [request.guest, request.guests, request.on].filter((part) => part !== null).join(' ') as Fingerprint;
    default:
      return request.kind as Fingerprint;
  }
}

/** The name of a request in the descriptions of its moves. */
export function describeRequest(request: Request): string {
  return request.kind === 'book' ? fingerprintOf(request) : `${request.kind} ${fingerprintOf(request)}`;
}

export function allotmentOf(on: string): AllotmentId {
  return allotmentIdOf(ACTIVITY, on as LocalDate);
}

/** When a date begins, when the venue opens on it and when it closes. */
export function hoursOf(on: string): Hours {
  const day = (DAYS[on] ?? 0) * 365 * DAY_MS;
  return { beginsAtMs: day, opensAtMs: day + DAY_MS / 4, closesAtMs: day + DAY_MS / 2 };
}

function voucherOf(booking: string, { beginsAtMs, closesAtMs }: Hours) {
  return { code: `voucher of ${booking}`, validFromMs: beginsAtMs, validUntilMs: closesAtMs };
}

function dateSchedule(on: string, { capacity, unitPriceMinor }: Offer): DateSchedule {
  return {
    activityId: ACTIVITY,
    city: 'Bangkok',
    date: on as LocalDate,
    capacity,
    unitPriceMinor,
    currency: 'THB',
    cancellation: { freeUntilHours: 24, percentKept: 50 },
    catalogueRevision: 0,
  };
}
