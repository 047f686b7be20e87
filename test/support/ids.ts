import type { Ids } from '../../src/ports/ids.ts';

/** Unique identifiers, the same in every run with the same seed. */
export function seededIds(seed = 1): Ids {
  const random = seededBytes(seed);
  let made = 0;
  return {
    uuid() {
      const hex = [...random(10)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      const count = (++made).toString(16).padStart(8, '0');
      return `${count}-${hex.slice(0, 4)}-4${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(8, 20)}`;
    },
    secret: random,
  };
}

/** Pseudorandom bytes from a seed (mulberry32). */
function seededBytes(seed: number): (count: number) => Uint8Array {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) & 0xff;
  };
  return (count) => Uint8Array.from({ length: count }, next);
}
