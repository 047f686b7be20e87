import type { Samples } from './samples.ts';

/** The curve in force: the weight of a place, relative to the first. */
export const PLACE_CURVE = { version: 'places-1', weightAt: (place: number): number => place ** -0.7 } as const;

/** The estimate is stable long before. */
const ROUNDS = 100;

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
export function placeCurve(samples: Samples): readonly PlaceEstimate[] {
  const counts = countPlaces(samples);
  const weights = chosenBy(counts);
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

function countPlaces(samples: Samples): Counts {
  const places: PlaceCount[] = [];
  const choices: (readonly number[])[] = [];
  samples.all.forEach(({ shown, strengths, liftedPlace }, index) => {
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
  });
  return { places, choices };
}

/** The weights of the places that explain the visits best, up to a common factor. */
function chosenBy({ places, choices }: Counts): readonly number[] {
  let weights: readonly number[] = places.map((_, index) => PLACE_CURVE.weightAt(index + 1));
  for (let round = 0; round < ROUNDS; round++) {
    const shares = places.map(() => 0);
    for (const strengths of choices) {
      const total = strengths.reduce((sum, strength, at) => sum + (weights[at] ?? 0) * strength, 0);
      strengths.forEach((strength, at) => {
        shares[at] = (shares[at] ?? 0) + strength / total;
      });
    }
    weights = places.map(({ visits }, at) => {
      const share = shares[at] ?? 0;
      return share === 0 ? 0 : visits / share;
    });
    const scale = Math.max(...weights);
    if (scale > 0) weights = weights.map((weight) => weight / scale);
  }
  return weights;
}
