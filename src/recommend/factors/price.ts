import type { Budget } from '../../domain/recommendation/profile.ts';

/** A discount of so much of the price counts as a whole point. */
const WHOLE_POINT_DISCOUNT = 0.5;

/**
 * Where a price stands among those of a city, in [0,1]: the share of them that is lower, and half of those that are equal.
 * A rank, not a ratio: one very dear activity does not make all others look cheap.
 *
 * @param sorted the prices of all activities of the city in its currency, ascending; the price is among them
 */
export function priceLevel(priceMinor: number, sorted: readonly number[]): number {
  if (sorted.length === 0) return 0.5;
  const below = countBelow(sorted, priceMinor);
  const equal = countBelow(sorted, priceMinor + 1) - below;
  return (below + equal / 2) / sorted.length;
}

/** How many of the sorted whole numbers are lower than a limit. By halves: this is asked for every date of every activity. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? limit) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * How well a price fits, in [0,1]: what its level is worth to the budget, and twice the discount on top, up to 1. A small
 * budget wants it low (1 − level); a middle one in the middle (1 − 1.5 · |level − 0.5|); to a large one it says that it is
 * something special (0.5 + level / 2); where no budget is told, lower is a little better (0.75 − level / 2). The level is that of
 * the full price, so that a discount is good news for everybody, also for who looks for something dear.
 *
 * @param discount the share of the full price that is taken off, 0 to 1
 */
export function priceFactor(budget: Budget | null, level: number, discount: number): number {
  return Math.min(1, worth(budget, level) + discount / WHOLE_POINT_DISCOUNT);
}

function worth(budget: Budget | null, level: number): number {
  if (budget === 'budget') return 1 - level;
  if (budget === 'mid') return 1 - 1.5 * Math.abs(level - 0.5);
  return budget === 'luxury' ? 0.5 + level / 2 : 0.75 - level / 2;
}
