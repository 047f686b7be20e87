import { describe, expect, test } from 'bun:test';
import { everyDay, periodsUntil, today } from '../../../src/pages/dashboard/reports/periods.ts';

const EVENING = new Date('2026-11-27T16:30:00.000Z');

describe('a report', () => {
  test('ends on the date of its city, or the latest of all cities', () => {
    expect(today(EVENING, 'utc', 'Bali')).toBe('2026-11-27');
    expect(today(EVENING, 'local', 'Bangkok')).toBe('2026-11-27');
    expect(today(EVENING, 'local', 'Bali')).toBe('2026-11-28');
    expect(today(EVENING, 'local', '')).toBe('2026-11-28');
  });

  test('has periods of whole months, across the end of a year', () => {
    expect(periodsUntil('2027-01-05').map(({ from, to }) => [from, to])).toEqual([
      ['', ''],
      ['2026-12-07', '2027-01-05'],
      ['2027-01-01', '2027-01-31'],
      ['2026-12-01', '2026-12-31'],
    ]);
  });

  test('shows days without a row, up to today, and months likewise', () => {
    const days = [{ day: '2026-02-27', charged: 5 }];
    const range = { from: '2026-02-26', to: '2026-03-31' };
    expect(everyDay(days, 'day', range, '2026-03-01')).toEqual({
      rows: [{ day: '2026-02-26' }, { day: '2026-02-27', charged: 5 }, { day: '2026-02-28' }, { day: '2026-03-01' }],
      of: 4,
    });
    const months = [{ month: '2026-11' }, { month: '2027-01' }];
    expect(everyDay(months, 'month', {}, '2027-01-05').rows.map(({ month }) => month)).toEqual([
      '2026-11',
      '2026-12',
      '2027-01',
    ]);
  });

  test('shows the last 62 days of more', () => {
    const { rows, of } = everyDay([{ day: '2026-01-01' }, { day: '2026-12-31' }], 'day', {}, '2027-01-05');
    expect([rows.length, rows[0]?.['day'], of]).toEqual([62, '2026-10-31', 365]);
  });
});
