/** ` (did you mean "…"?)` with the known name nearest to a misspelt one; empty if none is near. */
export function didYouMean(name: string, known: readonly string[], prefix = ''): string {
  const [nearest] = nearestNames(name, known);
  return nearest === undefined ? '' : ` (did you mean "${prefix}${nearest}"?)`;
}

/**
 * The known names at most some typing errors away, nearest first.
 *
 * @param limit by default two errors, one for names of up to four characters
 */
export function nearestNames(
  name: string,
  known: readonly string[],
  limit = name.length > 4 ? 2 : 1,
): readonly string[] {
  return known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= limit)
    .map((candidate) => ({ candidate, distance: typingErrors(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate);
}

/** Typing errors between two texts: characters inserted, left out, replaced, or swapped with the next one. */
export function typingErrors(a: string, b: string): number {
  let [before, last]: [readonly number[], readonly number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? Infinity) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
