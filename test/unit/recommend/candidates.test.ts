import { describe, expect, test } from 'bun:test';
import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { initialTerms } from '../../../src/domain/allotment/terms.ts';
import { CityIndex, candidatesOf, DAYS_AHEAD, MAX_DATES } from '../../../src/recommend/candidates.ts';
import type { GroundTruths } from '../../../src/recommend/learnt.ts';
import { activityId, anActivity, aSchedule, date, everyDay } from '../../support/examples.ts';

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
    const { timetables } = city.columns;
    expect(city.candidates.map(({ activity: { id } }, index) => [id, openDays(timetables.of[index] ?? -1)])).toEqual([
      [activityId('a'), DAYS_AHEAD + 1],
      [activityId('b'), DAYS_AHEAD + 1],
      [activityId('c'), DAYS_AHEAD],
    ]);
    expect(city.pricesMinor).toEqual([500, 99_000, 99_000]);
    expect(timetables.examples.length).toBe(2);
  });

  test('keep a bounded number of dates', () => {
    const city = new CityIndex('Bangkok', [{ activity: anActivity(), revision: 0, listed: true }]);
    for (let ahead = 0; ahead < 300; ahead++) {
      const on = addDays(TODAY, ahead);
      candidatesOf(city, TODAY, { from: on, to: on });
    }
    expect(city.datesKept).toBe(MAX_DATES);
  });

  test('have the slots and prices of a date until one of its allotments changes', () => {
    const id = activityId('a');
    const entries = [{ activity: anActivity({ id, capacity: 9, priceMinor: 700 }), revision: 0, listed: true }];
    const city = new CityIndex('Bangkok', entries);
    const [on] = candidatesOf(city, TODAY).dates;
    if (on === undefined) throw new Error('no date');
    let [taken, changes] = [4, 1];
    const document = (): InventoryDocument => ({
      ...initialTerms(aSchedule({ capacity: 6, unitPriceMinor: 500, catalogueRevision: 0 })),
      activityId: id,
      city: 'Bangkok',
      date: TODAY,
      taken,
      held: 0,
      cancelledBecause: null,
      cancellationRuns: false,
      currency: 'THB',
      updatedAt: '2026-11-21T03:00:00.000Z',
    });
    const none = { get: () => undefined, inGroup: () => [], changesIn: () => 0 };
    const allotments = { ...none, inGroup: () => [document()], changesIn: () => changes };
    const slots = () => {
      const live = city.slotsOn(on, { allotments });
      const ofTests = city.testSlotsOn(on, TODAY, { allotments, testAllotments: none });
      return [live.free[0], live.pricesMinor[0], ofTests.free[0], ofTests.pricesMinor[0]];
    };
    expect(slots()).toEqual([2, 500, 6, 500]);
    taken = 5;
    expect(slots()).toEqual([2, 500, 6, 500]);
    changes++;
    expect(slots()).toEqual([1, 500, 6, 500]);
    const plain = city.slotsOn(on, { allotments: none });
    expect([plain.free[0], plain.pricesMinor[0]]).toEqual([9, 700]);
  });

  test('have the ground truth that is current, read again after each change', () => {
    const id = activityId('a');
    const city = new CityIndex('Bangkok', [{ activity: anActivity({ id }), revision: 0, listed: true }]);
    const sums = { visited: [1], expected: [1] };
    let [latestMs, changes, reads] = [1, 1, 0];
    const get = () => {
      reads++;
      return { activityId: id, latestMs, keys: {}, recent: sums, lasting: sums };
    };
    const counted = { get, changesIn: () => changes };
    const latest = (source: GroundTruths) => [city.groundTruthIn(source).documents[0]?.latestMs, reads];
    expect([latest(counted), latest(counted)]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    [latestMs, changes] = [2, 2];
    expect(latest(counted)).toEqual([2, 2]);
    const uncounted = { get };
    expect([latest(uncounted), latest(uncounted)]).toEqual([
      [2, 3],
      [2, 4],
    ]);
  });
});
