import type { Pricing } from '../../src/domain/activity/pricing.ts';
import type { BookingCommand, BookingCommandOf, Modification, TakenSlots } from '../../src/domain/booking/commands.ts';
import type { BookingEvent, EventData, ReportedVisit, VisitFacts } from '../../src/domain/booking/events.ts';
import {
  type BookingFacts,
  type BookingSubject,
  type ClaimRef,
  type PublicFacts,
  publicFactsOf,
} from '../../src/domain/booking/facts.ts';
import type { BookingStatus } from '../../src/domain/booking/state.ts';
import { A_VOUCHER, aVisit, bookingFacts, claimId, commandId, confirmation, fingerprint, ISSUED } from './examples.ts';

const facts = bookingFacts();
const { keyId, activityId, venueId, city, category, date, attribution, claims } = facts;

/** Two days before the booked date, when cancellation is free. */
export const EARLY_MS = Date.parse('2026-12-22T00:00:00Z');
export const LATER = '2026-11-22T09:00:00.000Z';

/** Three guests, without personal data. */
export const SUBJECT: BookingSubject = { keyId, activityId, venueId, city, category, date, attribution, numGuests: 3 };

export const STARTED: BookingEvent = {
  type: 'BookingStarted',
  data: { ...facts, finishByMs: 60_000, answerByMs: null },
};
export const PLACED: BookingEvent = {
  type: 'BookingPlacedOnRequest',
  data: { ...facts, answerByMs: 86_400_000, follows: null },
};
export const CHARGED: BookingEvent = { type: 'ChargeRecorded', data: { keyId, amountMinor: 207_000, currency: 'THB' } };
export const VOUCHER: BookingEvent = { type: 'VoucherIssued', data: A_VOUCHER };
export const CONFIRMED: readonly BookingEvent[] = [confirmation(), CHARGED, VOUCHER];

/** The append that confirms the booking after another event of it. */
export function confirmedAfter(
  follows: EventData<'BookingConfirmed'>['follows'],
  change: Partial<BookingFacts> = {},
  confirmedAtMs?: number,
): readonly BookingEvent[] {
  return [confirmation(change, follows, confirmedAtMs), CHARGED, VOUCHER];
}

export const REJECTED: BookingEvent = {
  type: 'BookingRejected',
  data: {
    ...SUBJECT,
    reason: 'venue_unavailable',
    code: 'ACTIVITY_UNAVAILABLE',
    by: 'venue',
    currency: 'THB',
    dropped: claims,
    at: LATER,
    publicFacts: publicFactsOf(facts),
  },
};
export const VISITED: BookingEvent = visited();
/** What VISITED records, without the facts of its public event. */
export const VISIT = visitIn(visited());
/** What another scan of that voucher gets. */
export const ALREADY_VERIFIED = {
  code: 'VOUCHER_ALREADY_VERIFIED',
  verifiedAtMs: VISIT.verifiedAtMs,
  gate: VISIT.gate,
  voidedAt: null,
} as const;
/** A day after the visit. */
export const VOIDED_AT = '2026-12-25T03:00:00.000Z';

export function visited(
  scan: Partial<ReportedVisit> = {},
  change: Partial<EventData<'VisitVerified'>> = {},
): Extract<BookingEvent, { type: 'VisitVerified' }> {
  return {
    type: 'VisitVerified',
    data: {
      ...aVisit(scan),
      keyId,
      activityId,
      venueId,
      city,
      category,
      numGuests: 3,
      attribution,
      disputed: false,
      opensAtMs: facts.hours?.opensAtMs ?? null,
      publicFacts: publicFactsOf(facts, 5),
      ...change,
    },
  };
}

export function visitIn({ data }: Extract<BookingEvent, { type: 'VisitVerified' }>): VisitFacts {
  const { publicFacts: _, ...visit } = data;
  return visit;
}

export function voided(visit: VisitFacts = VISIT, at = VOIDED_AT): BookingEvent {
  return { type: 'VisitVoided', data: { visit, reason: 'a stolen device', by: 'operator', at } };
}

export function voidVisit(visit = VISIT.command, at = VOIDED_AT): BookingCommand {
  return { type: 'VoidVisit', visit, reason: 'a stolen device', at };
}

export function cancelled(change: Partial<EventData<'BookingCancelled'>> = {}): BookingEvent {
  return {
    type: 'BookingCancelled',
    data: {
      ...SUBJECT,
      command: commandId('CANCEL1'),
      fingerprint: fingerprint('CANCELFP1'),
      reason: 'user_requested',
      by: 'user',
      refundMinor: 207_000,
      currency: 'THB',
      dropped: claims,
      at: LATER,
      publicFacts: publicFactsOf(facts),
      ...change,
    },
  };
}

export function refunded(amountMinor: number): BookingEvent {
  return { type: 'RefundRecorded', data: { keyId, amountMinor, currency: 'THB' } };
}

export function charged(amountMinor: number): BookingEvent {
  return { type: 'ChargeRecorded', data: { keyId, amountMinor, currency: 'THB' } };
}

/** The event as a version stores it that does not say what the public event refers to. */
export function withoutFacts<E extends BookingEvent>(event: E): E {
  const { publicFacts: _, ...data } = event.data as { readonly publicFacts?: PublicFacts };
  return { ...event, data };
}

/** The shortest way to each status. */
export const IN_STATUS: Readonly<Record<BookingStatus | 'none', readonly BookingEvent[]>> = {
  none: [],
  processing: [STARTED],
  pending: [PLACED],
  confirmed: CONFIRMED,
  rejected: [PLACED, REJECTED],
  cancelled: [...CONFIRMED, cancelled(), refunded(207_000)],
  completed: [...CONFIRMED, VISITED],
};

export function start(): BookingCommandOf<'Start'> {
  return { type: 'Start', facts, finishByMs: 60_000, answerByMs: null };
}

export function placeOnRequest(): BookingCommandOf<'PlaceOnRequest'> {
  return { type: 'PlaceOnRequest', facts, answerByMs: 86_400_000 };
}

export function book(): BookingCommandOf<'ConfirmWithoutVenue'> {
  return { type: 'ConfirmWithoutVenue', facts, ...ISSUED };
}

export function confirm(change: Partial<BookingCommandOf<'ConfirmByVenue'>> = {}): BookingCommand {
  return {
    type: 'ConfirmByVenue',
    ...ISSUED,
    ifVersions: null,
    nowMs: EARLY_MS,
    ...change,
  };
}

export function rejecting(): BookingCommandOf<'Reject'> {
  return { type: 'Reject', reason: 'venue_unavailable', code: 'ACTIVITY_UNAVAILABLE', by: 'venue', at: LATER };
}

export function cancel(change: Partial<BookingCommandOf<'Cancel'>> = {}): BookingCommandOf<'Cancel'> {
  return {
    type: 'Cancel',
    reason: 'user_requested',
    commandId: commandId('CANCEL1'),
    fingerprint: fingerprint('CANCELFP1'),
    by: 'user',
    ifVersions: null,
    nowMs: EARLY_MS,
    at: LATER,
    ...change,
  };
}

export function eraseGuest(): BookingCommand {
  return { type: 'EraseGuest', by: 'operator', at: LATER };
}

export function verify(change: Partial<ReportedVisit> = {}, at = venueId): BookingCommand {
  return { type: 'VerifyVisit', venueId: at, visit: aVisit(change), activityRevision: 5 };
}

/** Modifies the first version of the booking of two adults and a child; changes nothing by default. */
export function modify(
  modification: Partial<Modification>,
  change: Partial<Omit<BookingCommandOf<'Modify'>, 'modification'>> = {},
): BookingCommandOf<'Modify'> {
  return {
    type: 'Modify',
    plannedOn: 1,
    modification: { move: null, numAdults: 2, numChildren: 1, guest: null, ...modification },
    taken: null,
    commandId: commandId('MODIFY1'),
    fingerprint: fingerprint('MODIFYFP1'),
    by: 'user',
    ifVersions: null,
    nowMs: EARLY_MS,
    at: LATER,
    ...change,
  };
}

/** Slots claimed for a modification; by default at the price of the booking. */
export function slots(claim: ClaimRef, pricing: Pricing = facts.pricing): TakenSlots {
  return { claim, pricing };
}

/** The event of such a command. */
export function modified(
  change: Partial<EventData<'BookingModified'>> & Pick<EventData<'BookingModified'>, 'changes'>,
): BookingEvent {
  const { numAdults, numChildren, hours, pricing, cancellation } = facts;
  return {
    type: 'BookingModified',
    data: {
      ...SUBJECT,
      command: commandId('MODIFY1'),
      fingerprint: fingerprint('MODIFYFP1'),
      by: 'user',
      numAdults,
      numChildren,
      hours,
      pricing,
      cancellation,
      claims,
      dropped: [],
      shrunk: [],
      guest: null,
      version: 2,
      answerByMs: null,
      at: LATER,
      publicFacts: publicFactsOf(facts),
      ...change,
    },
  };
}

export const ANOTHER_RECORD = { record: claimId('claim_2'), fingerprint: fingerprint('GUEST2') };
