import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { CityName } from '../../../src/domain/activity/cities.ts';
import {
  addDays,
  dayOf,
  daysBetween,
  localDate,
  midnightMs,
  openDays,
  operatingHours,
  parseLocalDate,
} from '../../../src/domain/activity/schedule.ts';
import { anActivity, date, everyDay } from '../../support/examples.ts';

const at = (iso: string): number => Date.parse(iso);
/** A Thursday. */
const CHRISTMAS_EVE = date('2026-12-24');

/** 23:30 local time on New Year's Eve, in a city of each of the five countries (two of Indonesia). */
const HALF_PAST_ELEVEN = [
  ['Bangkok', '2026-12-31T16:30:00Z'],
  ['Ho Chi Minh', '2026-12-31T16:30:00Z'],
  ['Jakarta', '2026-12-31T16:30:00Z'],
  ['Bali', '2026-12-31T15:30:00Z'],
  ['Kuala Lumpur', '2026-12-31T15:30:00Z'],
  ['Singapore', '2026-12-31T15:30:00Z'],
] as const satisfies [CityName, string][];

describe('the date at a city', () => {
  test.each(HALF_PAST_ELEVEN)('%s changes at local midnight', (city, moment) => {
    const nowMs = at(moment);
    const dates = [0, 29, 30].map((minutes) => localDate(city, nowMs + minutes * 60_000));
    expect(dates).toEqual([date('2026-12-31'), date('2026-12-31'), date('2027-01-01')]);
    expect(localDate(city, nowMs + 30 * 60_000 - 1)).toBe(date('2026-12-31'));
  });

  test.each(HALF_PAST_ELEVEN)('%s begins at local midnight', (city, moment) => {
    const midnight = midnightMs(city, date('2027-01-01'));
    expect(midnight).toBe(at(moment) + 30 * 60_000);
    expect([localDate(city, midnight - 1), localDate(city, midnight)]).toEqual([
      date('2026-12-31'),
      date('2027-01-01'),
    ]);
  });
});

describe('a text as a date', () => {
  test.each(['2026-11-21', '2028-02-29', '2026-01-01', '2026-12-31'])('%p is one', (text) => {
    expect(parseLocalDate(text)).toBe(date(text));
  });

  test.each([
    ['no leap day', '2027-02-29'],
    ['a 31st of a short month', '2026-04-31'],
    ['month 13', '2026-13-01'],
    ['month 0', '2026-00-10'],
    ['day 0', '2026-01-00'],
    ['one digit', '2026-1-1'],
    ['another order', '21-11-2026'],
    ['slashes', '2026/11/21'],
    ['a time behind it', '2026-11-21T00:00:00Z'],
    ['space around it', ' 2026-11-21'],
    ['a line break behind it', '2026-11-21\n'],
    ['no digits of ours', '２０２６-11-21'],
    ['nothing', ''],
  ])('%s is none: %p', (_, text) => {
    expect(parseLocalDate(text)).toBeNull();
  });
});

describe('days', () => {
  const anyDate = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-12-31'), noInvalidDate: true })
    .map((moment) => date(moment.toISOString().slice(0, 10)));

  test('are added over months, years and leap days', () => {
    expect(addDays(date('2026-12-31'), 1)).toBe(date('2027-01-01'));
    expect(addDays(date('2028-02-28'), 1)).toBe(date('2028-02-29'));
    expect(addDays(date('2026-03-01'), -1)).toBe(date('2026-02-28'));
  });

  test('between two dates, added to the first, give the second', () => {
    fc.assert(
      fc.property(anyDate, fc.integer({ min: -800, max: 800 }), (from, days) => {
        expect(daysBetween(from, addDays(from, days))).toBe(days);
      }),
    );
  });
});

describe('what a date offers', () => {
  test('is hours, capacity and price of the schedule, in ms since the epoch', () => {
    expect(dayOf(anActivity(), CHRISTMAS_EVE)).toStrictEqual({
      date: CHRISTMAS_EVE,
      opensAtMs: at('2026-12-24T02:00:00Z'),
      lastEntryMs: at('2026-12-24T10:00:00Z'),
      closesAtMs: at('2026-12-24T11:00:00Z'),
      capacity: 40,
      unitPriceMinor: 99_000,
    });
  });

  test('uses the hours of its weekday', () => {
    const openings = { ...everyDay(null), thu: { open: '10:00', lastEntry: '11:00', close: '12:00' } };
    const activity = anActivity({ openings });
    expect(dayOf(activity, CHRISTMAS_EVE)?.opensAtMs).toBe(at('2026-12-24T03:00:00Z'));
    const others = [-3, -2, -1, 1, 2, 3].map((days) => dayOf(activity, addDays(CHRISTMAS_EVE, days)));
    expect(others).toEqual([null, null, null, null, null, null]);
  });

  test('is nothing on a closed date, but not on its neighbours', () => {
    const activity = anActivity({ closedDates: [CHRISTMAS_EVE] });
    const open = [-1, 0, 1].map((days) => dayOf(activity, addDays(CHRISTMAS_EVE, days)) !== null);
    expect(open).toEqual([true, false, true]);
  });

  test.each([
    ['closes after midnight', '18:00 23:00 02:00', '2026-12-24T16:00:00Z', '2026-12-24T19:00:00Z'],
    ['is entered and closes after midnight', '18:00 01:00 02:00', '2026-12-24T18:00:00Z', '2026-12-24T19:00:00Z'],
    ['closes at midnight', '18:00 23:00 00:00', '2026-12-24T16:00:00Z', '2026-12-24T17:00:00Z'],
    ['never closes', '00:00 00:00 00:00', '2026-12-24T17:00:00Z', '2026-12-24T17:00:00Z'],
    ['closes when it opens, a day later', '06:00 05:59 06:00', '2026-12-24T22:59:00Z', '2026-12-24T23:00:00Z'],
  ])('%s: open, last entry and close at %s', (_, hours, lastEntryAt, closesAt) => {
    const [open = '', lastEntry = '', close = ''] = hours.split(' ');
    const day = dayOf(anActivity({ openings: everyDay({ open, lastEntry, close }) }), CHRISTMAS_EVE);
    expect([day?.lastEntryMs, day?.closesAtMs]).toEqual([at(lastEntryAt), at(closesAt)]);
  });
});

describe('a season', () => {
  const offered = (seasons: Parameters<typeof anActivity>[0], on: string) => {
    const day = dayOf(anActivity(seasons), date(on));
    return [day?.unitPriceMinor, day?.capacity];
  };
  const ORDINARY = [99_000, 40];
  const HIGH = [129_000, 60];

  test.each([
    ['2026-03-31', ORDINARY],
    ['2026-04-01', HIGH],
    ['2026-04-30', HIGH],
    ['2026-05-01', ORDINARY],
  ])('has both its ends in it: %s', (on, expected) => {
    const seasons = [{ from: '04-01', to: '04-30', priceMinor: 129_000, capacity: 60 }];
    expect(offered({ seasons }, on)).toEqual(expected);
  });

  test.each([
    ['2026-12-19', ORDINARY],
    ['2026-12-20', HIGH],
    ['2026-12-31', HIGH],
    ['2027-01-01', HIGH],
    ['2027-01-05', HIGH],
    ['2027-01-06', ORDINARY],
    ['2027-07-01', ORDINARY],
  ])('may wrap over New Year: %s', (on, expected) => {
    const seasons = [{ from: '12-20', to: '01-05', priceMinor: 129_000, capacity: 60 }];
    expect(offered({ seasons }, on)).toEqual(expected);
  });

  test('of one day is that day', () => {
    const seasons = [{ from: '12-24', to: '12-24', priceMinor: 129_000, capacity: 60 }];
    expect(['2026-12-23', '2026-12-24', '2026-12-25'].map((on) => offered({ seasons }, on))).toEqual([
      ORDINARY,
      HIGH,
      ORDINARY,
    ]);
  });

  test('includes a leap day', () => {
    const seasons = [{ from: '02-01', to: '03-01', priceMinor: 129_000, capacity: 60 }];
    expect(offered({ seasons }, '2028-02-29')).toEqual(HIGH);
  });

  test('changes only the fields it names', () => {
    expect(offered({ seasons: [{ from: '12-01', to: '12-31', priceMinor: 129_000 }] }, '2026-12-24')).toEqual([
      129_000, 40,
    ]);
    expect(offered({ seasons: [{ from: '12-01', to: '12-31', capacity: 0 }] }, '2026-12-24')).toEqual([99_000, 0]);
  });

  test('listed first wins over a later one that also matches', () => {
    const seasons = [
      { from: '12-24', to: '12-26', priceMinor: 149_000 },
      { from: '12-01', to: '12-31', priceMinor: 129_000, capacity: 60 },
    ];
    expect(offered({ seasons }, '2026-12-24')).toEqual([149_000, 40]);
  });
});

describe('days that can still be entered', () => {
  const from = CHRISTMAS_EVE;
  const lastEntryMs = at('2026-12-24T10:00:00Z');
  const datesOf = (...args: Parameters<typeof openDays>) => [...openDays(...args)].map((day) => day.date);

  test('include today until just before its last entry', () => {
    const first = [lastEntryMs - 1, lastEntryMs].map((nowMs) => datesOf(anActivity(), from, nowMs, 2));
    expect(first).toEqual([[date('2026-12-24'), date('2026-12-25')], [date('2026-12-25')]]);
  });

  test('skip closed weekdays and closed dates', () => {
    const openings = { ...everyDay({ open: '09:00', lastEntry: '17:00', close: '18:00' }), sun: null };
    const activity = anActivity({ openings, closedDates: [date('2026-12-25')] });
    expect(datesOf(activity, from, lastEntryMs - 1, 5)).toEqual([
      date('2026-12-24'),
      date('2026-12-26'),
      date('2026-12-28'),
    ]);
  });

  test('are searched as many dates ahead as asked', () => {
    expect(datesOf(anActivity(), from, lastEntryMs - 1, 60)).toEqual(
      Array.from({ length: 60 }, (_, days) => addDays(from, days)),
    );
    expect(datesOf(anActivity({ openings: everyDay(null) }), from, lastEntryMs, 60)).toEqual([]);
  });
});

describe('operating hours', () => {
  test('are formatted for display', () => {
    expect(operatingHours(anActivity(), CHRISTMAS_EVE)).toBe('09:00-18:00');
    const late = anActivity({ openings: everyDay({ open: '18:00', lastEntry: '01:00', close: '02:00' }) });
    expect(operatingHours(late, CHRISTMAS_EVE)).toBe('18:00-02:00');
  });

  test('are `closed` on closed dates', () => {
    expect(operatingHours(anActivity({ closedDates: [CHRISTMAS_EVE] }), CHRISTMAS_EVE)).toBe('closed');
    expect(operatingHours(anActivity({ openings: everyDay(null) }), CHRISTMAS_EVE)).toBe('closed');
  });
});
