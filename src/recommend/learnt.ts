import { EVERYBODY, type GroundTruthDocument, SUMS, type Sums } from '../../projections/groundtruth/read-model.ts';
import type { Fade } from '../domain/learning/fading.ts';
import type { Evidence } from '../domain/recommendation/evidence.ts';
import type { Candidate } from './candidate-columns.ts';
import { factorOfRatio, ratioOf } from './factors/ground-truth.ts';

/** The ground truth in memory. Without `changesIn` it is read anew for each ranking. */
export type GroundTruths = {
  get(id: string): GroundTruthDocument | undefined;
  /** A number that changes with every change of a document of the group. */
  changesIn?(group: typeof ALL_GROUND_TRUTH): number;
};
export const ALL_GROUND_TRUTH = 'all';

const NO_VISITS: Sums = { visited: [], expected: [] };
/** Less would be shown as no visit; a withdrawal leaves a rounding error above 0. */
const LEAST_VISITS = 0.05;

/** First columns of the sums; each list takes SUMS columns. */
const LASTING_VISITED = 0;
const LASTING_EXPECTED = SUMS;
const RECENT_VISITED = 2 * SUMS;
const RECENT_EXPECTED = 3 * SUMS;
const COLUMNS = 4 * SUMS;

/**
 * The ground truth of a city's candidates, by index. The sums are also in columns: to read thousands of documents for each
 * answer took longer than to score their activities.
 */
export class Learnt {
  readonly documents: (GroundTruthDocument | undefined)[];
  readonly #candidates: readonly Candidate[];
  readonly #source: GroundTruths;
  #changes: number | undefined;
  /** By column, then by candidate; empty until there is a document. */
  #sums = new Float64Array();

  constructor(candidates: readonly Candidate[], source: GroundTruths) {
    // Full from the start: JavaScript engines read arrays with gaps slowly.
    this.documents = candidates.map(() => undefined);
    this.#candidates = candidates;
    this.#source = source;
    this.#read();
  }

  isOf(source: GroundTruths): boolean {
    return source === this.#source;
  }

  /** Reads the documents again, if some have changed. */
  update(): void {
    const changes = this.#source.changesIn?.(ALL_GROUND_TRUTH);
    if (changes === undefined || changes !== this.#changes) this.#read();
  }

  /** The factor of a candidate that has a document. */
  factor(index: number, sum: number, fade: Fade): number {
    const { lasting, recent } = fade;
    const all = ratioOf(
      this.#sum(LASTING_VISITED + EVERYBODY, index) * lasting,
      this.#sum(LASTING_EXPECTED + EVERYBODY, index) * lasting,
      1,
    );
    const ofType = ratioOf(
      this.#sum(LASTING_VISITED + sum, index) * lasting,
      this.#sum(LASTING_EXPECTED + sum, index) * lasting,
      all,
    );
    const ratio = ratioOf(
      this.#sum(RECENT_VISITED + sum, index) * recent,
      this.#sum(RECENT_EXPECTED + sum, index) * recent,
      ofType,
    );
    return factorOfRatio(ratio);
  }

  /** What the reason text and exploration know: the visits of the travel type, or of everybody if it has none. */
  evidence(index: number, ofType: number, fade: Fade): Evidence {
    const { visited, expected } = this.documents[index]?.lasting ?? NO_VISITS;
    const { lasting } = fade;
    const sameType = (visited[ofType] ?? 0) * lasting >= LEAST_VISITS;
    const sum = sameType ? ofType : EVERYBODY;
    return { visited: (visited[sum] ?? 0) * lasting, expected: (expected[sum] ?? 0) * lasting, sameType };
  }

  #sum(column: number, index: number): number {
    return this.#sums[column * this.documents.length + index] as number;
  }

  #read(): void {
    this.#changes = this.#source.changesIn?.(ALL_GROUND_TRUTH);
    for (let index = 0; index < this.#candidates.length; index++) {
      const { id } = (this.#candidates[index] as Candidate).activity;
      const document = this.#source.get(id);
      if (document === this.documents[index]) continue;
      this.documents[index] = document;
      if (document !== undefined) this.#put(index, document);
    }
  }

  #put(index: number, { lasting, recent }: GroundTruthDocument): void {
    const count = this.documents.length;
    if (this.#sums.length === 0) this.#sums = new Float64Array(COLUMNS * count);
    for (let sum = 0; sum < SUMS; sum++) {
      this.#sums[(LASTING_VISITED + sum) * count + index] = lasting.visited[sum] ?? 0;
      this.#sums[(LASTING_EXPECTED + sum) * count + index] = lasting.expected[sum] ?? 0;
      this.#sums[(RECENT_VISITED + sum) * count + index] = recent.visited[sum] ?? 0;
      this.#sums[(RECENT_EXPECTED + sum) * count + index] = recent.expected[sum] ?? 0;
    }
  }
}
