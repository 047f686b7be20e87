import { describe, expect, test } from 'bun:test';
import type { CityName } from '../../../src/domain/activity/cities.ts';
import { datesNamed, todayIn, todayText, understandDate } from '../../../src/domain/activity/understand-date.ts';

/** Monday 23 November 2026, 10:00 in Bangkok. */
const NOW = Date.parse('2026-11-23T03:00:00Z');
const inBangkok = (text: string): string | null => understandDate(text, 'Bangkok', NOW);

describe('a date is understood', () => {
  test.each([
    ['2026-12-24', '2026-12-24'],
    [' 2026-12-24 ', '2026-12-24'],
    ['２０２６-１２-２４', '2026-12-24'],
    ['2026/12/24', '2026-12-24'],
    ['2026.12.24', '2026-12-24'],
    ['2026-1-5', '2026-01-05'],
    ['20261224', '2026-12-24'],
    ['2026年12月24日', '2026-12-24'],
    ['2026년 12월 24일', '2026-12-24'],
    ['31/12/2026', '2026-12-31'],
    ['31.12.2026', '2026-12-31'],
    ['31-12-2026', '2026-12-31'],
    ['12/31/2026', '2026-12-31'],
    ['5/5/2027', '2027-05-05'],
    ['24 December 2026', '2026-12-24'],
    ['24 Dec 2026', '2026-12-24'],
    ['1st Sept. 2027', '2027-09-01'],
    ['December 24, 2026', '2026-12-24'],
    ['dec 24th 2026', '2026-12-24'],
  ])('%p is %s', (text, date) => {
    expect(inBangkok(text)).toBe(date);
  });

  test.each([
    ['2026-12-24T19:00:00+07:00', '2026-12-24'],
    ['2026-12-24T19:00:00+0700', '2026-12-24'],
    ['2026-12-24T19:00:00.123Z', '2026-12-25'],
    ['2026-12-24T16:59:59Z', '2026-12-24'],
    ['2026-12-24t17:00z', '2026-12-25'],
    ['2026-12-24 19:00', '2026-12-24'],
    ['2026-12-24T23:59', '2026-12-24'],
    ['2026-12-24T23:30:00-05:00', '2026-12-25'],
  ])('%p is %s in Bangkok', (text, date) => {
    expect(inBangkok(text)).toBe(date);
  });

  const TODAY = ['today', 'TODAY', 'tonight', 'วันนี้', 'hôm nay', 'hom nay', 'hari ini', '今天', '今日', '오늘'];
  test.each(TODAY)('%p is today', (text) => {
    expect(inBangkok(text)).toBe('2026-11-23');
  });

  const TOMORROW = ['tomorrow', ' Tomorrow ', 'พรุ่งนี้', 'ngày mai', 'besok', 'esok', '明天', '明日', '내일'];
  test.each(TOMORROW)('%p is tomorrow', (text) => {
    expect(inBangkok(text)).toBe('2026-11-24');
  });

  const FRIDAY = ['Friday', 'fri', 'วันศุกร์', 'thứ sáu', 'Jumat', 'Jumaat', '星期五', '週五', '周五', '金曜日', '금요일'];
  test.each(FRIDAY)('%p is the next Friday', (text) => {
    expect(inBangkok(text)).toBe('2026-11-27');
  });

  test.each([
    ['Monday', '2026-11-23'],
    ['Tuesday', '2026-11-24'],
    ['Wednesday', '2026-11-25'],
    ['Thursday', '2026-11-26'],
    ['Friday', '2026-11-27'],
    ['Saturday', '2026-11-28'],
    ['Sunday', '2026-11-29'],
  ])('a weekday is the next such day, today included: %s on a Monday is %s', (text, date) => {
    expect(inBangkok(text)).toBe(date);
  });
});

describe('no date is understood', () => {
  test.each([
    [''],
    ['soon'],
    ['yesterday'],
    ['next friday'],
    ['next week'],
    ['2026-02-30'],
    ['2026-13-01'],
    ['2026-11'],
    ['2026-02-30T10:00:00Z'],
    ['2026-12-24T25:00:00Z'],
    ['2026-12-24T19:00+25:00'],
    ['03/04/2026'],
    ['31/12/26'],
    ['32/01/2027'],
    ['31 Smarch 2026'],
    ['24 December'],
    ['mo'],
    ['constructor'],
    ['9999-12-31T23:00:00-05:00'],
  ])('in %p', (text) => {
    expect(inBangkok(text)).toBeNull();
  });
});

test.each([
  ['Bangkok', '2026-11-23T16:59:59.999Z', '2026-11-23'],
  ['Bangkok', '2026-11-23T17:00:00.000Z', '2026-11-24'],
  ['Bali', '2026-11-23T15:59:59.999Z', '2026-11-23'],
  ['Bali', '2026-11-23T16:00:00.000Z', '2026-11-24'],
  [null, '2026-11-23T23:59:59.999Z', '2026-11-23'],
  [null, '2026-11-24T00:00:00.000Z', '2026-11-24'],
] satisfies [CityName | null, string, string][])('today in %p at %s is %s', (city, now, today) => {
  expect<string>(todayIn(city, Date.parse(now))).toBe(today);
  expect<string | null>(understandDate('today', city, Date.parse(now))).toBe(today);
});

test('a text with two readings names both dates', () => {
  expect<readonly string[]>(datesNamed('03/04/2026', 'Bangkok', NOW)).toEqual(['2026-04-03', '2026-03-04']);
});

test('the text for a refused date says today and tomorrow there', () => {
  expect(todayText('Bangkok', NOW)).toBe('today in Bangkok is 2026-11-23, tomorrow 2026-11-24');
  expect(todayText(null, NOW)).toBe('today in UTC is 2026-11-23, tomorrow 2026-11-24');
});
