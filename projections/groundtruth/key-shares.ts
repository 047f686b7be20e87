import { EVERYBODY, SUMS, type Sums } from './read-model.ts';

/**
 * Keys with the same remainder share a bucket, so that a document has a bounded size and sums stay exact. Large keys in
 * one bucket are bounded like one key.
 */
const BUCKETS = 8;

/**
 * Up to this evidence (visits plus expected visits) a bucket counts fully, beyond it at most as much as all others together:
 * a lone key is learnt from, and no key outweighs the others.
 */
const ALWAYS = 40;

/**
 * Stored documents have these buckets: another hash, such as `evenHash`, needs a new version of the projection.
 *
 * @param keyId null for a visit of an earlier release, whose key is unknown
 */
export function bucketOf(keyId: string | null): string {
  let hash = 0;
  for (const character of keyId ?? '') hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  return String(hash % BUCKETS);
}

/**
 * The sums of all buckets, each scaled down to its bound. Both its visits and its expected visits are scaled, so the ratio
 * of a key's evidence stays, and only its weight falls.
 *
 * @param unit weight of a fact at the time of the latest visit
 */
export function boundedSums(buckets: readonly Sums[], unit: number): Sums {
  const all = buckets.reduce((sum, bucket) => sum + evidenceOf(bucket), 0);
  const visited = zeros();
  const expected = zeros();
  for (const bucket of buckets) {
    const own = evidenceOf(bucket);
    const bound = Math.max(ALWAYS * unit, all - own);
    const scale = own > bound ? bound / own : 1;
    for (let index = 0; index < SUMS; index++) {
      visited[index] = (visited[index] ?? 0) + scale * (bucket.visited[index] ?? 0);
      expected[index] = (expected[index] ?? 0) + scale * (bucket.expected[index] ?? 0);
    }
  }
  return { visited, expected };
}

export function zeros(): number[] {
  return Array.from({ length: SUMS }, () => 0);
}

function evidenceOf({ visited, expected }: Sums): number {
  return (visited[EVERYBODY] ?? 0) + (expected[EVERYBODY] ?? 0);
}
