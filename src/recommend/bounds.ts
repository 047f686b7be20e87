import { MAX_SCORE_CENTI } from '../domain/recommendation/score.ts';

const NONE = -1;

/** Kept between rankings, which never overlap: as new arrays they were most of a ranking's garbage. */
let bounds = new Int16Array();
let order = new Uint32Array();
const begins = new Uint32Array(MAX_SCORE_CENTI + 1);

/** Scores that candidates do not exceed, by index, in hundredths. Use one at a time, and only within one turn. */
export class Bounds {
  readonly #candidates: number;
  #size = 0;
  #highest = 0;
  #lowest = MAX_SCORE_CENTI;

  constructor(candidates: number) {
    if (bounds.length < candidates) {
      bounds = new Int16Array(candidates);
      order = new Uint32Array(candidates);
    }
    bounds.fill(NONE, 0, candidates);
    this.#candidates = candidates;
  }

  /** Number of candidates with a bound. */
  get size(): number {
    return this.#size;
  }

  /** At most once per candidate. */
  put(index: number, bound: number): void {
    bounds[index] = bound;
    this.#size++;
    if (bound > this.#highest) this.#highest = bound;
    if (bound < this.#lowest) this.#lowest = bound;
  }

  of(index: number): number {
    return bounds[index] as number;
  }

  /** The candidates with a bound, the highest bound first; equal ones in the order of their indexes. A counting sort. */
  highestFirst(): Uint32Array {
    begins.fill(0, this.#lowest, this.#highest + 1);
    for (let index = 0; index < this.#candidates; index++) {
      const bound = bounds[index] as number;
      if (bound !== NONE) begins[bound] = (begins[bound] as number) + 1;
    }
    let begin = 0;
    for (let bound = this.#highest; bound >= this.#lowest; bound--) {
      const count = begins[bound] as number;
      begins[bound] = begin;
      begin += count;
    }
    for (let index = 0; index < this.#candidates; index++) {
      const bound = bounds[index] as number;
      if (bound === NONE) continue;
      const place = begins[bound] as number;
      order[place] = index;
      begins[bound] = place + 1;
    }
    return order.subarray(0, this.#size);
  }
}
