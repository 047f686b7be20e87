import { toColumns } from '../../src/domain/recommendation/ranked.ts';
import type { ServedFacts } from '../../src/domain/recommendation/recommendation.ts';
import { activityId, date, served } from './examples.ts';

/** An answer of recommend that showed these activities, in this order, with one more candidate. */
export function answerWith(shown: readonly string[], change: Partial<ServedFacts> = {}): ServedFacts {
  const ids = [...shown, 'one-more'].map(activityId);
  const today = date('2026-11-21');
  const factors = { profile: 500, groundTruth: 500, weather: 500, time: 500, price: 500 };
  const ranked = ids.map((id) => ({ activityId: id, date: today, factors }));
  return served({ ranked: toColumns(today, ranked), shown: shown.length, ...change });
}
