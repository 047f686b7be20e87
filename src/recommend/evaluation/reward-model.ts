import { TRAVEL_TYPES } from '../../domain/activity/vocabulary.ts';
import { SAMPLES_PER_TURN, type Sample, type Turn } from './samples.ts';

/** Answers by which a mean is drawn to that of the level above. */
const PRIOR_ANSWERS = 20;

/** A sample and the number of activities that were visited because of its answer. */
export type Rewarded = { readonly sample: Sample; readonly visits: number };

/** Expected visits of an answer by its first activity and the travel type, learnt from answers of another fold. */
export type RewardModel = (first: number, travelType: number) => number;

/**
 * Mean visits: of all answers, of those with this first activity, and of those for this travel type too, each drawn to the
 * mean above.
 */
export async function rewardModel(answers: readonly Rewarded[], turn: Turn): Promise<RewardModel> {
  const all = new Mean();
  const byFirst = new Map<number, Mean>();
  const byType = new Map<number, Mean>();
  for (const [index, { sample, visits }] of answers.entries()) {
    if (index % SAMPLES_PER_TURN === 0) await turn();
    all.add(visits);
    meanOf(byFirst, sample.first).add(visits);
    meanOf(byType, keyOf(sample.first, sample.travelType)).add(visits);
  }
  const overall = all.drawnTo(0, 0);
  return (first, travelType) => {
    const ofFirst = byFirst.get(first)?.drawnTo(overall, PRIOR_ANSWERS) ?? overall;
    return byType.get(keyOf(first, travelType))?.drawnTo(ofFirst, PRIOR_ANSWERS) ?? ofFirst;
  };
}

function keyOf(first: number, travelType: number): number {
  return first * TRAVEL_TYPES.length + travelType;
}

class Mean {
  #count = 0;
  #sum = 0;

  add(value: number): void {
    this.#count++;
    this.#sum += value;
  }

  drawnTo(prior: number, weight: number): number {
    return this.#count + weight === 0 ? prior : (this.#sum + prior * weight) / (this.#count + weight);
  }
}

function meanOf(means: Map<number, Mean>, key: number): Mean {
  const known = means.get(key);
  if (known !== undefined) return known;
  const mean = new Mean();
  means.set(key, mean);
  return mean;
}
