import { seededIds } from '../../support/ids.ts';

/** Pseudorandom choices from a seed. */
export type Random = {
  /** A whole number; the range includes both ends. */
  whole(from: number, to: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** True with this probability in percent. */
  percent(share: number): boolean;
};

export function seededRandom(seed: number): Random {
  const ids = seededIds(seed);
  const whole = (from: number, to: number): number =>
    from + (Buffer.from(ids.secret(4)).readUInt32LE() % (to - from + 1));
  return {
    whole,
    pick: (list) => list[whole(0, list.length - 1)] ?? list[0],
    percent: (share) => whole(1, 100) <= share,
  };
}
