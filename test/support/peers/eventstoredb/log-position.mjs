/**
 * A place in `$all`. Events have the same commit and prepare position; places between two records have prepare 0.
 *
 * @typedef {{ readonly commit: number, readonly prepare: number }} LogPosition
 * @typedef {{ readonly commit: number | bigint, readonly prepare: number | bigint }} Comparable
 */

/** Before every record. On the wire both parts are 2^64-1, which clients that resume from it mean as the end. */
export const BEFORE_LOG = { commit: -1, prepare: -1 };

/** @param {{ position: number }} event */
export function positionOf({ position }) {
  return { commit: position, prepare: position };
}

/**
 * @param {Comparable} one
 * @param {Comparable} other
 */
export function isAfter(one, other) {
  return one.commit > other.commit || (one.commit === other.commit && one.prepare > other.prepare);
}

/** As unsigned 64-bit integers, which is how messages carry a position. @param {LogPosition} position */
export function unsigned({ commit, prepare }) {
  return { commit: BigInt.asUintN(64, BigInt(commit)), prepare: BigInt.asUintN(64, BigInt(prepare)) };
}
