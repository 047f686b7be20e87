import type { Answer, BookingData, InventoryData, RecommendedData, VisitData, Wish } from './wire.ts';

/** A booking that a client wants. Every one is for another guest, so that two bookings for one wish can be told. */
export type Ask = { readonly number: number; readonly idempotencyKey: string | null; readonly wish: Wish };

export type KnownBooking = { readonly ask: Ask; readonly data: BookingData };

/** A voucher shown at the gate. */
export type Scan = { readonly booking: BookingData; readonly idempotencyKey: string | null; readonly gate: string };

export type Tally = {
  asked: number;
  confirmed: number;
  soldOut: number;
  unanswered: number;
  /** Told to come back: the service was out of time, or busy with the same request. */
  postponed: number;
  /** After they had gone unanswered. */
  sentAgain: number;
  replayed: number;
  scanned: number;
  verified: number;
  scansUnanswered: number;
  recommended: number;
  inventoryRead: number;
};

/**
 * What clients were told, and what they are still unsure of. Each answer is judged as it comes, by what was told before;
 * what does not agree is a fault.
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
  };
  /** By booking id. */
  readonly bookings = new Map<string, KnownBooking>();
  /** Visits that were told, by booking id; null where only "already verified" was, after a scan without an answer. */
  readonly visits = new Map<string, VisitData | null>();
  /** What was recommended, best first, by log id. */
  readonly recommendations = new Map<string, readonly string[]>();
  /** Numbers of the asks without an Idempotency-Key that got no answer: nobody will ever know. */
  readonly lost = new Set<number>();
  /** Booking ids by Idempotency-Key. */
  readonly #keys = new Map<string, string>();
  /** Bookings whose making was answered: every other answer for them must call itself a replay. */
  readonly #made = new Set<string>();
  readonly #unsure: Ask[] = [];
  /** Numbers of those of them that got no answer at all. */
  readonly #silence = new Set<number>();
  readonly #unsureScans: Scan[] = [];
  /** Bookings whose scan went unanswered once: it may have counted. */
  readonly #scannedInVain = new Set<string>();

  /** An ask that must be sent again, if there is one. */
  takeUnsure(): Ask | undefined {
    const ask = this.#unsure.shift();
    if (ask !== undefined && this.#silence.delete(ask.number)) this.tally.sentAgain++;
    return ask;
  }

  /** A scan that must be made again, if there is one. */
  takeUnsureScan(): Scan | undefined {
    return this.#unsureScans.shift();
  }

  /** How many requests still have to be sent again. */
  get unsure(): number {
    return this.#unsure.length + this.#unsureScans.length;
  }

  /** What a known booking must be by now; null while a scan of it is unanswered. */
  statusOf(bookingId: string): 'confirmed' | 'completed' | null {
    if (this.visits.has(bookingId)) return 'completed';
    return this.#scannedInVain.has(bookingId) ? null : 'confirmed';
  }

  answered(ask: Ask, answer: Answer<BookingData>): void {
    switch (answer.kind) {
      case 'done':
        return this.#confirmed(ask, answer.data, answer.replayed);
      case 'none':
        this.tally.unanswered++;
        this.#silence.add(ask.number);
        return this.#keep(ask);
      default:
        if (answer.code === 'INVENTORY_EXHAUSTED') return this.#soldOut(ask);
        if (answer.code === 'SERVICE_UNAVAILABLE' || answer.code === 'IDEMPOTENCY_IN_PROGRESS') {
          this.tally.postponed++;
          return this.#keep(ask);
        }
        this.faults.push(`${nameOf(ask)} was answered ${answer.code}: ${answer.error}`);
    }
  }

  scanned(scan: Scan, answer: Answer<VisitData>): void {
    const { booking_id: id, user_name: name } = scan.booking;
    if (answer.kind === 'none' || (answer.kind === 'refused' && answer.code === 'SERVICE_UNAVAILABLE')) {
      this.tally.scansUnanswered++;
      this.#scannedInVain.add(id);
      this.#unsureScans.push(scan);
    } else if (answer.kind === 'refused') {
      const counted = answer.code === 'VOUCHER_ALREADY_VERIFIED' && this.#scannedInVain.has(id);
      if (counted && scan.idempotencyKey === null) this.visits.set(id, null);
      else this.faults.push(`the scan of ${id} was answered ${answer.code}: ${answer.error}`);
    } else {
      const told = this.visits.get(id) ?? answer.data;
      if (answer.data.booking_id !== id || answer.data.user_name !== name || !Bun.deepEquals(told, answer.data))
        this.faults.push(`the scan of ${id} was answered ${JSON.stringify(answer.data)}`);
      if (this.visits.has(id) && !answer.replayed) this.faults.push(`${id} was visited twice`);
      if (!this.visits.has(id)) this.tally.verified++;
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
    if (!answersTo(ask.wish, data)) this.faults.push(`${nameOf(ask)} was answered ${JSON.stringify(data)}`);
    const known = this.bookings.get(id);
    if (known === undefined) {
      this.bookings.set(id, { ask, data });
      this.tally.confirmed++;
    } else if (!sameBooking(known.data, data)) {
      this.faults.push(`${id} was ${JSON.stringify(known.data)}, then ${JSON.stringify(data)}`);
    }
    if (ask.idempotencyKey !== null) this.#keys.set(ask.idempotencyKey, id);
  }

  #soldOut(ask: Ask): void {
    this.tally.soldOut++;
    if (ask.idempotencyKey !== null && this.#keys.has(ask.idempotencyKey))
      this.faults.push(`${nameOf(ask)} was confirmed, then refused for lack of room`);
  }

  /** It may have been booked or not. Under its key it can be asked for again; without one nobody will tell. */
  #keep(ask: Ask): void {
    if (ask.idempotencyKey === null) this.lost.add(ask.number);
    else if (!this.#keys.has(ask.idempotencyKey)) this.#unsure.push(ask);
  }
}

/** The same in everything but its status and its mail: it may have been verified meanwhile, and mailed. */
function sameBooking(left: BookingData, right: BookingData): boolean {
  const meanwhile = { status: '', email_sent: false, email_sent_at: null };
  return Bun.deepEquals({ ...left, ...meanwhile }, { ...right, ...meanwhile });
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
