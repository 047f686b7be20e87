import { OrderedMap } from '../../collections/ordered-map.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { KeyId } from '../ids.ts';
import { evolveCancellation } from './cancel-date.ts';
import type { AllotmentEvent, DateSchedule } from './events.ts';
import {
  type Allotment,
  type Claim,
  getOrThrow,
  HOLDS_REMEMBERED_MS,
  type Hold,
  KEPT_LAST_HOLDS,
  type LastHold,
  type OpenAllotment,
} from './state.ts';
import { evolveTerms, initialTerms } from './terms.ts';

const NO_CLAIMS = new OrderedMap<string, Claim>();
const NO_HOLDS = new OrderedMap<string, Hold>();
const NO_UNPAID = new OrderedMap<string, number>();
const NO_LAST_HOLDS = new OrderedMap<string, LastHold>();
const A_NEW_CLAIM = { released: false, shrunkAtVersion: 0, hold: null, unpaidBy: null } as const;

/**
 * The allotment after an event. Only copies facts; the decider has checked them. Keeps the ids of the newest
 * `keptReleases` releases.
 */
export function evolve(allotment: Allotment, event: AllotmentEvent, keptReleases: number): Allotment {
  if (event.type === 'AllotmentOpened') return openAllotment(event.data);
  if (allotment.status === 'unopened') throw new Error(`${event.type} before AllotmentOpened`);
  switch (event.type) {
    case 'SlotsClaimed': {
      const { claim: id, booking, size, pricing, unpaidBy } = event.data;
      const claims = allotment.claims.with(id, { ...A_NEW_CLAIM, booking, size, pricing, unpaidBy });
      const unpaid = addedUnpaid(allotment.unpaid, unpaidBy, size);
      return { ...allotment, taken: allotment.taken + size, claims, unpaid };
    }
    case 'SlotsHeld': {
      const { hold: id, size, expiresAtMs, pricing, holder } = event.data;
      const keyId = holder?.keyId ?? null;
      const holds = allotment.holds.with(id, { size, expiresAtMs, pricing, keyId, status: 'open', takenBy: null });
      return {
        ...allotment,
        taken: allotment.taken + size,
        held: allotment.held + size,
        holds,
        unpaid: addedUnpaid(allotment.unpaid, keyId, size),
        lastHolds: holder === null ? allotment.lastHolds : withLastHold(allotment.lastHolds, holder, expiresAtMs),
      };
    }
    case 'HoldTaken': {
      const { hold: id, claim: by, booking, size, unpaidBy } = event.data;
      const taken: Hold = { ...getOrThrow(allotment.holds, id), status: 'taken', takenBy: { claim: by, booking } };
      const claim = { ...A_NEW_CLAIM, booking, size, pricing: taken.pricing, hold: id, unpaidBy };
      return {
        ...allotment,
        held: allotment.held - size,
        claims: allotment.claims.with(by, claim),
        holds: allotment.holds.with(id, taken),
        unpaid: addedUnpaid(addedUnpaid(allotment.unpaid, taken.keyId, -size), unpaidBy, size),
      };
    }
    case 'ClaimPaid': {
      const { claim: id } = event.data;
      const claim = getOrThrow(allotment.claims, id);
      const claims = allotment.claims.with(id, { ...claim, unpaidBy: null });
      return { ...allotment, claims, unpaid: addedUnpaid(allotment.unpaid, claim.unpaidBy, -claim.size) };
    }
    case 'ClaimShrunk': {
      const { claim: id, left, size, version } = event.data;
      const claim = getOrThrow(allotment.claims, id);
      const claims = allotment.claims.with(id, { ...claim, size: left, shrunkAtVersion: version });
      const unpaid = addedUnpaid(allotment.unpaid, claim.unpaidBy, -size);
      return { ...allotment, taken: allotment.taken - size, claims, unpaid };
    }
    case 'SlotsReleased':
      return forgetOldest(applyRelease(allotment, event.data), keptReleases);
    case 'ScheduleFollowed':
    case 'CapacitySet':
    case 'PriceSet':
    case 'FlashDealStarted':
    case 'FlashDealEnded':
      return evolveTerms(allotment, event);
    case 'DateCancelled':
    case 'DateBookingSettled':
    case 'DateCancellationFinished':
      return evolveCancellation(allotment, event);
    default:
      return unreachable(event);
  }
}

/** An allotment without claims and holds, on the terms of its schedule. */
export function openAllotment(schedule: DateSchedule): OpenAllotment {
  const empty = { taken: 0, held: 0, claims: NO_CLAIMS, holds: NO_HOLDS, unpaid: NO_UNPAID, lastHolds: NO_LAST_HOLDS };
  const released = { releases: 0, lastReleased: [] };
  return {
    status: 'open',
    ...initialTerms(schedule),
    ...empty,
    ...released,
    cancellation: null,
    earlierCancellations: [],
  };
}

function applyRelease(
  allotment: OpenAllotment,
  { claim: id, size }: Extract<AllotmentEvent, { type: 'SlotsReleased' }>['data'],
): OpenAllotment {
  const released = {
    ...allotment,
    taken: allotment.taken - size,
    releases: allotment.releases + 1,
    lastReleased: [...allotment.lastReleased, id],
  };
  const claim = allotment.claims.get(id);
  if (claim !== undefined) {
    const unpaid = addedUnpaid(allotment.unpaid, claim.unpaidBy, -size);
    return { ...released, claims: allotment.claims.with(id, { ...claim, released: true }), unpaid };
  }
  const hold: Hold = { ...getOrThrow(allotment.holds, id), status: 'released' };
  const unpaid = addedUnpaid(allotment.unpaid, hold.keyId, -size);
  return { ...released, held: allotment.held - size, holds: allotment.holds.with(id, hold), unpaid };
}

/** Keeps only keys that have unpaid places, so that the capacity bounds their number. */
function addedUnpaid(unpaid: OpenAllotment['unpaid'], keyId: KeyId | null, places: number): OpenAllotment['unpaid'] {
  if (keyId === null || places === 0) return unpaid;
  const after = (unpaid.get(keyId) ?? 0) + places;
  return after === 0 ? unpaid.without(keyId) : unpaid.with(keyId, after);
}

/** Forgets holds that are too old to shorten the next one, and the oldest if more than `KEPT_LAST_HOLDS` keys are known. */
function withLastHold(
  lastHolds: OpenAllotment['lastHolds'],
  { keyId, atMs }: { readonly keyId: KeyId; readonly atMs: number },
  expiresAtMs: number,
): OpenAllotment['lastHolds'] {
  const known = lastHolds.with(keyId, { atMs, lifetimeMs: expiresAtMs - atMs });
  let [oldestKey, oldestMs]: [string, number] = [keyId, atMs];
  let kept = known;
  for (const [key, hold] of known.entries()) {
    if (atMs - hold.atMs >= HOLDS_REMEMBERED_MS) kept = kept.without(key);
    else if (hold.atMs < oldestMs) [oldestKey, oldestMs] = [key, hold.atMs];
  }
  return kept.size > KEPT_LAST_HOLDS ? kept.without(oldestKey) : kept;
}

/** Forgets the oldest released claim or hold if more than `kept` are known. */
function forgetOldest(allotment: OpenAllotment, kept: number): OpenAllotment {
  const { lastReleased, claims, holds } = allotment;
  const [oldest] = lastReleased;
  if (oldest === undefined || lastReleased.length <= kept) return allotment;
  const hold = claims.get(oldest)?.hold ?? oldest;
  return {
    ...allotment,
    lastReleased: lastReleased.slice(1),
    claims: claims.without(oldest),
    holds: holds.without(hold),
  };
}
