import type { Ids } from '../../ports/ids.ts';

type State = readonly [number, number, number, number];

/** A sequence that a seed determines (sfc32, by Chris Doty-Humphrey). Not for secrets of a real installation. */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  private constructor([a, b, c, counter]: State) {
    [this.#a, this.#b, this.#c, this.#counter] = [a, b, c, counter];
  }

  static of(seed: string): SeededRandom {
    const words = new Int32Array(Bun.CryptoHasher.hash('sha256', seed).buffer);
    return new SeededRandom([words[0] ?? 0, words[1] ?? 0, words[2] ?? 0, words[3] ?? 0]);
  }

  /** Another sequence, which this one determines: its use does not depend on what else runs at the same time. */
  fork(): SeededRandom {
    return new SeededRandom([this.uint32(), this.uint32(), this.uint32(), this.uint32()]);
  }

  uint32(): number {
    const next = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + next) | 0;
    return next >>> 0;
  }

  /** In [0, 1). */
  fraction(): number {
    return this.uint32() / 2 ** 32;
  }

  /** An integer in [0, below). */
  below(below: number): number {
    return Math.floor(this.fraction() * below);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** @throws if the list is empty */
  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('an empty list has nothing to pick');
    return picked;
  }

  /** Exponentially distributed with this mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.fraction());
  }
}

export function seededIds(random: SeededRandom): Ids {
  return {
    uuid() {
      const [a, b, c, d] = [random.uint32(), random.uint32(), random.uint32(), random.uint32()];
      // Version 4, variant 10.
      const [version, variant] = [(b & 0xffff0fff) | 0x4000, (c & 0x3fffffff) | 0x80000000];
      const [low, high] = [hex(version), hex(variant)];
      return `${hex(a)}-${low.slice(0, 4)}-${low.slice(4)}-${high.slice(0, 4)}-${high.slice(4)}${hex(d)}`;
    },
    secret: (bytes) => Uint8Array.from({ length: bytes }, () => random.uint32() & 0xff),
  };
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
