/**
 * Attempts in flight are counted in three bulkheads, so that slow receivers cannot use up the capacity of the others:
 * the `first` attempt of a queue, its `further` ones, and those of queues whose last response was `slow`.
 */
export type Bulkhead = 'first' | 'further' | 'slow';
export type Counts = Readonly<Record<Bulkhead, number>>;

export const BULKHEADS = ['first', 'further', 'slow'] as const satisfies readonly Bulkhead[];
export const EMPTY: Counts = { first: 0, further: 0, slow: 0 };

/**
 * Maximum number of attempts in flight on a node: each costs a socket, a timer and about 10 KB. A thousand receivers
 * can hang at the same time and the others still get one attempt at a time each.
 */
export const CAPACITY: Counts = { first: 1_024, further: 512, slow: 512 };

/** Adds to the counts of bulkheads; a null bulkhead changes nothing. */
export function addToCounts<Counting extends { readonly inFlight: Counts }>(
  counting: Counting,
  changes: readonly { readonly bulkhead: Bulkhead | null; readonly by: 1 | -1 }[],
): Counting {
  let { inFlight } = counting;
  for (const { bulkhead, by } of changes)
    if (bulkhead !== null) inFlight = { ...inFlight, [bulkhead]: inFlight[bulkhead] + by };
  return inFlight === counting.inFlight ? counting : { ...counting, inFlight };
}
