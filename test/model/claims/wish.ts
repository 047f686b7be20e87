import type { ActivityId, LocalDate, VenueId } from '../../../src/domain/activity/activity.ts';
import type { DateSchedule } from '../../../src/domain/allotment/events.ts';
import type { BookingWorkflowInput } from '../../../src/domain/booking/booking-workflow.ts';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import type { Hours } from '../../../src/domain/booking/facts.ts';
import type { ModificationWorkflowInput } from '../../../src/domain/booking/modification-workflow.ts';
import type { ExistingBooking } from '../../../src/domain/booking/state.ts';
import type { ClaimParts, Step } from '../../../src/domain/booking/workflow-step.ts';
import {
  type AllotmentId,
  allotmentId,
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
 * Every claim is due from this time on, and every hold at its end (ms since an epoch of the model's own); one made after
 * it at once: a deadline of its own would allow it less.
 */
export const DEADLINE_MS = 1_000;

/** A date's offer, as the node of a request would open its allotment. The price is per guest, in minor units. */
type Offer = { readonly capacity: number; readonly unitPriceMinor: number };

/** To book. Requests for the same `booking` carry the same Idempotency-Key. */
export type BookWish = Offer & {
  readonly kind: 'book';
  readonly booking: string;
  readonly guests: number;
  /** The lead guest's name. */
  readonly guest: string;
  /** The date wished for. */
  readonly on: string;
  /** The hold that it uses. */
  readonly hold: string | null;
  readonly ends: 'confirmed' | 'pending';
};

/** To modify. What is null stays as it is; requests with the same `command` carry the same Idempotency-Key. */
export type ModifyWish = Offer & {
  readonly kind: 'modify';
  readonly booking: string;
  readonly command: string;
  readonly guests: number | null;
  readonly guest: string | null;
  readonly on: string | null;
};

/** What takes a single step. */
export type PlainWish =
  | { readonly kind: 'cancel'; readonly booking: string; readonly command: string }
  | { readonly kind: 'confirm' | 'reject' | 'erase'; readonly booking: string }
  | (Offer & { readonly kind: 'hold'; readonly hold: string; readonly guests: number; readonly on: string })
  | { readonly kind: 'let-go'; readonly hold: string; readonly on: string };

/** What a request asks for. */
export type Wish = BookWish | ModifyWish | PlainWish;

const BOOK = 'book' as CommandId;
const ACTIVITY = 'rafting' as ActivityId;
const KEY = 'key' as KeyId;
const AT = '2026-01-01T00:00:00.000Z';
/** Dates are a long way off, so that everything that is given back is given back in full. */
const DAYS: Readonly<Record<string, number>> = { mon: 1, tue: 2 };

/** All that a node works out before an attempt's first step, once it has read the booking's stream. */
export function bookingAsk(wish: BookWish, abandonments: number, nowMs: number): BookingWorkflowInput {
  const hours = hoursOf(wish.on);
  return {
    booking: wish.booking as BookingId,
    allotment: placeOf(wish.on),
    schedule: dateSchedule(wish.on, wish),
    hotelPercentOff: 0,
    hold: wish.hold as HoldId | null,
    nowMs,
    guests: wish.guests,
    guest: { name: wish.guest, email: `${wish.guest}@example.org`, specialRequests: null },
    guestFingerprint: wish.guest as Fingerprint,
    facts: {
      keyId: KEY,
      command: BOOK,
      fingerprint: fingerprintOf(wish),
      activityId: ACTIVITY,
      venueId: 'river' as VenueId,
      city: 'Bangkok',
      category: 'adventure',
      date: wish.on as LocalDate,
      hours,
      numAdults: wish.guests,
      numChildren: 0,
      language: 'en',
      attribution: null,
      webhookUrl: null,
      at: AT,
    },
    ends:
      wish.ends === 'confirmed'
        ? { as: 'confirmed', voucher: voucherOf(wish.booking, hours) }
        : { as: 'pending', answerByMs: DEADLINE_MS },
    claimDeadlineMs: DEADLINE_MS,
    abandonments,
  };
}

/** The same for a modification of a booking as it was read. */
export function modificationAsk(wish: ModifyWish, state: ExistingBooking, nowMs: number): ModificationWorkflowInput {
  const { on, guest } = wish;
  const command = wish.command as CommandId;
  const hours = hoursOf(on ?? state.facts.date);
  return {
    booking: wish.booking as BookingId,
    state,
    metadata: { command, fingerprint: fingerprintOf(wish), by: 'user', ifVersion: null, nowMs, at: AT },
    move: on === null ? null : { date: on as LocalDate, hours, lastEntryMs: hours.closesAtMs, hotelPercentOff: 0 },
    numAdults: wish.guests ?? state.facts.numAdults,
    numChildren: 0,
    guest:
      guest === null
        ? null
        : {
            details: { name: guest, email: `${guest}@example.org`, specialRequests: null },
            fingerprint: guest as Fingerprint,
            fields: ['name'],
          },
    schedule: dateSchedule(on ?? state.facts.date, wish),
    claimDeadlineMs: DEADLINE_MS,
  };
}

/** The one step of a wish that takes one. */
export function stepOf(wish: PlainWish): Step {
  switch (wish.kind) {
    case 'hold': {
      const hold = wish.hold as HoldId;
      const schedule = dateSchedule(wish.on, wish);
      const command = {
        type: 'HoldSlots',
        hold,
        size: wish.guests,
        expiresAtMs: DEADLINE_MS,
        schedule,
        hotelPercentOff: 0,
        nowMs: 0,
      } as const;
      return { to: 'allotment', id: placeOf(wish.on), command };
    }
    case 'let-go':
      return { to: 'allotment', id: placeOf(wish.on), command: { type: 'ReleaseHold', hold: wish.hold as HoldId } };
    default:
      return { to: 'booking', id: wish.booking as BookingId, command: commandOf(wish) };
  }
}

function commandOf(wish: Exclude<PlainWish, { kind: 'hold' | 'let-go' }>): BookingCommand {
  switch (wish.kind) {
    case 'cancel': {
      const wished = { command: wish.command as CommandId, fingerprint: fingerprintOf(wish), ifVersion: null };
      return { type: 'Cancel', reason: 'user_requested', by: 'user', nowMs: 0, at: AT, ...wished };
    }
    case 'confirm':
      // Made out when the request began: for the date that the booking had in the beginning.
      return { type: 'Confirm', voucher: voucherOf(wish.booking, hoursOf('mon')), nowMs: 0, ifVersion: null };
    case 'reject':
      return { type: 'Reject', reason: 'venue_unavailable', code: 'ACTIVITY_UNAVAILABLE', by: 'venue', at: AT };
    case 'erase':
      return { type: 'EraseGuest', by: 'operator', at: AT };
    default:
      return unreachable(wish);
  }
}

/** A claim's id with all its parts in the clear; in production it is a digest of them. */
export function claimId({ booking, command, fingerprint, allotment, size, abandonments }: ClaimParts): ClaimId {
  return `${booking}(${command} ${fingerprint}: ${size}@${allotment})#${abandonments}` as ClaimId;
}

/** In the clear too. Of a booking: the lead guest, how many more, and when. */
export function fingerprintOf(wish: Wish): Fingerprint {
  switch (wish.kind) {
    case 'book':
      return `${wish.guest}+${wish.guests - 1}@${wish.on}` as Fingerprint;
    case 'modify':
      return [wish.guest, wish.guests, wish.on].filter((part) => part !== null).join(' ') as Fingerprint;
    default:
      return wish.kind as Fingerprint;
  }
}

/** The name of a request in the descriptions of its moves. */
export function spelledWish(wish: Wish): string {
  return wish.kind === 'book' ? fingerprintOf(wish) : `${wish.kind} ${fingerprintOf(wish)}`;
}

export function placeOf(on: string): AllotmentId {
  return allotmentId(ACTIVITY, on as LocalDate);
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
