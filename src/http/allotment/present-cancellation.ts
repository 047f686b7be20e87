import type { Static } from 'typebox';
import type { DateCancellationQuote, DateCancellationView } from '../../application/allotment/cancel-date.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import type { DATE_CANCELLATION, DATE_CANCELLATION_QUOTE } from './cancellation-schema.ts';

const MOST_LEFT = 100;

export function presentDateCancellation({
  schedule,
  cancellation,
  reopened,
}: DateCancellationView): Static<typeof DATE_CANCELLATION> {
  const { activityId, date, currency } = schedule;
  const { reason, bookings, places, holds, pending, visited, cancelled, gone, refundMinor, at, finishedAt } =
    cancellation;
  const leftOf = (ids: typeof pending, because: 'visited' | 'pending') =>
    Array.from(ids.entries(), ([id]) => ({ booking_id: id, because }));
  return {
    activity_id: activityId,
    date,
    reason,
    status: finishedAt === null ? 'running' : 'finished',
    bookings,
    cancelled,
    visited: visited.size,
    gone,
    pending: pending.size,
    left: [...leftOf(visited, 'visited'), ...leftOf(pending, 'pending')].slice(0, MOST_LEFT),
    guests: places,
    holds,
    refund_amount: toDecimal(refundMinor, currency),
    currency,
    started_at: at,
    finished_at: finishedAt,
    reopened,
  };
}

export function presentDateQuote(quote: DateCancellationQuote): Static<typeof DATE_CANCELLATION_QUOTE> {
  const { schedule, reason, bookings, guests, visited, holds, refundMinor, currency } = quote;
  return {
    dry_run: true,
    activity_id: schedule.activityId,
    date: schedule.date,
    reason,
    bookings,
    guests,
    visited,
    holds,
    refund_amount: toDecimal(refundMinor, currency),
    currency,
  };
}
