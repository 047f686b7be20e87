import { typingErrors } from '../domain/nearest-name.ts';

type Route = { readonly method: string; readonly path: string };

/** Longer paths and segments are cut: the search takes time for each pair of segments. */
const MAX_SEGMENTS = 8;
const MAX_SEGMENT_CHARACTERS = 40;
/** The cost of a segment that only one of two paths has, such as `v1`. A pair of different segments costs up to 1. */
const LONE_SEGMENT = 0.3;
/** A parameter takes any segment, but the same word is nearer. */
const PARAMETER = 0.1;
/** The cost of a word of at least four letters with which the other begins: `cancel` and `cancellation`. */
const SAME_BEGINNING = 0.2;
const BEGINNING_CHARACTERS = 4;
/** The highest cost of a pair of segments that counts as one word, misspelt: `booking` for `bookings`. */
const SAME_WORD = 0.5;

/**
 * Finds the route that an unknown path most likely means.
 *
 * @returns a search that returns `POST /api/b2a/recommend`, with the given method if the path has it; null if no route's
 * last word is in the path
 */
export function nearestPath(routes: readonly Route[]): (method: string, path: string) => string | null {
  const known = [...Map.groupBy(routes, ({ path }) => path)].map(([path, of]) => {
    const segments = segmentsOf(path);
    return {
      shown: path.replace(/:(\w+)/g, '{$1}'),
      segments,
      word: segments.findLast((segment) => !isParameter(segment)),
      methods: of.map(({ method }) => method),
    };
  });
  return (method, path) => {
    const given = segmentsOf(path)
      .slice(0, MAX_SEGMENTS)
      .map((segment) => segment.slice(0, MAX_SEGMENT_CHARACTERS));
    const costs = new Map<string, number>();
    const pairCost = (segment: string, of: string): number => {
      if (isParameter(of)) return PARAMETER;
      const pair = `${segment}/${of}`;
      const cost = costs.get(pair) ?? wordCost(segment.toLowerCase(), of);
      costs.set(pair, cost);
      return cost;
    };
    const [nearest] = known
      .filter(({ word }) => word !== undefined && given.some((segment) => pairCost(segment, word) <= SAME_WORD))
      .map((each) => ({ ...each, cost: costBetween(given, each.segments, pairCost) }))
      .toSorted((a, b) => a.cost - b.cost || Number(b.methods.includes(method)) - Number(a.methods.includes(method)));
    if (nearest === undefined) return null;
    const { methods, shown } = nearest;
    return `${methods.includes(method) ? method : methods.join(' or ')} ${shown}`;
  };
}

/** From 0 for the same word to 1. */
function wordCost(given: string, known: string): number {
  const [shorter, longer] = given.length < known.length ? [given, known] : [known, given];
  const errors = typingErrors(given, known) / longer.length;
  return shorter.length >= BEGINNING_CHARACTERS && longer.startsWith(shorter)
    ? Math.min(errors, SAME_BEGINNING)
    : errors;
}

/** The lowest total cost of pairing the segments of two paths in their order. */
function costBetween(
  given: readonly string[],
  known: readonly string[],
  pairCost: (given: string, known: string) => number,
): number {
  let last: readonly number[] = [0, ...known.map((_, index) => (index + 1) * LONE_SEGMENT)];
  for (const segment of given) {
    const row = [(last[0] ?? 0) + LONE_SEGMENT];
    for (const [index, of] of known.entries()) {
      const paired = (last[index] ?? 0) + pairCost(segment, of);
      row.push(Math.min(paired, (last[index + 1] ?? 0) + LONE_SEGMENT, (row[index] ?? 0) + LONE_SEGMENT));
    }
    last = row;
  }
  return last.at(-1) ?? 0;
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':');
}
