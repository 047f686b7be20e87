import { describe, expect, test } from 'bun:test';
import { largestFirst, numberIn, percent, sumsBy, textIn } from '../../../src/pages/dashboard/reports/figures.ts';

const ROWS = [
  { travel_type: 'couple', activity_id: 'river-walk', title: 'River Walk', visits: 2, guests: 4 },
  { travel_type: null, activity_id: 'river-walk', title: 'River Walk', visits: 1, guests: 1 },
  { travel_type: 'couple', activity_id: 'night-market', visits: 4, guests: 8 },
];

describe('the figures of a report', () => {
  test('are added up by a column, the largest first', () => {
    expect(sumsBy(ROWS, 'activity_id', ['visits', 'guests'])).toEqual([
      { activity_id: 'night-market', title: null, visits: 4, guests: 8 },
      { activity_id: 'river-walk', title: 'River Walk', visits: 3, guests: 5 },
    ]);
    expect(sumsBy(ROWS, 'travel_type', ['guests']).map((row) => textIn(row, 'travel_type'))).toEqual([
      'couple',
      'unknown',
    ]);
    expect(largestFirst(ROWS, 'visits').map((row) => numberIn(row, 'visits'))).toEqual([4, 2, 1]);
  });

  test('are a part of a whole in percent, or a dash without a whole', () => {
    expect([percent(1, 3), percent(0, 5), percent(5, 5), percent(1, 0)]).toEqual(['33.3%', '0.0%', '100.0%', '–']);
  });
});
