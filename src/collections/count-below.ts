/** How many of the ascending numbers are below `limit`. Binary search. */
export function countBelow(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
