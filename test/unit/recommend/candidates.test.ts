import { describe, expect, test } from 'bun:test';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { CityIndex, candidatesOf, DAYS_AHEAD, MAX_DATES } from '../../../src/recommend/candidates.ts';
import { activityId, anActivity, date, everyDay } from '../../support/examples.ts';

const TODAY = date('2026-11-21');

describe('candidates', () => {
  test("are the city's listed activities, sorted by id, with their open days", () => {
    const closed = { ...everyDay({ open: '09:00', lastEntry: '17:00', close: '18:00' }), sun: null };
    const entries = [
      { activity: anActivity({ id: activityId('c'), openings: closed }), revision: 0, listed: true },
      { activity: anActivity({ id: activityId('b'), confirmation: 'on_request' }), revision: 0, listed: true },
      { activity: anActivity({ id: activityId('d'), city: 'Phuket' }), revision: 0, listed: true },
      { activity: anActivity({ id: activityId('e') }), revision: 0, listed: false },
      { activity: anActivity({ id: activityId('a'), priceMinor: 500 }), revision: 0, listed: true },
    ];
    const city = new CityIndex('Bangkok', entries);
    const { dates } = candidatesOf(city, TODAY);
    const openDays = (timetable: number) => dates.filter(({ hours }) => hours[timetable] !== null).length;
    expect(city.candidates.map(({ activity: { id }, timetable }) => [id, openDays(timetable)] as const)).toEqual([
      [activityId('a'), DAYS_AHEAD + 1],
      [activityId('b'), DAYS_AHEAD + 1],
      [activityId('c'), DAYS_AHEAD],
    ]);
    expect(city.pricesMinor).toEqual([500, 99_000, 99_000]);
    expect(city.timetables).toBe(2);
  });

  test('keep a bounded number of dates', () => {
    const city = new CityIndex('Bangkok', [{ activity: anActivity(), revision: 0, listed: true }]);
    for (let ahead = 0; ahead < 300; ahead++) {
      const on = addDays(TODAY, ahead);
      candidatesOf(city, TODAY, { from: on, to: on });
    }
    expect(city.datesKept).toBe(MAX_DATES);
  });
});
