import { toDecimal } from '../../domain/activity/money.ts';
import { amounts, type Pricing } from '../../domain/activity/pricing.ts';
import { findHold, quotePrice } from '../../domain/allotment/state.ts';
import {
  type Expense,
  expenseOf,
  type OverLimit,
  overBookingTotal,
  overDayTotal,
  type SpendingGuard,
} from '../../domain/booking/reserve-spending.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import type { HoldId, KeyId } from '../../domain/ids.ts';
import { added, useIn } from '../../domain/spending/decider.ts';
import { spendingDay, spendingIdOf } from '../../domain/spending/spending.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import type { Offer } from './booking-offer.ts';

/** The limits on a key's spending, and the present price; null without limits. */
export type SpendingInput = { readonly guard: SpendingGuard; readonly quote: Expense } | null;

/** The limits of a key at the time of a request (ISO 8601 UTC); null without limits. From memory. */
export function spendingGuard(keyId: KeyId, at: string, { spending, clock, limits }: BookingContext) {
  const { bookingTotal, dayTotal } = spending.limitsOf(keyId) ?? NO_LIMITS;
  if (bookingTotal === null && dayTotal === null) return null;
  const guard: SpendingGuard = {
    id: spendingIdOf(keyId, at),
    bookingTotal,
    dayTotal,
    rates: spending.exchangeRates(),
    deadlineMs: clock.nowMs() + limits.claimMs,
    at,
  };
  return guard;
}

const NO_LIMITS = { bookingTotal: null, dayTotal: null };

/** The price of a new booking now, or of its hold. Reads the allotment only for a key with limits. */
export async function quoteSpending(
  guests: number,
  { offer, holdId }: { readonly offer: Offer; readonly holdId: HoldId | null },
  guard: SpendingGuard | null,
  context: BookingContext,
): Promise<{ readonly kind: 'quoted'; readonly spending: SpendingInput } | Refused> {
  if (guard === null) return { kind: 'quoted', spending: null };
  const priced = await presentPrice(offer, holdId, context);
  if (priced.kind === 'refused') return priced;
  return { kind: 'quoted', spending: { guard, quote: newExpense(priced.pricing, guests) } };
}

/** The price that the new slots of a modification add now. `moves`: all guests need slots, on another date. */
export async function quoteAddedSpending(
  booking: ExistingBooking,
  after: { readonly numAdults: number; readonly numChildren: number },
  { offer, moves }: { readonly offer: Offer; readonly moves: boolean },
  guard: SpendingGuard | null,
  context: BookingContext,
): Promise<{ readonly kind: 'quoted'; readonly spending: SpendingInput } | Refused> {
  if (guard === null) return { kind: 'quoted', spending: null };
  const priced = await presentPrice(offer, null, context);
  if (priced.kind === 'refused') return priced;
  const quote = expenseOf(booking, { ...after, moves, price: priced.pricing });
  return { kind: 'quoted', spending: { guard, quote } };
}

/** The refusal that a new booking at this price would get; null for none. Writes nothing. */
export async function predictSpendingLimit(
  pricing: Pricing,
  guests: number,
  guard: SpendingGuard | null,
  context: BookingContext,
): Promise<Refused | null> {
  if (guard === null) return null;
  const expense = newExpense(pricing, guests);
  const overBooking = overBookingTotal(guard, expense);
  if (overBooking !== null) return spendingLimit(overBooking, context);
  const { id, dayTotal: bound, rates } = guard;
  if (bound === null) return null;
  const reply = await context.streams.spendings.read(id, context.clock.nowMs() + context.limits.responseMs);
  if (reply.kind !== 'state') return noReply(reply);
  const { state } = reply;
  // Not the use plus the converted expense: each of them is rounded up.
  const after = added(state, expense.currency, expense.addedMinor);
  if (useIn(bound.currency, after, rates) <= bound.amountMinor) return null;
  return spendingLimit(overDayTotal(expense, bound, useIn(bound.currency, state, rates), rates), context);
}

/** The refusal of an expense: the limit, its use, its bound, and when it eases. */
export function spendingLimit(
  { limit, useMinor, wantedMinor, boundMinor, currency }: OverLimit,
  { clock }: Pick<BookingContext, 'clock'>,
): Refused {
  const money = (amountMinor: number) => `${toDecimal(amountMinor, currency)} ${currency}`;
  const [wanted, use, bound] = [money(wantedMinor), money(useMinor), money(boundMinor)];
  if (limit === 'booking_total') {
    const message = `This booking would cost ${wanted}, but one booking of this API key may cost ${bound} at most; choose fewer guests or a cheaper activity, or ask the operator.`;
    return refused('SPENDING_LIMIT', message, {
      details: `limit: booking_total; use: ${wanted}; bound: ${bound}; eases: only if the operator raises it`,
    });
  }
  const midnight = new Date((Math.floor(clock.nowMs() / DAY_MS) + 1) * DAY_MS).toISOString();
  const message = `This booking would add ${wanted} to the ${use} that this API key has spent today, but it may spend ${bound} a day; choose fewer guests or a cheaper activity, or book after ${midnight}.`;
  return refused('SPENDING_LIMIT', message, {
    details: `limit: day_total; use: ${use}; bound: ${bound}; eases: ${midnight}, or when a booking of today is refunded`,
  });
}

/** Today's use of a key's day_total, in minor units of its currency; null without that limit. */
export async function spendingToday(keyId: KeyId, context: BookingContext) {
  const bound = context.spending.limitsOf(keyId)?.dayTotal ?? null;
  if (bound === null) return null;
  const nowMs = context.clock.nowMs();
  const id = spendingIdOf(keyId, new Date(nowMs).toISOString());
  const reply = await context.streams.spendings.read(id, nowMs + context.limits.responseMs);
  if (reply.kind !== 'state') return noReply(reply);
  const usedMinor = useIn(bound.currency, reply.state, context.spending.exchangeRates());
  const resetsAt = new Date(Date.parse(spendingDay(id).day) + DAY_MS).toISOString();
  return { kind: 'spent', usedMinor, bound, resetsAt } as const;
}

function newExpense(pricing: Pricing, guests: number): Expense {
  const { totalMinor } = amounts(pricing, guests);
  return { totalMinor, addedMinor: totalMinor, currency: pricing.currency };
}

async function presentPrice(
  { allotment, schedule, hotelPercentOff }: Offer,
  holdId: HoldId | null,
  { streams, clock, limits }: BookingContext,
): Promise<{ readonly kind: 'priced'; readonly pricing: Pricing } | Refused> {
  const nowMs = clock.nowMs();
  const reply = await streams.allotments.read(allotment, nowMs + limits.responseMs);
  if (reply.kind !== 'state') return noReply(reply);
  const held = holdId === null ? undefined : findHold(reply.state, holdId);
  return {
    kind: 'priced',
    pricing: held?.pricing ?? quotePrice(reply.state, schedule, { hotelPercentOff, nowMs }),
  };
}
