import { type Change, type Changed, changedBooking, sameBooking } from './change.ts';
import type { Answer, BookingData, HoldData, InventoryData, RecommendedData, VisitData, Wish } from './wire.ts';

/** Outcomes without a final answer. */
const LATER = ['SERVICE_UNAVAILABLE', 'IDEMPOTENCY_IN_PROGRESS'];

/** A requested booking. Each is for another guest, so that two bookings of one request are detected. */
export type Ask = {
  readonly number: number;
  readonly idempotencyKey: string | null;
  readonly wish: Wish;
  /** The hold whose slots it takes. */
  readonly hold: string | null;
};

export type KnownBooking = { readonly ask: Ask; readonly data: BookingData };

/** A voucher shown at the gate. */
export type Scan = { readonly booking: BookingData; readonly idempotencyKey: string | null; readonly gate: string };

export type Tally = {
  asked: number;
  confirmed: number;
  soldOut: number;
  unanswered: number;
  /** Answers that ask the client to retry: the deadline passed, or the same request is in progress. */
  postponed: number;
  /** After a request without an answer. */
  sentAgain: number;
  replayed: number;
  scanned: number;
  verified: number;
  scansUnanswered: number;
  recommended: number;
  inventoryRead: number;
  held: number;
  heldBooked: number;
  letGo: number;
  pending: number;
  /** Answers that the outcome is still open. */
  rejected: number;
  modified: number;
  cancelled: number;
  /** The venue's answers. */
  agreed: number;
  declined: number;
  changesUnanswered: number;
};

/**
 * The answers that clients received, and their requests without an answer. It compares each answer with earlier ones;
 * a contradiction is a fault.
 */
export class Ledger {
  readonly faults: string[] = [];
  readonly tally: Tally = {
    asked: 0,
    confirmed: 0,
    soldOut: 0,
    unanswered: 0,
    postponed: 0,
    sentAgain: 0,
    replayed: 0,
    scanned: 0,
    verified: 0,
    scansUnanswered: 0,
    recommended: 0,
    inventoryRead: 0,
    held: 0,
    heldBooked: 0,
    letGo: 0,
    pending: 0,
    rejected: 0,
    modified: 0,
    cancelled: 0,
    agreed: 0,
    declined: 0,
    changesUnanswered: 0,
  };
  /** By booking id. */
  readonly bookings = new Map<string, KnownBooking>();
  /** Holds that the service confirmed, by id, each with the booking that used it. */
  readonly holds = new Map<string, { booking: string | null }>();
  /** Bookings with an unanswered change or scan: their state is unknown. */
  readonly changing = new Set<string>();
  /** Expected number of public events, by event name and booking. */
  readonly owed = new Map<string, number>();
  /** Reported visits by booking id; null if only "already verified" was reported, after a scan without an answer. */
  readonly visits = new Map<string, VisitData | null>();
  /** Recommended activities, best first, by log id. */
  readonly recommendations = new Map<string, readonly string[]>();
  /** Numbers of requests without Idempotency-Key and without an answer: their outcome stays unknown. */
  readonly lost = new Set<number>();
  /** Booking ids by Idempotency-Key. */
  readonly #keys = new Map<string, string>();
  /** Bookings whose creation was answered: every later answer must be marked as a replay. */
  readonly #made = new Set<string>();
  readonly #unsure: Ask[] = [];
  /** Numbers of those without any answer. */
  readonly #silence = new Set<number>();
  readonly #unsureScans: Scan[] = [];
  readonly #unsureChanges: Change[] = [];
  /** Bookings with an unanswered scan, which may have counted. */
  readonly #scannedInVain = new Set<string>();

  /** A request to repeat, if there is one. */
  takeUnsure(): Ask | undefined {
    const ask = this.#unsure.shift();
    if (ask !== undefined && this.#silence.delete(ask.number)) this.tally.sentAgain++;
    return ask;
  }

  /** A scan to repeat, if there is one. */
  takeUnsureScan(): Scan | undefined {
    return this.#unsureScans.shift();
  }

  /** A change to repeat, if there is one. */
  takeUnsureChange(): Change | undefined {
    return this.#unsureChanges.shift();
  }

  /** Number of requests to repeat. */
  get unsure(): number {
    return this.#unsure.length + this.#unsureScans.length + this.#unsureChanges.length;
  }

  /** The expected state of a known booking; null while a scan of it is unanswered. */
  statusOf(bookingId: string): string | null {
    if (this.visits.has(bookingId)) return 'completed';
    return this.#scannedInVain.has(bookingId) ? null : (this.bookings.get(bookingId)?.data.status ?? null);
  }

  /** The expected visit of a known booking; `shown` while a scan of it, or the answer to that scan, is unknown. */
  visitOf(bookingId: string, shown: BookingData['visit']): BookingData['visit'] {
    const known = this.visits.get(bookingId);
    if (known) return { verified_at: known.verified_at, disputed: false };
    return known === null || this.#scannedInVain.has(bookingId) ? shown : null;
  }

  answered(ask: Ask, answer: Answer<BookingData>): void {
    switch (answer.kind) {
      case 'done':
        if (answer.data.status !== 'processing') return this.#confirmed(ask, answer.data, answer.replayed);
        this.tally.postponed++;
        return this.#keep(ask);
      case 'none':
        this.tally.unanswered++;
        this.#silence.add(ask.number);
        return this.#keep(ask);
      default:
        if (answer.code === 'INVENTORY_EXHAUSTED') return this.#soldOut(ask);
        if (answer.code === 'HOLD_EXPIRED' && ask.hold !== null) return this.#soldOut(ask);
        if (answer.code === 'SERVICE_UNAVAILABLE' || answer.code === 'IDEMPOTENCY_IN_PROGRESS') {
          this.tally.postponed++;
          return this.#keep(ask);
        }
        this.faults.push(`${nameOf(ask)} was answered ${answer.code}: ${answer.error}`);
    }
  }

  held(answer: Answer<HoldData>): void {
    if (answer.kind === 'done') {
      if (!this.holds.has(answer.data.hold_id)) this.tally.held++;
      this.holds.set(answer.data.hold_id, this.holds.get(answer.data.hold_id) ?? { booking: null });
    } else if (
      answer.kind === 'refused' &&
      !['INVENTORY_EXHAUSTED', 'SERVICE_UNAVAILABLE', 'IDEMPOTENCY_IN_PROGRESS'].includes(answer.code)
    )
      this.faults.push(`a hold was answered ${answer.code}: ${answer.error}`);
  }

  letGo(id: string, answer: Answer<HoldData>): void {
    if (answer.kind === 'done') this.tally.letGo++;
    else if (answer.kind === 'refused' && !['HOLD_EXPIRED', ...LATER].includes(answer.code))
      this.faults.push(`${id} was let go, and answered ${answer.code}: ${answer.error}`);
  }

  changed(change: Change, answer: Answer<Changed>): void {
    const { booking: id, what } = change;
    const known = this.bookings.get(id);
    if (known === undefined) throw new Error(`${id} is unknown, and is to be changed`);
    const postponed =
      answer.kind === 'refused' && ['SERVICE_UNAVAILABLE', 'IDEMPOTENCY_IN_PROGRESS'].includes(answer.code);
    // The first change may complete between the read and the write of its repetition.
    const overtaken = answer.kind === 'refused' && answer.code === 'REVISION_CONFLICT' && this.changing.has(id);
    if (answer.kind === 'none' || postponed || overtaken) {
      this.tally.changesUnanswered++;
      this.changing.add(id);
      this.#unsureChanges.push(change);
      return;
    }
    this.changing.delete(id);
    if (answer.kind === 'refused') {
      if (what !== 'modify' || answer.code !== 'INVENTORY_EXHAUSTED')
        this.faults.push(`the change ${change.number} of ${id} (${what}) was answered ${answer.code}: ${answer.error}`);
      return;
    }
    const { data, fault } = changedBooking(change, known.data, answer.data);
    if (fault !== null) this.faults.push(fault);
    this.#countChange(change, known.data, data);
    this.bookings.set(id, { ...known, data });
  }

  scanned(scan: Scan, answer: Answer<VisitData>): void {
    const { booking_id: id, user_name: name } = scan.booking;
    this.changing.delete(id);
    // While an engine was unavailable, the first request may still be in progress: ask again later.
    if (answer.kind === 'none' || (answer.kind === 'refused' && LATER.includes(answer.code))) {
      this.tally.scansUnanswered++;
      this.changing.add(id);
      this.#scannedInVain.add(id);
      this.#unsureScans.push(scan);
    } else if (answer.kind === 'refused') {
      const counted = answer.code === 'VOUCHER_ALREADY_VERIFIED' && this.#scannedInVain.has(id);
      if (counted && scan.idempotencyKey === null) {
        this.owed.set(`qr_verified ${id}`, 1);
        this.visits.set(id, null);
      } else this.faults.push(`the scan of ${id} was answered ${answer.code}: ${answer.error}`);
    } else {
      const firstAnswer = this.visits.get(id) ?? answer.data;
      if (answer.data.booking_id !== id || answer.data.user_name !== name || !Bun.deepEquals(firstAnswer, answer.data))
        this.faults.push(`the scan of ${id} was answered ${JSON.stringify(answer.data)}`);
      if (this.visits.has(id) && !answer.replayed) this.faults.push(`${id} was visited twice`);
      if (!this.visits.has(id)) this.tally.verified++;
      this.owed.set(`qr_verified ${id}`, 1);
      this.visits.set(id, answer.data);
    }
  }

  recommended(answer: Answer<RecommendedData>): void {
    if (answer.kind === 'done') {
      const { recommendations, context } = answer.data;
      if (this.recommendations.has(context.log_id)) this.faults.push(`${context.log_id} was answered twice`);
      this.recommendations.set(
        context.log_id,
        recommendations.map(({ id }) => id),
      );
      this.tally.recommended++;
    } else if (answer.kind === 'refused' && answer.code !== 'SERVICE_UNAVAILABLE') {
      this.faults.push(`a request for recommendations was answered ${answer.code}: ${answer.error}`);
    }
  }

  inventoryRead(answer: Answer<InventoryData>): void {
    if (answer.kind === 'done') this.tally.inventoryRead++;
    else if (answer.kind === 'refused' && answer.code !== 'NO_INVENTORY' && answer.code !== 'SERVICE_UNAVAILABLE')
      this.faults.push(`the inventory was answered ${answer.code}: ${answer.error}`);
  }

  #confirmed(ask: Ask, data: BookingData, replayed: boolean): void {
    const id = data.booking_id;
    const earlier = ask.idempotencyKey === null ? id : (this.#keys.get(ask.idempotencyKey) ?? id);
    if (earlier !== id) this.faults.push(`${nameOf(ask)} was answered ${earlier}, then ${id}`);
    if (!replayed && this.#made.has(id)) this.faults.push(`${id} was made twice: its second answer is no replay`);
    if (replayed) this.tally.replayed++;
    else this.#made.add(id);
    if (!this.bookings.has(id) && !answersTo(ask.wish, data))
      this.faults.push(`${nameOf(ask)} was answered ${JSON.stringify(data)}`);
    const known = this.bookings.get(id);
    if (known === undefined) {
      this.bookings.set(id, { ask, data });
      if (data.status === 'rejected') {
        this.tally.rejected++;
        this.#owe('booking_cancelled', id);
      } else if (data.status === 'pending') this.tally.pending++;
      else {
        this.tally.confirmed++;
        this.#owe('booking_confirmed', id);
      }
      this.#taken(ask, id);
    } else if (!sameBooking(known.data, data)) {
      this.faults.push(`${id} was ${JSON.stringify(known.data)}, then ${JSON.stringify(data)}`);
    }
    if (ask.idempotencyKey !== null) this.#keys.set(ask.idempotencyKey, id);
  }

  #taken({ hold: name }: Ask, id: string): void {
    const hold = name === null ? undefined : this.holds.get(name);
    if (hold === undefined) return;
    if (hold.booking !== null) this.faults.push(`${name} was used for ${hold.booking} and ${id}`);
    hold.booking = id;
    this.tally.heldBooked++;
  }

  #countChange({ what, booking: id }: Change, before: BookingData, after: BookingData): void {
    const ended = after.status === 'cancelled' || after.status === 'rejected';
    if (what === 'modify') this.#owe('booking_modified', id);
    if (before.status === 'pending' && after.status === 'confirmed') this.#owe('booking_confirmed', id);
    if (ended) this.owed.set(`booking_cancelled ${id}`, 1);
    this.tally[({ modify: 'modified', cancel: 'cancelled', confirm: 'agreed', reject: 'declined' } as const)[what]]++;
  }

  #owe(event: string, id: string): void {
    this.owed.set(`${event} ${id}`, (this.owed.get(`${event} ${id}`) ?? 0) + 1);
  }

  #soldOut(ask: Ask): void {
    this.tally.soldOut++;
    if (ask.idempotencyKey !== null && this.#keys.has(ask.idempotencyKey))
      this.faults.push(`${nameOf(ask)} was confirmed, then refused for lack of slots`);
  }

  /** It may have been booked. With a key it can be repeated; without one the outcome stays unknown. */
  #keep(ask: Ask): void {
    if (ask.idempotencyKey === null) this.lost.add(ask.number);
    else if (!this.#keys.has(ask.idempotencyKey)) this.#unsure.push(ask);
  }
}

function answersTo(wish: Wish, data: BookingData): boolean {
  const { booking_date, num_adults, num_children, user_name, user_email, special_requests, context_log_id } = data;
  const answered: Wish = {
    activity_id: data.activity.id,
    booking_date,
    num_adults,
    num_children,
    user_name,
    user_email,
    special_requests,
    context_log_id,
  };
  return Bun.deepEquals(wish, answered);
}

function nameOf({ number, idempotencyKey }: Ask): string {
  return idempotencyKey === null ? `ask ${number}` : `ask ${number} under ${idempotencyKey}`;
}
