import type { ServedFacts } from '../../src/domain/recommendation/recommendation.ts';
import { activityId, date, served } from './examples.ts';

/** An answer of recommend that showed these activities, in this order, and knew of one more. */
export function answerWith(shown: readonly string[], change: Partial<ServedFacts> = {}): ServedFacts {
  const ids = [...shown, 'one-more'].map(activityId);
  const ranked = ids.map((id) => [id, date('2026-11-21'), 5_000, [500, 500, 500, 500, 500]] as const);
  return served({ ranked, shown: shown.length, ...change });
}
