import { describe, expect, test } from 'bun:test';
import type { TravelProfile } from '../../../src/domain/recommendation/profile.ts';
import type { ScoredActivity } from '../../../src/recommend/rank.ts';
import { reasonFor } from '../../../src/recommend/reasons/reason.ts';
import { scoredActivity, TODAY } from './scored-activity.ts';

const A_COUPLE: TravelProfile = {
  travelType: 'couple',
  nationality: null,
  interests: [],
  budget: null,
  ageGroup: null,
};

function english(change: Partial<ScoredActivity>): string {
  return reasonFor(scoredActivity(change), { profile: A_COUPLE, hotel: null, today: TODAY }, 'en');
}

function factorsWith(groundTruth: number): ScoredActivity['factors'] {
  return { ...scoredActivity().factors, groundTruth };
}

describe('the sentence on visits', () => {
  test('says how many times as often as usual travellers of the same type visit it', () => {
    const evidence = { visited: 31, expected: 12, sameType: true };
    expect(english({ evidence, factors: factorsWith(860) })).toBe(
      'It is well suited to couples. Travellers like you visit it about 2.5 times as often as usual here. You can still go today.',
    );
  });

  test('says the same of all travellers, after what decided more', () => {
    const evidence = { visited: 22, expected: 10, sameType: false };
    expect(english({ evidence, factors: factorsWith(790) })).toBe(
      'It is well suited to couples. You can still go today. It is visited about twice as often as usual here.',
    );
  });

  test.each([
    ['fewer than three visits', { visited: 2, expected: 0, sameType: false }],
    ['less than one and a half times as many as usual', { visited: 20, expected: 13, sameType: false }],
  ])('counts the visits if there are %s', (_, evidence) => {
    const factors = factorsWith(800);
    const reason = english({ factors, evidence });
    expect(reason).toContain(`${evidence.visited} visits have been confirmed at the venue.`);
  });

  test('never says more than ten times as often as usual', () => {
    const evidence = { visited: 900, expected: 1, sameType: false };
    const reason = english({ factors: factorsWith(990), evidence });
    expect(reason).toContain('about 10 times as often as usual');
  });

  test('ignores the ground truth with which exploration lifted the activity', () => {
    const factors = factorsWith(1_000);
    const evidence = { visited: 30, expected: 40, sameType: false };
    const lifted = { factors, learntGroundTruth: 360, evidence };
    expect(english(lifted)).toBe('It is well suited to couples. You can still go today.');
  });
});
