import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { decodeEvent } from '../../../src/domain/codecs.ts';
import type { DeliveryEvent, DeliveryFacts, WebhookEvent } from '../../../src/domain/delivery/delivery.ts';
import type { BookingId } from '../../../src/domain/ids.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { type Position, type PositionForm, type Recorded, storedPosition } from '../../../src/eventsourcing/message.ts';
import { categoryOf, type StoredEvent } from '../../../src/ports/event-store.ts';
import { checkpointCodec } from '../../../src/runtime/low-water-checkpoint.ts';
import { type NoticeInLog, NoticeReader } from './notices-in-log.ts';

type DataOf<E extends { type: string; data: object }, T extends E['type']> = Extract<E, { type: T }>['data'];
type At<Data> = Data & { readonly position: Position };

/** The mail of one voucher. A modified booking has several; only the last one must be sent. */
export type MailInLog = {
  readonly booking: BookingId;
  /** The number of its voucher in the booking, from 1. */
  readonly issue: number;
  readonly issuedAt: Position;
  /** Where it is no longer due: a newer voucher, a cancellation, an erasure, or too many mails of the booking. */
  pointlessSince: Position | null;
  readonly sent: At<DataOf<BookingEvent, 'VoucherMailed'>>[];
  readonly failed: At<DataOf<BookingEvent, 'VoucherMailFailed'>>[];
};

/** A public event that receivers must get. */
export type PublicInLog = {
  readonly event: WebhookEvent;
  readonly booking: BookingId;
  readonly revision: number;
  readonly position: Position;
};

export type DeliveryInLog = {
  readonly facts: DeliveryFacts;
  readonly scheduledAt: Position;
  /** The status of each recorded attempt; null without an answer. */
  readonly answers: (number | null)[];
  ended: { readonly as: 'succeeded' | 'exhausted'; readonly position: Position } | null;
};

export type CheckpointInLog = { readonly manager: string; readonly storedAt: Position; readonly upTo: Position };

/** The log's record of mails and deliveries, folded without the deciders and process managers. */
export type Outbound = {
  /** By booking and issue, as in the Message-ID. */
  readonly mails: ReadonlyMap<string, MailInLog>;
  /** By booking, kind and version, as in the Message-ID. */
  readonly notices: ReadonlyMap<string, NoticeInLog>;
  /** By booking and revision. */
  readonly events: ReadonlyMap<string, PublicInLog>;
  readonly deliveries: ReadonlyMap<string, DeliveryInLog>;
  readonly checkpoints: readonly CheckpointInLog[];
  /** Faults found while folding. */
  readonly faults: readonly string[];
};

export function readOutbound(log: readonly StoredEvent[], positions: PositionForm): Outbound {
  const reader = new Reader(positions);
  for (const event of log) reader.read(event);
  const { mails, events, deliveries, checkpoints, faults } = reader;
  return { mails, notices: reader.noticeReader.notices, events, deliveries, checkpoints, faults };
}

export function eventKey(booking: string, revision: number): string {
  return `${booking}@${revision}`;
}

/** The beginning of a voucher mail's Message-ID. */
export function mailKey(booking: string, issue: number): string {
  return `${booking}.${issue}`;
}

class Reader {
  readonly mails = new Map<string, MailInLog>();
  readonly noticeReader = new NoticeReader();
  /** Each booking's accepted mails, of all its vouchers. */
  readonly #accepted = new Map<BookingId, { readonly recipient: string | null; readonly at: string }[]>();
  /** The newest mail of each booking. */
  readonly #present = new Map<BookingId, MailInLog>();
  readonly events = new Map<string, PublicInLog>();
  readonly deliveries = new Map<string, DeliveryInLog>();
  readonly checkpoints: CheckpointInLog[] = [];
  readonly faults: string[] = [];
  readonly #positions: PositionForm;

  constructor(positions: PositionForm) {
    this.#positions = positions;
  }

  read(stored: StoredEvent): void {
    const { stream, position } = stored;
    const category = categoryOf(stream);
    const id = stream.slice(stream.indexOf('-') + 1);
    // A codec decodes the events of its category.
    if (category === 'booking') this.#booking(id as BookingId, decodeEvent(stored) as Recorded<BookingEvent>);
    if (category === 'delivery') this.#delivery(id, decodeEvent(stored) as Recorded<DeliveryEvent>);
    if (category === checkpointCodec.category) {
      const { data } = checkpointCodec.decode(stored);
      this.checkpoints.push({ manager: id, storedAt: position, upTo: storedPosition(data.position, this.#positions) });
    }
  }

  #booking(booking: BookingId, event: Recorded<BookingEvent>): void {
    const { revision, position } = event;
    const addEvent = (name: PublicInLog['event']): void => {
      this.events.set(eventKey(booking, revision), { event: name, booking, revision, position });
    };
    this.faults.push(...this.noticeReader.read(booking, event));
    if (event.type === 'BookingConfirmed') addEvent('booking_confirmed');
    if (event.type === 'VisitVerified') addEvent('qr_verified');
    if (event.type === 'VoucherMailed') addEvent('voucher_delivered');
    if (event.type === 'BookingModified') addEvent('booking_modified');
    if (event.type === 'BookingCancelled' || event.type === 'BookingRejected') addEvent('booking_cancelled');
    const mail = this.#present.get(booking);
    this.#attempt(booking, mail, event);
    const pointless = ['VoucherIssued', 'BookingCancelled', 'GuestErased'].includes(event.type);
    if (mail !== undefined && pointless) mail.pointlessSince ??= position;
    if (event.type === 'VoucherIssued') {
      const issue = (mail?.issue ?? 0) + 1;
      const issued = { booking, issue, issuedAt: position, pointlessSince: null, sent: [], failed: [] };
      this.#present.set(booking, issued);
      this.mails.set(mailKey(booking, issue), issued);
    }
  }

  #attempt(booking: BookingId, mail: MailInLog | undefined, event: Recorded<BookingEvent>): void {
    const { position } = event;
    if (event.type === 'VoucherMailed') mail?.sent.push({ ...event.data, position });
    const ofNotice = event.type === 'NoticeMailed' && event.data.kind !== 'venue_request';
    if (event.type === 'VoucherMailed' || event.type === 'ReplacedVoucherMailed' || ofNotice)
      this.#accepted.set(booking, [...(this.#accepted.get(booking) ?? []), event.data]);
    if (event.type !== 'VoucherMailFailed') return;
    mail?.failed.push({ ...event.data, position });
    const { reason, retryAtMs, at } = event.data;
    if (reason === 'mail limit' && retryAtMs === null) this.#beyondBounds(booking, mail, at, position);
  }

  /** A mail may be left out after five mails in an hour, or to another address after six. */
  #beyondBounds(booking: BookingId, mail: MailInLog | undefined, at: string, position: Position): void {
    const accepted = this.#accepted.get(booking) ?? [];
    const recent = accepted.filter((earlier) => Date.parse(at) - Date.parse(earlier.at) < HOUR_MS);
    const recipients = new Set(accepted.map(({ recipient }) => recipient));
    if (recent.length < 5 && recipients.size < 6)
      this.faults.push(`${booking} was not mailed after ${recent.length} mails to ${recipients.size} addresses`);
    if (mail !== undefined) mail.pointlessSince ??= position;
  }

  #delivery(id: string, event: Recorded<DeliveryEvent>): void {
    const { position } = event;
    const delivery = this.deliveries.get(id);
    if (event.type === 'DeliveryScheduled') {
      if (delivery !== undefined) this.faults.push(`${id} was scheduled twice`);
      this.deliveries.set(id, { facts: event.data, scheduledAt: position, answers: [], ended: null });
      return;
    }
    if (event.type === 'DeliveryOmitted' || event.type === 'TestAttempted') return;
    if (event.type === 'ResendRequested' || event.type === 'ReplayScheduled') {
      this.faults.push(`${id} was sent again, and nobody asked for it`);
      return;
    }
    if (delivery === undefined || (delivery.ended !== null && event.type !== 'DeliveryExhausted')) {
      this.faults.push(`${event.type} of ${id} stands where it is not open`);
      return;
    }
    if (event.type !== 'DeliveryExhausted') {
      if (event.data.attempt !== delivery.answers.length + 1)
        this.faults.push(`${id} has an attempt ${event.data.attempt} behind ${delivery.answers.length}`);
      delivery.answers.push(event.data.responseCode);
    }
    if (event.type === 'DeliverySucceeded') delivery.ended = { as: 'succeeded', position };
    if (event.type === 'DeliveryExhausted') delivery.ended = { as: 'exhausted', position };
  }
}
