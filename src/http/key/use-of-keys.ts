import type { UsageAt } from '../../application/key/admit-key.ts';
import type { KeyUse } from '../../application/key/request-statistics.ts';
import { PLAN_LIMITS, type Plan } from '../../domain/apikey/apikey.ts';
import type { HttpContext } from '../context.ts';

type Key = { readonly keyId: string; readonly plan: Plan };

const NOT_USED: KeyUse = { today: new Map(), lastAtMs: null };

/** The requests of each key, in the order of the keys. */
export async function usesOf<Of extends Key>(
  keys: readonly Of[],
  { requestStatistics }: Pick<HttpContext, 'requestStatistics'>,
): Promise<readonly { readonly key: Of; readonly use: KeyUse }[]> {
  const uses = await requestStatistics.of(keys.map(({ keyId }) => keyId));
  return keys.map((key) => ({ key, use: uses.get(key.keyId) ?? NOT_USED }));
}

export async function useOf(
  { keyId }: Pick<Key, 'keyId'>,
  { requestStatistics }: Pick<HttpContext, 'requestStatistics'>,
) {
  return (await requestStatistics.of([keyId])).get(keyId) ?? NOT_USED;
}

/** The use of the plan's limits; null if the plan has none. Counts nothing. */
export async function usageOf(
  { keyId, plan }: Key,
  { rateLimiter, clock }: Pick<HttpContext, 'rateLimiter' | 'clock'>,
): Promise<UsageAt | null> {
  const limits = PLAN_LIMITS[plan];
  const atMs = clock.nowMs();
  return limits === null ? null : { ...(await rateLimiter.peek(keyId, limits, atMs)), atMs };
}
