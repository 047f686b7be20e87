/** The leases of partitioned work, as the node has just read them. */
export type Membership = {
  /** The nodes that share the work, in an order that all of them see. */
  readonly members: readonly string[];
  /** The holder of each partition; null if there is none. */
  readonly holders: readonly (string | null)[];
};

/**
 * The partitions that a node should hold. Each has one node, and the counts of two nodes differ by at most one. A node keeps what it holds, releases what exceeds its quota, and takes what nobody holds. Partitions in
 * `releasing` do not count as held, though their leases still are.
 */
export function assignPartitions(
  { members, holders }: Membership,
  me: string,
  releasing: ReadonlySet<number>,
): ReadonlySet<number> {
  const rank = members.indexOf(me);
  const [count, nodes] = [holders.length, members.length];
  const quota = rank < 0 ? 0 : Math.floor(count / nodes) + (rank < count % nodes ? 1 : 0);
  const heldBy = (holder: string | null): number[] =>
    // Each node prefers different partitions, so that nodes that join together do not try to take the same ones.
    [...holders.keys()]
      .filter((partition) => holders[partition] === holder && !releasing.has(partition))
      .sort((left, right) => Number(left % nodes !== rank) - Number(right % nodes !== rank));
  return new Set([...heldBy(me), ...heldBy(null)].slice(0, quota));
}
