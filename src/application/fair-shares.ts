/** Who has what, as it was just looked up. */
export type Holdings = {
  /** The nodes that share the work, each by its name, in an order that all of them see. */
  readonly nodes: readonly string[];
  /** Who has each part; null where nobody has. */
  readonly parts: readonly (string | null)[];
};

/**
 * The parts that a node is to have, or to ask for: as many as its place among the nodes allows, so that shares differ by one
 * at most and together are the whole. It keeps what it has, gives away what is beyond its share, and asks for what nobody
 * has. Parts in `givingAway` are no longer its own, though their leases still are.
 */
export function fairShare(
  { nodes, parts }: Holdings,
  me: string,
  givingAway: ReadonlySet<number>,
): ReadonlySet<number> {
  const rank = nodes.indexOf(me);
  const quota = rank < 0 ? 0 : Math.floor(parts.length / nodes.length) + (rank < parts.length % nodes.length ? 1 : 0);
  const of = (holder: string | null): number[] =>
    // Each node begins at other ones, so that nodes which come together ask for different ones.
    [...parts.keys()]
      .filter((part) => parts[part] === holder && !givingAway.has(part))
      .sort((left, right) => Number(left % nodes.length !== rank) - Number(right % nodes.length !== rank));
  return new Set([...of(me), ...of(null)].slice(0, quota));
}
