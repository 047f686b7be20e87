import { EVERYBODY, type KeySums, SUMS, type Sums } from './read-model.ts';

/**
 * Keys with the same remainder share a bucket, so that a document has a bounded size and sums stay exact. Two large keys in
 * one bucket are bounded like one key.
 */
const BUCKETS = 16;

/** Evidence of a bucket may be this part of the evidence of all others. */
const SHARE_OF_OTHERS = 0.5;

/**
 * Evidence (visits plus expected visits) up to which a bucket counts fully, whatever others have: a lone key is learnt from.
 */
const ALWAYS = 20;

/** @param keyId null for a visit of an earlier release, whose key is unknown */
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
export function boundedSums(keys: Readonly<Record<string, KeySums>>, unit: number): Sums {
  const buckets = Object.values(keys);
  const all = buckets.reduce((sum, bucket) => sum + evidenceOf(bucket), 0);
  const visited = zeros();
  const expected = zeros();
  for (const bucket of buckets) {
    const own = evidenceOf(bucket);
    const bound = Math.max(ALWAYS * unit, SHARE_OF_OTHERS * (all - own));
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
