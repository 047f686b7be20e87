import type { AllotmentEvent, AllotmentId, BookingId, ClaimId } from '../../../src/domain/allotment/allotment.ts';
import { allotmentCodec } from '../../../src/domain/allotment/decider.ts';
import type { BookingEvent, BookingFacts } from '../../../src/domain/booking/booking.ts';
import { bookingCodec } from '../../../src/domain/booking/decider.ts';
import { type GuestEvent, guestCodec } from '../../../src/domain/guest/guest.ts';
import type { LogId } from '../../../src/domain/recommendation/profile.ts';
import { recommendationCodec, type ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { categoryOf, type StoredEvent } from '../../../src/ports/event-store.ts';
import { GUEST_MARK } from './wire.ts';

type DataOf<E extends { type: string; data: object }, T extends E['type']> = Extract<E, { type: T }>['data'];

/** A place in the log, and the time (ms since the epoch) that its cause names. */
export type Mark = { readonly position: Position; readonly atMs: number };

export type ClaimInLog = {
  readonly claim: ClaimId;
  readonly allotment: AllotmentId;
  readonly booking: BookingId;
  readonly size: number;
  readonly deadlineMs: number;
  abandoned: Mark | null;
  released: Mark | null;
};

export type BookingInLog = {
  readonly facts: BookingFacts;
  readonly charges: DataOf<BookingEvent, 'ChargeRecorded'>[];
  readonly vouchers: DataOf<BookingEvent, 'VoucherIssued'>[];
  readonly visits: DataOf<BookingEvent, 'VisitVerified'>[];
  /** When the voucher's mail was taken, as far as it was: ISO 8601 UTC. */
  readonly mailedAt: string[];
};

/** The log as an auditor reads it: event by event, without the deciders whose work is audited. */
export type History = {
  readonly events: number;
  readonly capacities: ReadonlyMap<AllotmentId, number>;
  readonly claims: ReadonlyMap<ClaimId, ClaimInLog>;
  readonly bookings: ReadonlyMap<BookingId, BookingInLog>;
  /** Guest records that are not erased, by the claim that their stream is named after. */
  readonly guests: ReadonlyMap<string, GuestEvent['data']>;
  readonly recommendations: ReadonlyMap<LogId, ServedFacts>;
  /** What broke a rule at the very place where it stands. */
  readonly faults: readonly string[];
};

export function readHistory(log: readonly StoredEvent[]): History {
  const reader = new Reader();
  for (const event of log) reader.read(event);
  const { capacities, claims, bookings, guests, recommendations, faults } = reader;
  return { events: log.length, capacities, claims, bookings, guests, recommendations, faults };
}

class Reader {
  readonly capacities = new Map<AllotmentId, number>();
  readonly claims = new Map<ClaimId, ClaimInLog>();
  readonly bookings = new Map<BookingId, BookingInLog>();
  readonly guests = new Map<string, GuestEvent['data']>();
  readonly recommendations = new Map<LogId, ServedFacts>();
  readonly faults: string[] = [];
  readonly #taken = new Map<AllotmentId, number>();
  readonly #booked = new Map<AllotmentId, number>();

  read(stored: StoredEvent): void {
    const mark: Mark = { position: stored.position, atMs: Date.parse(stored.cause.at) };
    const id = stored.stream.slice(stored.stream.indexOf('-') + 1);
    const category = categoryOf(stored.stream);
    if (category !== 'guest' && JSON.stringify(stored).search(GUEST_MARK) >= 0)
      this.faults.push(`${stored.type} in ${stored.stream} holds personal data`);
    if (category === 'allotment') this.#allotment(id as AllotmentId, allotmentCodec.decode(stored), mark);
    if (category === 'booking') this.#booking(id as BookingId, bookingCodec.decode(stored), mark);
    if (category === 'guest') this.guests.set(id, guestCodec.decode(stored).data);
    if (category === 'recommendation') this.#recommendation(id as LogId, recommendationCodec.decode(stored).data);
  }

  #allotment(allotment: AllotmentId, { type, data }: AllotmentEvent, mark: Mark): void {
    switch (type) {
      case 'AllotmentOpened':
        if (this.capacities.has(allotment)) this.faults.push(`${allotment} was opened twice`);
        this.capacities.set(allotment, data.capacity);
        break;
      case 'SlotsClaimed': {
        const { claim, booking, size, deadlineMs } = data;
        if (this.claims.has(claim)) this.faults.push(`${claim} was claimed twice`);
        this.claims.set(claim, { claim, allotment, booking, size, deadlineMs, abandoned: null, released: null });
        this.#count(this.#taken, allotment, size, 'slots claimed');
        break;
      }
      case 'SlotsReleased': {
        // Nobody asks for holds here, so that only claims are given back.
        const claim = this.#claimOf(data.claim as ClaimId, type);
        if (claim === null) break;
        if (claim.released !== null) this.faults.push(`${claim.claim} was released twice`);
        if (claim.abandoned === null) this.faults.push(`${claim.claim} was released before it was abandoned`);
        if (claim.size !== data.size) this.faults.push(`${claim.claim} of ${claim.size} was released as ${data.size}`);
        claim.released = mark;
        this.#count(this.#taken, allotment, -claim.size, 'slots claimed');
        break;
      }
      default:
        this.faults.push(`${type} in ${allotment}, though nobody holds slots or modifies a booking`);
    }
  }

  #booking(id: BookingId, event: BookingEvent, mark: Mark): void {
    if (event.type === 'BookingConfirmed') return this.#confirmed(id, event.data);
    if (event.type === 'ClaimAbandoned') {
      const claim = this.#claimOf(event.data.claim, event.type);
      if (claim === null) return;
      if (claim.booking !== id) this.faults.push(`${claim.claim} of ${claim.booking} was abandoned by ${id}`);
      if (claim.abandoned !== null) this.faults.push(`${claim.claim} was abandoned twice`);
      claim.abandoned = mark;
      return;
    }
    const booking = this.bookings.get(id);
    if (booking === undefined) this.faults.push(`${event.type} of ${id} stands before its confirmation`);
    else if (event.type === 'ChargeRecorded') booking.charges.push(event.data);
    else if (event.type === 'VoucherIssued') booking.vouchers.push(event.data);
    else if (event.type === 'VisitVerified') booking.visits.push(event.data);
    else if (event.type === 'VoucherMailed') booking.mailedAt.push(event.data.at);
  }

  #recommendation(id: LogId, facts: ServedFacts): void {
    if (this.recommendations.has(id)) this.faults.push(`${id} was served twice`);
    this.recommendations.set(id, facts);
  }

  #confirmed(id: BookingId, facts: BookingFacts): void {
    if (this.bookings.has(id)) this.faults.push(`${id} was confirmed twice`);
    this.bookings.set(id, { facts, charges: [], vouchers: [], visits: [], mailedAt: [] });
    for (const { id: name, allotment, size } of facts.claims) {
      const claim = this.#claimOf(name, 'BookingConfirmed');
      if (claim === null) continue;
      if (claim.booking !== id || claim.allotment !== allotment || claim.size !== size)
        this.faults.push(`${id} names ${name} otherwise than it was claimed`);
      if (claim.abandoned !== null) this.faults.push(`${id} was confirmed on the abandoned ${name}`);
      this.#count(this.#booked, allotment, size, 'guests booked');
    }
  }

  #claimOf(name: ClaimId, by: string): ClaimInLog | null {
    const claim = this.claims.get(name);
    if (claim === undefined) this.faults.push(`${by} names ${name}, which was never claimed`);
    return claim ?? null;
  }

  /** Asserted at every event: it is not enough that the sums are right in the end. */
  #count(sums: Map<AllotmentId, number>, allotment: AllotmentId, change: number, what: string): void {
    const sum = (sums.get(allotment) ?? 0) + change;
    sums.set(allotment, sum);
    const capacity = this.capacities.get(allotment) ?? 0;
    if (sum > capacity) this.faults.push(`${allotment} has ${sum} ${what}, and room for ${capacity}`);
  }
}
