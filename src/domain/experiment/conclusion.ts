import type { Ending } from './experiment.ts';
import type { Estimate } from './intervals.ts';

/** What an experiment shows. Nothing before its stop rule is met: who looks often would find a difference by chance. */
export type Conclusion =
  | { readonly kind: 'running' | 'ended early' | 'no answers' | 'no difference' }
  /** The arm, by its place, whose answers led to more visits. */
  | { readonly kind: 'more visits'; readonly arm: 0 | 1 };

/** @param difference of the second arm less the first; null if an arm has no answers */
export function concluded(ending: Ending | null, difference: Estimate | null): Conclusion {
  if (ending === null) return { kind: 'running' };
  if (ending.why === 'operator') return { kind: 'ended early' };
  if (difference === null) return { kind: 'no answers' };
  if (difference.low > 0) return { kind: 'more visits', arm: 1 };
  return difference.high < 0 ? { kind: 'more visits', arm: 0 } : { kind: 'no difference' };
}
