import { SAMPLES_PER_TURN, type Samples, type Turn } from './samples.ts';

const PLACES = 10;

/** NDCG@10 of verified visits (Järvelin and Kekäläinen 2002), the mean of the answers with a visit; null without one. */
export type Ndcg = { readonly now: number; readonly target: number } | null;

export async function ndcgOf(samples: Samples, turn: Turn): Promise<Ndcg> {
  let [answers, now, target] = [0, 0, 0];
  for (const [index, { shown, targetPlaces }] of samples.all.entries()) {
    if (index % SAMPLES_PER_TURN === 0) await turn();
    const visited = samples.visitsOf(index).map((activity) => shown.indexOf(activity));
    if (visited.length === 0) continue;
    const ideal = gainOf(visited.map((_, at) => at + 1));
    answers++;
    now += gainOf(visited.map((at) => at + 1)) / ideal;
    target += gainOf(visited.map((at) => targetPlaces[at] ?? Number.POSITIVE_INFINITY)) / ideal;
  }
  return answers === 0 ? null : { now: now / answers, target: target / answers };
}

function gainOf(places: readonly number[]): number {
  return places.reduce((sum, place) => (place > PLACES ? sum : sum + 1 / Math.log2(1 + place)), 0);
}
