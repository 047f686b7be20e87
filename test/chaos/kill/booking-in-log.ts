import type { BookingPricing } from '../../../src/domain/activity/pricing.ts';
import type { BookingEvent, EventData } from '../../../src/domain/booking/events.ts';
import type { BookingFacts, ClaimRef } from '../../../src/domain/booking/facts.ts';
import {
  changed,
  type DatePolicy,
  type ExpectedPrice,
  type Fare,
  paid,
  refundOf,
  retainedOf,
  totalOf as totalOfFares,
} from '../../support/expected-price.ts';

type Money = { readonly keyId: string | null; readonly amountMinor: number; readonly currency: string };
/** `claims` alone determines its claims. */
type Facts = Omit<BookingFacts, 'claims'>;

/** A voucher with the guest's record at its issue. */
export type VoucherInLog = EventData<'VoucherIssued'> & { readonly record: string };

/** A booking folded from its events, and its cost by the auditor's own computation. */
export type BookingInLog = {
  status: 'none' | 'processing' | 'pending' | 'confirmed' | 'rejected' | 'cancelled' | 'completed';
  /** As they are now. */
  facts: Facts;
  /** The claims that it names now; none once it has ended. */
  claims: readonly ClaimRef[];
  /** All records of the guest, the current one last. */
  records: readonly string[];
  erased: boolean;
  version: number;
  cancellation: EventData<'BookingCancelled'> | null;
  /** What it costs, and what is paid. */
  price: ExpectedPrice;
  readonly money: { readonly type: 'charge' | 'refund'; readonly data: Money }[];
  /** The expected value of `money`. */
  readonly due: { readonly type: 'charge' | 'refund'; readonly data: Money }[];
  readonly modifications: EventData<'BookingModified'>[];
  readonly vouchers: VoucherInLog[];
  /** The expected number of vouchers. */
  vouchersDue: number;
  readonly visits: EventData<'VisitVerified'>[];
  /** When the current voucher's mail was accepted, if it was: ISO 8601 UTC. */
  mailedAt: string[];
};

/** A booking before its first event. */
export function newBooking(facts: Facts): BookingInLog {
  return {
    status: 'none',
    facts,
    claims: [],
    records: [],
    erased: false,
    version: 0,
    cancellation: null,
    price: { fares: faresOf(facts), paidMinor: 0, keptMinor: [] },
    money: [],
    due: [],
    modifications: [],
    vouchers: [],
    vouchersDue: 0,
    visits: [],
    mailedAt: [],
  };
}

/** Applies an event of the booking and returns its faults. `atMs`: the time of the request (ms since the epoch). */
export function follow(booking: BookingInLog, { type, data }: BookingEvent, atMs: number): string[] {
  switch (type) {
    case 'BookingStarted':
      return made(booking, data, 'processing');
    case 'BookingPlacedOnRequest':
      return made(booking, data, 'pending');
    case 'BookingConfirmed': {
      const faults = made(booking, data, 'confirmed');
      booking.price = paid(booking.price);
      owe(booking, booking.price.paidMinor);
      booking.vouchersDue++;
      return faults;
    }
    case 'BookingModified':
      return modified(booking, data, atMs);
    case 'BookingRejected': {
      const faults = ended(booking, data.dropped, ['processing', 'pending']);
      booking.status = 'rejected';
      return faults;
    }
    case 'BookingCancelled':
      return cancelled(booking, data, atMs);
    case 'ChargeRecorded':
      booking.money.push({ type: 'charge', data });
      return [];
    case 'RefundRecorded':
      booking.money.push({ type: 'refund', data });
      return [];
    case 'VoucherIssued':
      booking.vouchers.push({ ...data, record: booking.records.at(-1) ?? '' });
      booking.mailedAt = [];
      return [];
    case 'VisitVerified':
      return visited(booking, data);
    case 'GuestErased':
      booking.erased = true;
      booking.version++;
      return [];
    case 'VoucherMailed':
      booking.mailedAt.push(data.at);
      return [];
    default:
      return [];
  }
}

function made(
  booking: BookingInLog,
  { claims }: BookingFacts,
  status: 'processing' | 'pending' | 'confirmed',
): string[] {
  const before = booking.status;
  booking.status = status;
  booking.version++;
  if (before === 'none') {
    booking.claims = claims;
    booking.records = claims.slice(0, 1).map(({ id }) => id);
    return [];
  }
  const known = before === 'processing' || (before === 'pending' && status === 'confirmed');
  return known ? [] : [`was ${before}, and was ${status} twice`];
}

function modified(booking: BookingInLog, data: EventData<'BookingModified'>, atMs: number): string[] {
  const { facts, status } = booking;
  const { date, numAdults, numChildren, hours, pricing, cancellation, claims, guest, dropped, shrunk, version } = data;
  booking.version++;
  const faults: string[] = [];
  if (status !== 'pending' && status !== 'confirmed') return [`was modified while ${status}`];
  if (version !== booking.version) faults.push(`has version ${version}, and is at ${booking.version}`);
  if (booking.modifications.some(({ command }) => command === data.command))
    faults.push(`was modified twice by ${data.command}`);
  const fares = faresOf(data);
  const change = { guests: numAdults + numChildren, moves: date !== facts.date, charged: status === 'confirmed' };
  // The log does not say the present price, but the guests added last pay it.
  const present = fares.at(-1) ?? { unitMinor: 0, priceMinor: 0 };
  const price = changed(booking.price, { ...change, present }, policyOf(facts), atMs);
  if (!Bun.deepEquals(fares, price.fares))
    faults.push(change.moves ? 'has several prices on a new date' : 'has another price on the same date');
  if ((pricing.retainedMinor ?? 0) !== retainedOf(price))
    faults.push(`retains ${pricing.retainedMinor ?? 0}, and must retain ${retainedOf(price)}`);
  const slots = claims.reduce((sum, { size }) => sum + size, 0);
  if (slots !== numAdults + numChildren)
    faults.push(`is for ${numAdults + numChildren} guests and claims ${slots} slots`);
  const gone = booking.claims.filter(({ id }) => !claims.some((claim) => claim.id === id));
  if (!Bun.deepEquals(gone, dropped)) faults.push(`dropped ${namesOf(gone)}, and says ${namesOf(dropped)}`);
  const less = claims.filter(({ id, size }) => booking.claims.some((claim) => claim.id === id && claim.size > size));
  if (!Bun.deepEquals(less, shrunk)) faults.push(`relies less on ${namesOf(less)}, and says ${namesOf(shrunk)}`);
  if (status === 'confirmed') {
    const more = price.paidMinor - booking.price.paidMinor;
    if (more > 0) owe(booking, more);
    else giveBack(booking, -more);
    booking.vouchersDue++;
  }
  booking.price = price;
  booking.facts = { ...facts, date, numAdults, numChildren, hours, pricing, cancellation };
  booking.claims = claims;
  if (guest !== null) {
    booking.facts = { ...booking.facts, guest: guest.fingerprint };
    booking.records = [...booking.records, guest.record];
  }
  booking.modifications.push(data);
  return faults;
}

function cancelled(booking: BookingInLog, data: EventData<'BookingCancelled'>, atMs: number): string[] {
  const { facts, status } = booking;
  const faults = ended(booking, data.dropped, ['pending', 'confirmed']);
  booking.status = 'cancelled';
  booking.cancellation = data;
  if (status !== 'confirmed') return faults;
  const { price } = booking;
  const refund = data.reason === 'user_requested' ? refundOf(price, policyOf(facts), atMs) : price.paidMinor;
  if (data.refundMinor !== refund) faults.push(`gives back ${data.refundMinor}, and owes ${refund}`);
  giveBack(booking, refund);
  return faults;
}

function ended(booking: BookingInLog, dropped: readonly ClaimRef[], from: readonly string[]): string[] {
  const { claims, status } = booking;
  booking.claims = [];
  booking.version++;
  return [
    ...(from.includes(status) ? [] : [`ended while ${status}`]),
    ...(Bun.deepEquals(claims, dropped) ? [] : [`dropped ${namesOf(claims)}, and says ${namesOf(dropped)}`]),
  ];
}

function visited(booking: BookingInLog, data: EventData<'VisitVerified'>): string[] {
  const { status, cancellation } = booking;
  booking.visits.push(data);
  booking.status = 'completed';
  booking.version++;
  const before = cancellation !== null && data.verifiedAtMs < Date.parse(cancellation.at);
  return status === 'confirmed' || (status === 'cancelled' && before) ? [] : [`was visited while ${status}`];
}

/** Charges less refunds, in minor units. */
export function paidMinor({ money }: Pick<BookingInLog, 'money'>): number {
  return money.reduce((sum, { type, data }) => sum + (type === 'charge' ? data.amountMinor : -data.amountMinor), 0);
}

type Party = { readonly pricing: BookingPricing; readonly numAdults: number; readonly numChildren: number };

export function totalOf(party: Party): number {
  return totalOfFares({ fares: faresOf(party) });
}

/** What each guest pays, in the order in which they were added. */
function faresOf({ pricing, numAdults, numChildren }: Party): readonly Fare[] {
  return (pricing.lines ?? [{ ...pricing, guests: numAdults + numChildren }]).flatMap((line) =>
    Array.from({ length: line.guests }, () => ({
      unitMinor: line.unitPriceMinor,
      priceMinor: line.unitPriceMinor - line.discountMinor,
    })),
  );
}

function policyOf({ cancellation, hours }: Pick<Facts, 'cancellation' | 'hours'>): DatePolicy {
  return { ...cancellation, opensAtMs: hours?.opensAtMs ?? Number.POSITIVE_INFINITY };
}

function owe(booking: BookingInLog, amountMinor: number): void {
  due(booking, 'charge', amountMinor);
}

function giveBack(booking: BookingInLog, amountMinor: number): void {
  if (amountMinor > 0) due(booking, 'refund', amountMinor);
}

function due({ due: all, facts }: BookingInLog, type: 'charge' | 'refund', amountMinor: number): void {
  all.push({ type, data: { keyId: facts.keyId, amountMinor, currency: facts.pricing.currency } });
}

function namesOf(claims: readonly ClaimRef[]): string {
  return claims.map(({ id, size }) => `${id} (${size})`).join(', ') || 'nothing';
}
