import { Type } from 'typebox';
import { type Currency, toDecimal } from '../../domain/activity/money.ts';
import { BY_VENUE } from '../../domain/booking/changed-by.ts';
import type { BookingEvent, Changer, Changes, EventData, NoticeKind } from '../../domain/booking/events.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { MAIL_LIMIT } from '../../domain/booking/mail-bounds.ts';
import type { NoticeEvent } from '../../domain/booking/notice-events.ts';
import { isOperatorId, type KeyId, type OperatorId } from '../../domain/ids.ts';
import { type Recorded, unreachable } from '../../eventsourcing/message.ts';
import { oneOf, TIMESTAMP } from '../answer-fields.ts';

/** The events of a booking's history, by their public names. */
export const HISTORY_EVENTS = [
  'started',
  'placed_on_request',
  'confirmed',
  'rejected',
  'modified',
  'cancelled',
  'charged',
  'refunded',
  'voucher_issued',
  'voucher_mail_requested',
  'voucher_mailed',
  'voucher_mail_failed',
  'notice_mailed',
  'notice_mail_failed',
  'visited',
  'guests_arrived',
  'visit_voided',
  'guest_erased',
] as const;

export const HISTORY = Type.Array(
  Type.Object(
    {
      at: TIMESTAMP,
      event: oneOf(HISTORY_EVENTS),
      text: Type.String({ description: 'One sentence, in English.' }),
      by: oneOf(['user', 'operator', 'venue', 'system']),
      operator: Type.Optional(Type.String({ description: 'The id of the operator. Only operators see it.' })),
    },
    { $id: 'HistoryEntry' },
  ),
  { description: 'The history of the booking, oldest first. Only with `include=history`.' },
);

type Entry = {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly event: (typeof HISTORY_EVENTS)[number];
  /** One sentence, in English, without personal data. */
  readonly text: string;
  readonly by: Changer;
  readonly operator?: OperatorId;
};

/** The history of the public contract, oldest first, without internal events. */
export function presentHistory(events: readonly Recorded<BookingEvent>[], keyId: KeyId): readonly Entry[] {
  return events.flatMap((event) => {
    const { at, by } = event.cause;
    if (isInternal(event)) return [];
    return [{ at: atOf(event) ?? at, ...describe(event), by: byOf(event) ?? changerOf(by, keyId) }];
  });
}

/** The same for operators, with the id of the operator who caused an entry. */
export function presentHistoryForOperator(events: readonly Recorded<BookingEvent>[], keyId: KeyId): readonly Entry[] {
  return events.flatMap((event) => {
    const { by } = event.cause;
    const [entry] = presentHistory([event], keyId);
    if (entry === undefined) return [];
    return [entry.by === 'operator' && isOperatorId(by) ? { ...entry, operator: by } : entry];
  });
}

type Internal = Extract<BookingEvent, { type: 'ClaimAbandoned' | 'ReferenceRecorded' | 'ReplacedVoucherMailed' }>;

function isInternal(event: BookingEvent): event is Internal {
  const { type } = event;
  return type === 'ClaimAbandoned' || type === 'ReferenceRecorded' || type === 'ReplacedVoucherMailed';
}

function describe(event: Exclude<BookingEvent, Internal>): Pick<Entry, 'event' | 'text'> {
  if (event.type === 'NoticeMailed' || event.type === 'NoticeMailFailed') return describeNotice(event);
  return describeOther(event);
}

function describeNotice({ type, data }: NoticeEvent): Pick<Entry, 'event' | 'text'> {
  if (type === 'NoticeMailFailed') return { event: 'notice_mail_failed', text: noticeFailed(data) };
  return { event: 'notice_mailed', text: `${NOTICES[data.kind]} was mailed${to(data.kind)}.` };
}

function describeOther({ type, data }: Exclude<BookingEvent, Internal | NoticeEvent>): Pick<Entry, 'event' | 'text'> {
  switch (type) {
    case 'BookingStarted':
      return { event: 'started', text: 'The slots are taken; the booking is still being worked on.' };
    case 'BookingPlacedOnRequest':
      return {
        event: 'placed_on_request',
        text: `The venue was asked; it may answer until ${moment(data.answerByMs)}.`,
      };
    case 'BookingConfirmed':
      return { event: 'confirmed', text: confirmed(data) };
    case 'BookingRejected':
      return { event: 'rejected', text: `${rejected(data)}; nothing is charged.` };
    case 'BookingModified': {
      const { changes, answerByMs } = data;
      const answer =
        changes.date === undefined || answerByMs === null ? '' : ` The venue may answer until ${moment(answerByMs)}.`;
      return { event: 'modified', text: `The booking was changed: ${changed(changes)}.${answer}` };
    }
    case 'BookingCancelled':
      return { event: 'cancelled', text: `The booking was cancelled: ${CANCELLED_FOR[data.reason]}.` };
    case 'ChargeRecorded':
      return { event: 'charged', text: `${money(data)} were charged.` };
    case 'RefundRecorded':
      return { event: 'refunded', text: `${money(data)} were refunded.` };
    case 'VoucherIssued':
      return { event: 'voucher_issued', text: `The voucher was issued, valid until ${moment(data.validUntilMs)}.` };
    case 'VoucherMailRequested':
      return { event: 'voucher_mail_requested', text: 'The voucher is to be mailed again.' };
    case 'VoucherMailed':
      return { event: 'voucher_mailed', text: 'The voucher was mailed to the guest.' };
    case 'VoucherMailFailed':
      return { event: 'voucher_mail_failed', text: mailFailed(data) };
    case 'VisitVerified':
      return { event: 'visited', text: `The voucher was verified at ${data.gate ?? 'the venue'}${present(data)}.` };
    case 'GuestsArrived':
      return { event: 'guests_arrived', text: `More guests arrived; ${data.guestsPresent} are present.` };
    case 'VisitVoided':
      return { event: 'visit_voided', text: `The visit of ${moment(data.visit.verifiedAtMs)} was voided.` };
    case 'GuestErased':
      return { event: 'guest_erased', text: "The guest's personal data was erased." };
    default:
      return unreachable(type);
  }
}

function present({ numGuests, guestsPresent }: EventData<'VisitVerified'>): string {
  return guestsPresent === undefined ? '' : `; ${guestsPresent} of ${numGuests} guests came`;
}

function confirmed(data: EventData<'BookingConfirmed'>): string {
  const subject = data.follows === 'BookingPlacedOnRequest' ? 'The venue agreed: the booking' : 'The booking';
  const guests = guestsOf(data);
  return `${subject} is confirmed for ${data.date}, ${guests} ${guests === 1 ? 'guest' : 'guests'}.`;
}

const CANCELLED_FOR = {
  user_requested: 'the guests do not come',
  venue_unavailable: 'the venue is not available',
  weather: 'the weather does not allow it',
  system: 'the service could not keep it',
} as const satisfies Record<EventData<'BookingCancelled'>['reason'], string>;

function rejected({ reason, code, by }: EventData<'BookingRejected'>): string {
  if (reason === 'venue_unavailable') return 'The venue declined';
  if (by !== 'system') return 'The booking was rejected';
  return code === 'ACTIVITY_UNAVAILABLE'
    ? 'The venue did not answer in time'
    : 'The service could not finish its work on the booking';
}

/** Names the fields with personal data without their values. */
function changed({ date, numAdults, numChildren, guest = [] }: Changes): string {
  const fromTo = (name: string, change: { from: string | number; to: string | number } | undefined): string[] =>
    change === undefined ? [] : [`${name} from ${change.from} to ${change.to}`];
  const named = { name: 'name', email: 'mail address', specialRequests: 'special requests' } as const;
  return [
    ...fromTo('date', date),
    ...fromTo('adults', numAdults),
    ...fromTo('children', numChildren),
    ...guest.map((field) => named[field]),
  ].join(', ');
}

function mailFailed({ attempt, reason, retryAtMs }: EventData<'VoucherMailFailed'>): string {
  if (reason === MAIL_LIMIT)
    return retryAtMs === null
      ? 'The changed voucher was not mailed: the limit of mails was reached.'
      : `The voucher is mailed at ${moment(retryAtMs)}: the limit of mails to its address was reached.`;
  const next = retryAtMs === null ? 'it is not tried again' : `it is tried again at ${moment(retryAtMs)}`;
  return `Attempt ${attempt} to mail the voucher failed; ${next}.`;
}

const NOTICES = {
  pending: 'The notice that the venue was asked',
  rejected: 'The notice of the rejection',
  cancelled: 'The notice of the cancellation',
  venue_request: 'The request',
} as const satisfies Record<NoticeKind, string>;

function to(kind: NoticeKind): string {
  return kind === 'venue_request' ? ' to the venue' : ' to the guest';
}

function noticeFailed({ kind, attempt, reason, retryAtMs }: EventData<'NoticeMailFailed'>): string {
  const failed = `${NOTICES[kind]} was not mailed${to(kind)}`;
  if (reason === MAIL_LIMIT) return `${failed}: the limit of mails was reached.`;
  const next = retryAtMs === null ? 'it is not tried again' : `it is tried again at ${moment(retryAtMs)}`;
  return `${failed} at attempt ${attempt}; ${next}.`;
}

function money({ amountMinor, currency }: { readonly amountMinor: number; readonly currency: Currency }): string {
  return `${toDecimal(amountMinor, currency)} ${currency}`;
}

function moment(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** The event's own time, if it has one; `at` in the facts of a booking is the time of the request. */
function atOf({ type, data }: BookingEvent): string | null {
  if (type === 'VisitVerified') return moment(data.verifiedAtMs);
  return 'at' in data && !('claims' in data && 'language' in data) ? data.at : null;
}

/** Who caused the event: as the event states it, or as its type implies; else null. */
function byOf({ type, data }: BookingEvent): Changer | null {
  if (type === 'VisitVerified' || type === 'GuestsArrived') return 'venue';
  return 'by' in data ? data.by : null;
}

/** `by` of a cause is a key, an operator, or a part of the service. */
function changerOf(by: string, keyId: KeyId): Changer {
  if (by === keyId) return 'user';
  if (by === BY_VENUE) return 'venue';
  return isOperatorId(by) ? 'operator' : 'system';
}
