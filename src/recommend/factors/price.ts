import { countBelow } from '../../collections/count-below.ts';
import type { Budget } from '../../domain/recommendation/profile.ts';

/** A discount of this share of the price adds 1 to the factor. */
const FULL_SCORE_DISCOUNT = 0.5;

/**
 * The rank of a price among the city's prices, in [0,1]: the share of lower prices plus half the share of equal ones. A
 * rank and not a ratio, so that one very expensive activity does not make all others cheap.
 *
 * @param sorted all prices of the city in its currency, ascending; contains the price
 */
export function priceLevel(priceMinor: number, sorted: readonly number[]): number {
  if (sorted.length === 0) return 0.5;
  const below = countBelow(sorted, priceMinor);
  const equal = countBelow(sorted, priceMinor + 1) - below;
  return (below + equal / 2) / sorted.length;
}

/**
 * How well a price fits, in [0,1]: a value for budget and price level, plus twice the discount, capped at 1. Budget
 * `budget`: 1 − level. `mid`: 1 − 1.5 · |level − 0.5|. `luxury`: 0.5 + level / 2. No budget: 0.75 − level / 2. The level
 * is that of the full price, so a discount raises the factor for every budget.
 *
 * @param discount share of the full price, 0 to 1
 */
export function priceFactor(budget: Budget | null, level: number, discount: number): number {
  return Math.min(1, worth(budget, level) + discount / FULL_SCORE_DISCOUNT);
}

function worth(budget: Budget | null, level: number): number {
  if (budget === 'budget') return 1 - level;
  if (budget === 'mid') return 1 - 1.5 * Math.abs(level - 0.5);
  return budget === 'luxury' ? 0.5 + level / 2 : 0.75 - level / 2;
}
