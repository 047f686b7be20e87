import { type AllotmentEvent, allotmentCodec } from '../../../src/domain/allotment/events.ts';
import type { TermsEvent } from '../../../src/domain/allotment/terms.ts';
import { type BookingEvent, bookingCodec } from '../../../src/domain/booking/events.ts';
import type { ClaimRef } from '../../../src/domain/booking/facts.ts';
import { type GuestEvent, guestCodec } from '../../../src/domain/guest/guest.ts';
import type { AllotmentId, BookingId, ClaimId, HoldId, LogId } from '../../../src/domain/ids.ts';
import { type EvidenceEvent, evidenceCodec } from '../../../src/domain/learning/evidence.ts';
import { recommendationCodec, type ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { categoryOf, type StoredEvent } from '../../../src/ports/event-store.ts';
import { type BookingInLog, follow, newBooking } from './booking-in-log.ts';
import { GUEST_MARK } from './wire.ts';

export type { BookingInLog } from './booking-in-log.ts';

/** A position in the log, and the time of its cause (ms since the epoch). */
export type Mark = { readonly position: Position; readonly atMs: number };

export type ClaimInLog = {
  readonly claim: ClaimId;
  readonly allotment: AllotmentId;
  readonly booking: BookingId;
  readonly deadlineMs: number;
  /** Its slots; fewer once some were released. */
  size: number;
  /** The time in which the booking needed fewer. */
  readonly excess: { readonly fromMs: number; untilMs: number | null }[];
  abandoned: Mark | null;
  /** Where its booking dropped it. */
  dropped: Mark | null;
  released: Mark | null;
};

export type HoldInLog = {
  readonly hold: HoldId;
  readonly allotment: AllotmentId;
  readonly size: number;
  readonly expiresAtMs: number;
  /** The booking that used it. */
  taken: BookingId | null;
  released: Mark | null;
};

/** The stream's id, and what happened in it. */
type EvidenceInLog = { readonly id: string; readonly event: EvidenceEvent };

type GuestRecord = Extract<GuestEvent, { type: 'GuestRecorded' }>['data'];

/** The log folded by the auditor, without the deciders that it audits. */
export type History = {
  readonly events: number;
  readonly capacities: ReadonlyMap<AllotmentId, number>;
  readonly claims: ReadonlyMap<ClaimId, ClaimInLog>;
  readonly holds: ReadonlyMap<HoldId, HoldInLog>;
  readonly bookings: ReadonlyMap<BookingId, BookingInLog>;
  /** Guest records that are not erased, by the claim that their stream is named after. */
  readonly guests: ReadonlyMap<string, GuestRecord>;
  readonly recommendations: ReadonlyMap<LogId, ServedFacts>;
  /** Oldest first. */
  readonly evidence: readonly EvidenceInLog[];
  /** Faults found while folding. */
  readonly faults: readonly string[];
};

export function readHistory(log: readonly StoredEvent[]): History {
  const reader = new Reader();
  for (const event of log) reader.read(event);
  const { capacities, claims, holds, bookings, guests, recommendations, evidence, faults } = reader;
  return { events: log.length, capacities, claims, holds, bookings, guests, recommendations, evidence, faults };
}

class Reader {
  readonly capacities = new Map<AllotmentId, number>();
  readonly claims = new Map<ClaimId, ClaimInLog>();
  readonly holds = new Map<HoldId, HoldInLog>();
  readonly bookings = new Map<BookingId, BookingInLog>();
  readonly guests = new Map<string, GuestRecord>();
  readonly recommendations = new Map<LogId, ServedFacts>();
  readonly evidence: EvidenceInLog[] = [];
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
    if (category === 'guest') this.#guest(id, guestCodec.decode(stored));
    if (category === 'evidence') this.evidence.push({ id, event: evidenceCodec.decode(stored) });
    if (category === 'recommendation') this.#recommendation(id as LogId, recommendationCodec.decode(stored).data);
  }

  #guest(id: string, { type, data }: GuestEvent): void {
    if (type === 'GuestRecorded') this.guests.set(id, data);
  }

  #allotment(allotment: AllotmentId, event: AllotmentEvent, mark: Mark): void {
    if (changesTerms(event)) {
      // No operator changes the capacity, so the opened capacity counts.
      this.faults.push(`${allotment} has ${event.type}`);
      return;
    }
    if (cancelsDate(event)) return;
    const { type, data } = event;
    switch (type) {
      case 'AllotmentOpened':
        if (this.capacities.has(allotment)) this.faults.push(`${allotment} was opened twice`);
        this.capacities.set(allotment, data.capacity);
        break;
      case 'SlotsClaimed':
        this.#claimed(allotment, data);
        this.#count(this.#taken, allotment, data.size, 'slots claimed');
        break;
      case 'SlotsHeld': {
        const { hold, size, expiresAtMs } = data;
        if (this.holds.has(hold)) this.faults.push(`${hold} was held twice`);
        this.holds.set(hold, { hold, allotment, size, expiresAtMs, taken: null, released: null });
        this.#count(this.#taken, allotment, size, 'slots claimed');
        break;
      }
      case 'HoldTaken': {
        const hold = this.holds.get(data.hold);
        const { taken = null, released = null, size, expiresAtMs = 0 } = hold ?? {};
        if (taken !== null || released !== null || size !== data.size || mark.atMs >= expiresAtMs)
          this.faults.push(`${data.hold} was taken for ${data.booking}, and stood as ${JSON.stringify(hold)}`);
        if (hold !== undefined) hold.taken = data.booking;
        // The claim takes exactly the hold's slots.
        this.#claimed(allotment, data);
        break;
      }
      case 'ClaimPaid':
        break;
      case 'ClaimShrunk':
        this.#shrunk(allotment, data, mark);
        break;
      default:
        this.#released(allotment, data, mark);
    }
  }

  #claimed(allotment: AllotmentId, given: Pick<ClaimInLog, 'claim' | 'booking' | 'size' | 'deadlineMs'>): void {
    const { claim, booking, size, deadlineMs } = given;
    if (this.claims.has(claim)) this.faults.push(`${claim} was claimed twice`);
    const fresh = { excess: [], abandoned: null, dropped: null, released: null };
    this.claims.set(claim, { claim, allotment, booking, size, deadlineMs, ...fresh });
  }

  #shrunk(
    allotment: AllotmentId,
    { claim: name, left, size }: Extract<AllotmentEvent, { type: 'ClaimShrunk' }>['data'],
    mark: Mark,
  ): void {
    const claim = this.#claimOf(name, 'ClaimShrunk');
    if (claim === null) return;
    if (claim.released !== null || claim.size - size !== left || this.#reliedOn(claim) > left)
      this.faults.push(
        `${name} of ${claim.size} was shrunk by ${size} to ${left}, ${this.#reliedOn(claim)} are needed`,
      );
    claim.size = left;
    this.#excess(claim, mark);
    this.#count(this.#taken, allotment, -size, 'slots claimed');
  }

  #released(
    allotment: AllotmentId,
    { claim: name, size }: Extract<AllotmentEvent, { type: 'SlotsReleased' }>['data'],
    mark: Mark,
  ): void {
    // An unused hold is released by its own id.
    const hold = this.holds.get(name as HoldId);
    const it = hold ?? this.#claimOf(name as ClaimId, 'SlotsReleased');
    if (it === null) return;
    if (it.released !== null) this.faults.push(`${name} was released twice`);
    if (it.size !== size) this.faults.push(`${name} of ${it.size} was released as ${size}`);
    if ('taken' in it && it.taken !== null) this.faults.push(`${name} was released, and is ${it.taken}'s`);
    // A claim without slots that carried a guest's record has done so once the booking names the record.
    const done = 'claim' in it && it.size === 0 && this.bookings.get(it.booking)?.records.includes(it.claim) === true;
    if ('claim' in it && it.abandoned === null && it.dropped === null && !done)
      this.faults.push(`${name} was released before it was abandoned`);
    if ('claim' in it && this.#reliedOn(it) > 0) this.faults.push(`${it.booking} holds ${name}, which was released`);
    it.released = mark;
    if ('claim' in it) this.#excess(it, mark);
    this.#count(this.#taken, allotment, -it.size, 'slots claimed');
  }

  #booking(id: BookingId, event: BookingEvent, mark: Mark): void {
    if (event.type === 'ClaimAbandoned') {
      const claim = this.#claimOf(event.data.claim, event.type);
      if (claim === null) return;
      if (claim.booking !== id) this.faults.push(`${claim.claim} of ${claim.booking} was abandoned by ${id}`);
      if (claim.abandoned !== null) this.faults.push(`${claim.claim} was abandoned twice`);
      claim.abandoned = mark;
      return;
    }
    const before = this.bookings.get(id);
    const made =
      event.type === 'BookingStarted' || event.type === 'BookingPlacedOnRequest' || event.type === 'BookingConfirmed';
    const booking = before ?? (made ? newBooking(event.data) : null);
    if (booking === null) {
      this.faults.push(`${event.type} of ${id} stands before its confirmation`);
      return;
    }
    const relied = booking.claims;
    this.faults.push(...follow(booking, event, mark.atMs).map((fault) => `${id} ${fault}`));
    this.bookings.set(id, booking);
    this.#relies(id, relied, booking.claims, mark);
  }

  #recommendation(id: LogId, facts: ServedFacts): void {
    if (this.recommendations.has(id)) this.faults.push(`${id} was served twice`);
    this.recommendations.set(id, facts);
  }

  /** Records the claims that a booking names now and the ones that it named before. */
  #relies(id: BookingId, before: readonly ClaimRef[], after: readonly ClaimRef[], mark: Mark): void {
    if (before === after) return;
    for (const { allotment, size } of before) this.#count(this.#booked, allotment, -size, 'guests booked');
    for (const { id: name, allotment, size } of after) {
      const claim = this.#claimOf(name, 'the booking');
      if (claim === null) continue;
      const kept = before.some((ref) => ref.id === name);
      if (claim.booking !== id || claim.allotment !== allotment || (kept ? claim.size < size : claim.size !== size))
        this.faults.push(`${id} names ${name} otherwise than it was claimed`);
      if (claim.abandoned !== null || claim.released !== null)
        this.faults.push(`${id} was confirmed on ${name}, which was given up`);
      this.#count(this.#booked, allotment, size, 'guests booked');
      this.#excess(claim, mark);
    }
    for (const { id: name } of before) {
      const claim = this.claims.get(name);
      if (claim !== undefined && !after.some((ref) => ref.id === name)) claim.dropped ??= mark;
    }
  }

  #reliedOn({ claim, booking }: ClaimInLog): number {
    return this.bookings.get(booking)?.claims.find(({ id }) => id === claim)?.size ?? 0;
  }

  /** Begins or ends the time in which a claim has more slots than its booking needs. */
  #excess(claim: ClaimInLog, { atMs }: Mark): void {
    const needed = this.#reliedOn(claim);
    const more = claim.released === null && needed > 0 && claim.size > needed;
    const open = claim.excess.find(({ untilMs }) => untilMs === null);
    if (open === undefined && more) claim.excess.push({ fromMs: atMs, untilMs: null });
    if (open !== undefined && !more) open.untilMs = atMs;
  }

  #claimOf(name: ClaimId, by: string): ClaimInLog | null {
    const claim = this.claims.get(name);
    if (claim === undefined) this.faults.push(`${by} names ${name}, which was never claimed`);
    return claim ?? null;
  }

  /** Checked at every event: correct sums at the end are not enough. */
  #count(sums: Map<AllotmentId, number>, allotment: AllotmentId, change: number, what: string): void {
    const sum = (sums.get(allotment) ?? 0) + change;
    sums.set(allotment, sum);
    const capacity = this.capacities.get(allotment) ?? 0;
    if (sum > capacity) this.faults.push(`${allotment} has ${sum} ${what}, and a capacity of ${capacity}`);
    if (sum < 0) this.faults.push(`${allotment} has ${sum} ${what}`);
  }
}

const TERMS: readonly string[] = [
  'ScheduleFollowed',
  'CapacitySet',
  'PriceSet',
  'FlashDealStarted',
  'FlashDealEnded',
] satisfies readonly TermsEvent['type'][];

type CancelsDate = Extract<
  AllotmentEvent,
  { type: 'DateCancelled' | 'DateBookingSettled' | 'DateCancellationFinished' }
>;

/** They change no slot: the releases do. */
function cancelsDate(event: AllotmentEvent): event is CancelsDate {
  return event.type.startsWith('Date');
}

function changesTerms(event: AllotmentEvent): event is TermsEvent {
  return TERMS.includes(event.type);
}
