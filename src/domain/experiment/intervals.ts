/** An estimate with the bounds of its 95 % interval. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number };

/** How many of a number of answers had what is counted. */
export type Share = { readonly hits: number; readonly of: number };

/** The 97.5 % quantile of the normal distribution, for intervals of 95 %. */
export const Z = 1.959964;

/** The share with Wilson's score interval; null without answers. */
export function wilson({ hits, of }: Share): Estimate | null {
  if (of === 0) return null;
  const value = hits / of;
  const scale = 1 + Z ** 2 / of;
  const middle = (value + Z ** 2 / (2 * of)) / scale;
  const half = (Z / scale) * Math.sqrt((value * (1 - value)) / of + Z ** 2 / (4 * of ** 2));
  // Rounding of the arithmetic must not carry a bound past its estimate.
  return { value, low: Math.min(value, Math.max(0, middle - half)), high: Math.max(value, Math.min(1, middle + half)) };
}

/** The second share less the first, with Newcombe's hybrid score interval (1998, method 10); null if one has no answers. */
export function difference(first: Share, second: Share): Estimate | null {
  const [one, two] = [wilson(first), wilson(second)];
  if (one === null || two === null) return null;
  const value = two.value - one.value;
  return {
    value,
    low: value - Math.hypot(two.value - two.low, one.high - one.value),
    high: value + Math.hypot(two.high - two.value, one.value - one.low),
  };
}
