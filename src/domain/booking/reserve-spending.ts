import { convertUp, type ExchangeRates } from '../activity/exchange.ts';
import type { Currency } from '../activity/money.ts';
import { amounts, type Pricing } from '../activity/pricing.ts';
import type { BookingId, Fingerprint } from '../ids.ts';
import type { Money, SpendingId } from '../spending/spending.ts';
import { type ClaimRef, guestsOf } from './facts.ts';
import { pricingAfter } from './price-lines.ts';
import type { ExistingBooking } from './state.ts';
import { type ClaimLost, CONTENDED, type Step, type StepResult } from './workflow-step.ts';

/** The limits of the booking's key on its spending; null for none. */
export type SpendingGuard = {
  readonly id: SpendingId;
  readonly bookingTotal: Money | null;
  readonly dayTotal: Money | null;
  readonly rates: ExchangeRates;
  readonly deadlineMs: number;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** What a booking costs, in minor units. */
export type Expense = {
  readonly totalMinor: number;
  /** The part of the total that is new; 0 or below if the booking does not become dearer. */
  readonly addedMinor: number;
  readonly currency: Currency;
};

/** A limit refuses the expense. Amounts in minor units of `currency`, rounded up. */
export type OverLimit = {
  readonly kind: 'over-limit';
  readonly limit: 'booking_total' | 'day_total';
  /** For the limit of the day: the amount that counts already. For that of the booking: 0. */
  readonly useMinor: number;
  readonly wantedMinor: number;
  readonly boundMinor: number;
  readonly currency: Currency;
};

type Reserving = {
  readonly bookingId: BookingId;
  readonly claim: ClaimRef;
  /** False before the claim, which fixes the price. */
  readonly exact: boolean;
};

/**
 * The fingerprint in the claim's id. It names the day if spending is limited: a request repeated after midnight reserves on
 * another day, so it needs another claim.
 */
export function claimFingerprint(
  fingerprint: Fingerprint,
  spending: { readonly guard: SpendingGuard } | null,
): Fingerprint {
  return spending === null ? fingerprint : (`${fingerprint} ${spending.guard.id}` as Fingerprint);
}

/** What a change of a booking costs. `price`: per person, of the slots that it claims. */
export function expenseOf(
  { facts }: ExistingBooking,
  change: {
    readonly moves: boolean;
    readonly numAdults: number;
    readonly numChildren: number;
    readonly price: Pricing | null;
  },
): Expense {
  const { moves, price } = change;
  const [before, guests] = [guestsOf(facts), guestsOf(change)];
  const { totalMinor } = amounts(pricingAfter(facts.pricing, before, { guests, moves, price }), guests);
  const addedMinor = totalMinor - amounts(facts.pricing, before).totalMinor;
  return { totalMinor, addedMinor, currency: facts.pricing.currency };
}

/** Reserves the new part of an expense for a claim, before a booking can name it. Null on success. */
export function* reserveSpending(
  guard: SpendingGuard,
  expense: Expense,
  { bookingId, claim, exact }: Reserving,
): Generator<Step, OverLimit | ClaimLost | typeof CONTENDED | null, StepResult> {
  const { currency } = expense;
  const amountMinor = Math.max(0, expense.addedMinor);
  // Another run of the same request may have reserved more for the claim: an exact reservation corrects that.
  if (amountMinor === 0 && !exact) return null;
  const overBooking = overBookingTotal(guard, expense);
  if (overBooking !== null) return overBooking;
  const { id, dayTotal: bound, rates, deadlineMs, at } = guard;
  if (bound === null) return null;
  const reservation = { booking: bookingId, claim: claim.id, allotment: claim.allotment, deadlineMs, at };
  const command = { type: 'Reserve', amountMinor, currency, ...reservation, exact, bound, rates } as const;
  const reserved: StepResult = yield { to: 'spending', id, command };
  if (reserved.kind === 'done') return null;
  if (reserved.kind !== 'rejected') return CONTENDED;
  const { rejection } = reserved;
  if (rejection.code === 'RESERVATION_RELEASED') return 'claim-lost';
  return rejection.code === 'OVER_DAY_TOTAL' ? overDayTotal(expense, bound, rejection.useMinor, rates) : CONTENDED;
}

/**
 * Returns the reservation of a claim that will not be used. First the booking's stream abandons the claim, so that no other
 * run of the same command can name it. The reaper erases what was recorded for the claim.
 */
export function* returnReservation(
  { id, dayTotal, at }: SpendingGuard,
  bookingId: BookingId,
  { id: claimId, allotment: allotmentId }: ClaimRef,
): Generator<Step, void, StepResult> {
  if (dayTotal === null) return;
  const command = { type: 'AbandonClaim', claimId, allotmentId } as const;
  const abandoned: StepResult = yield { to: 'booking', id: bookingId, command };
  if (abandoned.kind === 'done') yield { to: 'spending', id, command: { type: 'Release', claim: claimId, at } };
}

/** Whether the limit per booking refuses an expense; null if not. */
export function overBookingTotal(
  { bookingTotal, rates }: SpendingGuard,
  { totalMinor, addedMinor, currency }: Expense,
): OverLimit | null {
  if (bookingTotal === null || addedMinor <= 0) return null;
  const wantedMinor = convertUp({ amountMinor: totalMinor, currency }, bookingTotal.currency, rates);
  const { amountMinor: boundMinor, currency: inCurrency } = bookingTotal;
  if (wantedMinor <= boundMinor) return null;
  return { kind: 'over-limit', limit: 'booking_total', useMinor: 0, wantedMinor, boundMinor, currency: inCurrency };
}

export function overDayTotal(expense: Expense, bound: Money, useMinor: number, rates: ExchangeRates): OverLimit {
  const { amountMinor: boundMinor, currency } = bound;
  const added = { amountMinor: expense.addedMinor, currency: expense.currency };
  const wantedMinor = convertUp(added, currency, rates);
  return { kind: 'over-limit', limit: 'day_total', useMinor, wantedMinor, boundMinor, currency };
}
