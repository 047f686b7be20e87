import type { DataFrom } from '../answers.ts';
import type { api } from '../client.ts';
import { money } from '../components/values.tsx';

export type Calendar = DataFrom<typeof api.calendar.get>;
export type Row = Calendar['items'][number];
export type DateOfRow = Row['dates'][number];

const SHORT = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
const LONG = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });

/** @param date `YYYY-MM-DD` */
export function shortDate(date: string): string {
  return SHORT.format(new Date(date));
}

/** @param date `YYYY-MM-DD` */
export function longDate(date: string): string {
  return LONG.format(new Date(date)).replace(',', '');
}

/** @param date `YYYY-MM-DD` */
export function isWeekend(date: string): boolean {
  return [0, 6].includes(new Date(date).getUTCDay());
}

const CLOSURES: Readonly<Record<NonNullable<DateOfRow['closed_because']>, string>> = {
  retired: 'The activity is no longer sold.',
  not_yet_on_sale: 'The date is too far ahead to be sold.',
  closed_date: 'The entry names this date as closed.',
  weekday: 'It does not open on this day of the week.',
};

const CANCELLATIONS: Readonly<Record<NonNullable<DateOfRow['cancelled_because']>, string>> = {
  weather: 'The whole date was cancelled because of the weather.',
  venue_unavailable: 'The whole date was cancelled because the venue is not available.',
  system: 'The whole date was cancelled because of a fault of the service.',
};

/** Why nobody can book the date; null if its state says it. */
export function closureText({ closed_because: why, cancelled_because: cancelled }: DateOfRow): string | null {
  if (cancelled !== null) return CANCELLATIONS[cancelled];
  return why === null ? null : CLOSURES[why];
}

/** The state in words. */
export function stateText({ state, free }: DateOfRow): string {
  switch (state) {
    case 'cancelled':
      return 'Cancelled';
    case 'closed':
      return 'Closed';
    case 'sold_out':
      return 'Sold out';
    case 'past':
      return 'Over';
    default:
      return `${free.toLocaleString('en')} free`;
  }
}

/** The state as a colour of a badge; the words say the same. */
export function toneOf({ state }: DateOfRow): 'bad' | 'warn' | 'good' | 'plain' {
  if (state === 'sold_out' || state === 'cancelled') return 'bad';
  if (state === 'nearly_sold_out') return 'warn';
  return state === 'open' ? 'good' : 'plain';
}

export function dealText({ flash_deal: deal }: DateOfRow): string | null {
  return deal === null ? null : `−${deal.discount_percent}%`;
}

/** All of a date in one sentence, for a screen reader. */
export function dateLabel(title: string, shown: DateOfRow, currency: string): string {
  const { date, capacity, sold, held, price, state } = shown;
  const parts = [`${title}, ${longDate(date)}: ${stateText(shown)}`];
  if (state !== 'closed') parts.push(`${sold} of ${capacity} sold${held > 0 ? `, ${held} held` : ''}`);
  else if (sold > 0) parts.push(`${sold} sold`);
  if (price !== null) parts.push(money(price, currency));
  if (shown.flash_deal !== null) parts.push(`flash deal ${shown.flash_deal.discount_percent} percent off`);
  return parts.join(', ');
}
