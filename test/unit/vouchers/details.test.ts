import { expect, test } from 'bun:test';
import { voucherDetails } from '../../../src/vouchers/details.ts';
import { A_VOUCHER, anActivity, bookingFacts, everyDay } from '../../support/examples.ts';

const facts = bookingFacts();
/** The catalogue entry after the booking. */
const now = anActivity({ openings: everyDay({ open: '10:00', lastEntry: '14:00', close: '15:00' }) });
const hoursOn = (hours: typeof facts.hours, activity = [now]) =>
  voucherDetails({ facts, hours, voucher: A_VOUCHER }, { name: 'Ada Lovelace' }, activity[0]).openingHours;
const at = (text: string) => Date.parse(text);

test('a voucher shows the booked hours, also after the catalogue has changed or lost the entry', () => {
  expect(hoursOn(facts.hours)).toBe('09:00-18:00');
  expect(hoursOn(facts.hours, [])).toBe('09:00-18:00');
});

test('a voucher shows hours past midnight, in local time', () => {
  const night = {
    beginsAtMs: at('2026-12-23T17:00:00Z'),
    opensAtMs: at('2026-12-24T11:30:00Z'),
    closesAtMs: at('2026-12-24T17:00:00Z'),
  };
  expect(hoursOn(night)).toBe('18:30-00:00');
});

test('a booking without recorded hours shows the catalogue’s hours', () => {
  const { validFromMs: beginsAtMs, validUntilMs } = A_VOUCHER;
  for (const hours of [null, { beginsAtMs, opensAtMs: validUntilMs, closesAtMs: validUntilMs }]) {
    expect(hoursOn(hours)).toBe('10:00-15:00');
    expect(hoursOn(hours, [])).toBe('');
  }
});
