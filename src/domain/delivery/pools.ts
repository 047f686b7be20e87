/**
 * Attempts that are under way are counted in three pools, so that receivers who hold theirs for long cannot take what the
 * others need: the `first` of a lane, its `further` ones, and those of lanes that were `slow` the last time.
 */
export type Pool = 'first' | 'further' | 'slow';
export type Counts = Readonly<Record<Pool, number>>;

export const POOLS = ['first', 'further', 'slow'] as const satisfies readonly Pool[];
export const NONE: Counts = { first: 0, further: 0, slow: 0 };

/**
 * How many attempts a node has under way at most: a socket, a timer and some ten kilobytes each. A thousand receivers may
 * fall silent in the same moment without keeping the others from their one attempt at a time.
 */
export const MOST: Counts = { first: 1_024, further: 512, slow: 512 };

/** With so many more or less in a pool; null is none. */
export function counted<Counting extends { readonly underWay: Counts }>(
  counting: Counting,
  changes: readonly { readonly pool: Pool | null; readonly by: 1 | -1 }[],
): Counting {
  let { underWay } = counting;
  for (const { pool, by } of changes) if (pool !== null) underWay = { ...underWay, [pool]: underWay[pool] + by };
  return underWay === counting.underWay ? counting : { ...counting, underWay };
}
