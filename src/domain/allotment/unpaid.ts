import { placesIn, type UnpaidTaker } from '../exposure/exposure.ts';
import type { KeyId } from '../ids.ts';
import type { AllotmentCommand, UnpaidShare } from './commands.ts';
import { type Allotment, HOLDS_REMEMBERED_MS, type Hold, SHORTEST_HOLD_MS } from './state.ts';
import { effectiveTerms, type ScheduledTerms } from './terms.ts';

/**
 * The rejection of `size` more unpaid places of a date; null within the key's share. An expired hold no longer counts,
 * although its slots are free only once they are released.
 */
export function overShare(
  { keyId, share }: UnpaidTaker,
  size: number,
  allotment: Allotment,
  schedule: ScheduledTerms,
  nowMs: number,
): UnpaidShare | null {
  if (share === null) return null;
  const { capacity } = allotment.status === 'open' ? effectiveTerms(allotment, schedule) : schedule;
  const bound = placesIn(share, capacity);
  const counted = allotment.status === 'open' ? (allotment.unpaid.get(keyId) ?? 0) : 0;
  if (counted + size <= bound) return null;
  const { expired, nextEndMs } = openHolds(keyId, allotment, nowMs);
  const used = counted - expired;
  return used + size <= bound ? null : { code: 'UNPAID_SHARE', used, wanted: size, bound, easesAtMs: nextEndMs };
}

/** The end of a hold (ms since the epoch): each further hold of a key on a date lasts half as long as the one before. */
export function holdEndMs(
  {
    holder,
    expiresAtMs,
    nowMs,
  }: Pick<Extract<AllotmentCommand, { type: 'HoldSlots' }>, 'holder' | 'expiresAtMs' | 'nowMs'>,
  allotment: Allotment,
): number {
  const last = allotment.status === 'open' ? allotment.lastHolds.get(holder.keyId) : undefined;
  if (last === undefined || nowMs - last.atMs >= HOLDS_REMEMBERED_MS) return expiresAtMs;
  return Math.min(expiresAtMs, nowMs + Math.max(SHORTEST_HOLD_MS, Math.floor(last.lifetimeMs / 2)));
}

/** Places of a key's expired holds that are not released yet, and the end of its next hold. */
function openHolds(keyId: KeyId, allotment: Allotment, nowMs: number) {
  let expired = 0;
  let nextEndMs: number | null = null;
  const holds: Iterable<Hold> = allotment.status === 'open' ? allotment.holds.values() : [];
  for (const hold of holds) {
    if (hold.keyId !== keyId || hold.status !== 'open') continue;
    if (nowMs >= hold.expiresAtMs) expired += hold.size;
    else nextEndMs = Math.min(nextEndMs ?? hold.expiresAtMs, hold.expiresAtMs);
  }
  return { expired, nextEndMs };
}
