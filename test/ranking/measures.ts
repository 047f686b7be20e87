import type { Ranked } from './ranker.ts';
import type { World } from './world.ts';

export type Outcome = {
  /** Of the produced order, over the last tenth of the travellers. */
  readonly ndcg: number;
  /** Expected visits of an answer, over the second half of the travellers, those of exploring answers included. */
  readonly visitsPerAnswer: number;
  /** NDCG at the end of a quarter of the travellers after half time, as a share of that just before half time. */
  readonly recovered: number;
  /** For each activity that came late: the number of answers until it was first shown. */
  readonly answersUntilShown: readonly number[];
};

const DEPTH = 10;
/** NDCG is averaged over so many parts of the travellers. */
const PARTS = 40;

export class Measures {
  readonly #world: World;
  readonly #ndcg = Array.from({ length: PARTS }, () => 0);
  readonly #firstShown = new Map<number, number>();
  #visits = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** @param ranked the order without exploration */
  add(asked: number, ranked: readonly Ranked[], shown: readonly Ranked[]): void {
    const { travellers, rate: usual, attention } = this.#world;
    const part = Math.floor((asked / travellers) * PARTS);
    this.#ndcg[part] = (this.#ndcg[part] ?? 0) + (ndcgOf(ranked.map(({ rate }) => rate)) * PARTS) / travellers;
    const sinceHalfTime = asked - travellers / 2;
    if (sinceHalfTime < 0) return;
    shown.forEach(({ index, rate }, at) => {
      this.#visits += usual * rate * (at + 1) ** -attention;
      if (index % 5 === 2 && !this.#firstShown.has(index)) this.#firstShown.set(index, sinceHalfTime + 1);
    });
  }

  outcome(): Outcome {
    const { activities, travellers } = this.#world;
    const half = PARTS / 2;
    const before = meanOf(this.#ndcg.slice(half - PARTS / 10, half));
    const after = meanOf(this.#ndcg.slice(half + PARTS / 4 - 4, half + PARTS / 4));
    const late = Array.from({ length: activities }, (_, index) => index).filter((index) => index % 5 === 2);
    return {
      ndcg: meanOf(this.#ndcg.slice(-PARTS / 10)),
      visitsPerAnswer: (2 * this.#visits) / travellers,
      recovered: after / before,
      answersUntilShown: late.map((index) => this.#firstShown.get(index) ?? Number.POSITIVE_INFINITY),
    };
  }
}

/**
 * Gain of an order's first ten by the hidden rates, in proportion to that of the best order.
 *
 * @param rates of all activities, those of the order first
 */
export function ndcgOf(rates: readonly number[]): number {
  return gainOf(rates) / gainOf(rates.toSorted((left, right) => right - left));
}

function gainOf(rates: readonly number[]): number {
  return rates.slice(0, DEPTH).reduce((sum, rate, at) => sum + rate / Math.log2(at + 2), 0);
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
