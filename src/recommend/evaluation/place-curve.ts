import { PLACES, placeWeight } from '../../domain/learning/places.ts';
import { SAMPLES_PER_TURN, type Samples, type Turn } from './samples.ts';

/** The curve in force: the weight of a place, relative to the first. */
export const PLACE_CURVE = { version: PLACES, weightAt: placeWeight } as const;

/** The estimate ends when no weight changes by more, at the latest after so many rounds. */
const [PRECISION, ROUNDS] = [0.0005, 50];

export type PlaceEstimate = {
  /** From 1. */
  readonly place: number;
  /** Answers that show so many activities. */
  readonly answers: number;
  readonly visits: number;
  readonly inForce: number;
  /** By the choice model; null without a visit at this place or at the first. */
  readonly estimated: number | null;
  /** Answers with the activity that exploration drew at this place, and the visits to it. */
  readonly drawn: number;
  readonly drawnVisits: number;
  /** Visits per drawn activity of usual strength, relative to the first place; null without a visit at the first. */
  readonly ofDrawn: number | null;
};

/**
 * The relative probability of a visit by place. In the choice model (Luce 1959) an activity of strength r at place k is
 * chosen with a probability proportional to w(k)·r; w is found by the MM algorithm (Hunter 2004).
 */
export async function placeCurve(samples: Samples, turn: Turn): Promise<readonly PlaceEstimate[]> {
  const counts = await countPlaces(samples, turn);
  const weights = await chosenBy(counts, turn);
  const drawnRate = ({ drawnStrength, drawnVisits }: PlaceCount): number =>
    drawnStrength === 0 ? 0 : drawnVisits / drawnStrength;
  const [first] = counts.places;
  const [firstWeight = 0, firstRate] = [weights[0], first === undefined ? 0 : drawnRate(first)];
  return counts.places.map((count, index) => {
    const { answers, visits, drawn, drawnVisits } = count;
    return {
      place: index + 1,
      answers,
      visits,
      inForce: PLACE_CURVE.weightAt(index + 1),
      estimated: visits === 0 || firstWeight === 0 ? null : (weights[index] ?? 0) / firstWeight,
      drawn,
      drawnVisits,
      ofDrawn: drawn === 0 || firstRate === 0 ? null : drawnRate(count) / firstRate,
    };
  });
}

type PlaceCount = { answers: number; visits: number; drawn: number; drawnVisits: number; drawnStrength: number };
type Counts = {
  readonly places: readonly PlaceCount[];
  /** The strengths of the shown activities, once for each visit. */
  readonly choices: readonly (readonly number[])[];
};

async function countPlaces(samples: Samples, turn: Turn): Promise<Counts> {
  const places: PlaceCount[] = [];
  const choices: (readonly number[])[] = [];
  for (const [index, { shown, strengths, liftedPlace }] of samples.all.entries()) {
    if (index % SAMPLES_PER_TURN === 0) await turn();
    const visited = samples.visitsOf(index);
    shown.forEach((activity, at) => {
      places[at] ??= { answers: 0, visits: 0, drawn: 0, drawnVisits: 0, drawnStrength: 0 };
      const count = places[at];
      const isVisited = visited.includes(activity);
      count.answers++;
      if (isVisited) {
        count.visits++;
        choices.push(strengths);
      }
      if (liftedPlace !== at + 1) return;
      count.drawn++;
      count.drawnStrength += strengths[at] ?? 1;
      if (isVisited) count.drawnVisits++;
    });
  }
  return { places, choices };
}

/** The weights of the places that explain the visits best, relative to the largest. */
async function chosenBy({ places, choices }: Counts, turn: Turn): Promise<readonly number[]> {
  let weights: readonly number[] = places.map((_, index) => PLACE_CURVE.weightAt(index + 1));
  for (let round = 0; round < ROUNDS; round++) {
    const shares = places.map(() => 0);
    for (const [index, strengths] of choices.entries()) {
      if (index % SAMPLES_PER_TURN === 0) await turn();
      const total = strengths.reduce((sum, strength, at) => sum + (weights[at] ?? 0) * strength, 0);
      for (const [at, strength] of strengths.entries()) shares[at] = (shares[at] ?? 0) + strength / total;
    }
    const chosen = places.map(({ visits }, at) => (visits === 0 ? 0 : visits / (shares[at] ?? 0)));
    const largest = Math.max(...chosen);
    if (!(largest > 0)) return chosen;
    const next = chosen.map((weight) => weight / largest);
    const change = Math.max(...next.map((weight, at) => Math.abs(weight - (weights[at] ?? 0))));
    weights = next;
    if (change < PRECISION) return weights;
  }
  return weights;
}
