import type { Answer, BookingData, VisitData, Wish } from './wire.ts';

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
  sentAgain: number;
  replayed: number;
  scanned: number;
  verified: number;
  scansUnanswered: number;
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
    sentAgain: 0,
    replayed: 0,
    scanned: 0,
    verified: 0,
    scansUnanswered: 0,
  };
  /** By booking id. */
  readonly bookings = new Map<string, KnownBooking>();
  /** Verified visits that were answered, by booking id. */
  readonly visits = new Map<string, VisitData>();
  /** Numbers of the asks that were told there is no room. */
  readonly refused = new Set<number>();
  /** Numbers of the asks without an Idempotency-Key that got no answer: nobody will ever know. */
  readonly lost = new Set<number>();
  readonly #keys = new Map<string, string>();
  readonly #unsure: Ask[] = [];
  readonly #unsureScans: Scan[] = [];
  /** Bookings whose scan went unanswered once: it may have counted. */
  readonly #scannedInVain = new Set<string>();

  /** An ask that must be sent again, if there is one. */
  takeUnsure(): Ask | undefined {
    return this.#unsure.shift();
  }

  takeUnsureScan(): Scan | undefined {
    return this.#unsureScans.shift();
  }

  get unsure(): number {
    return this.#unsure.length + this.#unsureScans.length;
  }

  /** True where a scan of the booking is unanswered, so that it may be verified or not. */
  mayBeVerified(bookingId: string): boolean {
    return this.#scannedInVain.has(bookingId);
  }

  answered(ask: Ask, answer: Answer<BookingData>): void {
    switch (answer.kind) {
      case 'done':
        return this.#confirmed(ask, answer.data, answer.replayed);
      case 'none':
        return this.#unanswered(ask);
      default:
        if (answer.code === 'INVENTORY_EXHAUSTED') return this.#soldOut(ask);
        // The service was out of time, or busy with the same ask: as with no answer, it may have been booked.
        if (answer.code === 'SERVICE_UNAVAILABLE' || answer.code === 'IDEMPOTENCY_IN_PROGRESS')
          return this.#unanswered(ask);
        this.faults.push(`${nameOf(ask)} was answered ${answer.code}: ${answer.error}`);
    }
  }

  scanned(scan: Scan, answer: Answer<VisitData>): void {
    const { booking_id: id, user_name: name } = scan.booking;
    const before = this.visits.get(id);
    if (answer.kind === 'none' || (answer.kind === 'refused' && answer.code === 'SERVICE_UNAVAILABLE')) {
      this.tally.scansUnanswered++;
      this.#scannedInVain.add(id);
      this.#unsureScans.push(scan);
      return;
    }
    if (answer.kind === 'refused') {
      const counted = answer.code === 'VOUCHER_ALREADY_VERIFIED' && this.#scannedInVain.has(id);
      if (counted && scan.idempotencyKey === null) return;
      this.faults.push(`the scan of ${id} was answered ${answer.code}: ${answer.error}`);
      return;
    }
    if (answer.data.booking_id !== id || answer.data.user_name !== name)
      this.faults.push(`the scan of ${id} was answered for ${JSON.stringify(answer.data)}`);
    if (before !== undefined) this.faults.push(`${id} was verified twice`);
    this.visits.set(id, answer.data);
    this.tally.verified++;
  }

  #confirmed(ask: Ask, data: BookingData, replayed: boolean): void {
    const id = data.booking_id;
    const known = this.bookings.get(id);
    if (known !== undefined && known.ask.number !== ask.number)
      this.faults.push(`${nameOf(ask)} and ${nameOf(known.ask)} were both answered ${id}`);
    if (replayed) this.tally.replayed++;
    const earlier = ask.idempotencyKey === null ? undefined : this.#keys.get(ask.idempotencyKey);
    if (earlier !== undefined && earlier !== id)
      this.faults.push(`${nameOf(ask)} was answered ${earlier}, then ${id}`);
    if (known !== undefined) {
      if (!replayed) this.faults.push(`${id} was made twice: its second answer is no replay`);
      if (!sameBut(known.data, data)) this.faults.push(`${id} was ${text(known.data)}, then ${text(data)}`);
      return;
    }
    if (!answersTo(ask.wish, data)) this.faults.push(`${nameOf(ask)} was answered ${text(data)}`);
    if (ask.idempotencyKey !== null) this.#keys.set(ask.idempotencyKey, id);
    this.bookings.set(id, { ask, data });
    this.tally.confirmed++;
  }

  #soldOut(ask: Ask): void {
    this.tally.soldOut++;
    this.refused.add(ask.number);
    if (ask.idempotencyKey !== null && this.#keys.has(ask.idempotencyKey))
      this.faults.push(`${nameOf(ask)} was confirmed, then refused for lack of room`);
  }

  #unanswered(ask: Ask): void {
    this.tally.unanswered++;
    if (ask.idempotencyKey === null) this.lost.add(ask.number);
    else if (!this.#keys.has(ask.idempotencyKey)) this.#unsure.push(ask);
  }
}

/** The same booking, which may have been visited meanwhile. */
export function sameBut(left: BookingData, right: BookingData): boolean {
  return Bun.deepEquals({ ...left, status: '' }, { ...right, status: '' });
}

function answersTo(wish: Wish, { activity, ...data }: BookingData): boolean {
  const asked = { ...wish, activity_id: activity.id };
  return activity.id === wish.activity_id && Bun.deepEquals({ ...data, ...asked }, { ...data, activity_id: activity.id });
}

function nameOf({ number, idempotencyKey }: Ask): string {
  return idempotencyKey === null ? `ask ${number}` : `ask ${number} under ${idempotencyKey}`;
}

function text(data: BookingData): string {
  return JSON.stringify(data);
}
