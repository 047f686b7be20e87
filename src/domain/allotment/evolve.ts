import { OrderedMap } from '../../collections/ordered-map.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { AllotmentEvent, DateSchedule } from './events.ts';
import { type Allotment, type Claim, getOrThrow, type Hold, type OpenAllotment } from './state.ts';
import { evolveTerms, initialTerms } from './terms.ts';

const NO_CLAIMS = new OrderedMap<string, Claim>();
const NO_HOLDS = new OrderedMap<string, Hold>();
const A_NEW_CLAIM = { released: false, shrunkAtVersion: 0, hold: null } as const;

/**
 * The allotment after an event. Only copies facts; the decider has checked them. Keeps the ids of the newest
 * `keptReleases` releases.
 */
export function evolve(allotment: Allotment, event: AllotmentEvent, keptReleases: number): Allotment {
  if (event.type === 'AllotmentOpened') return openAllotment(event.data);
  if (allotment.status === 'unopened') throw new Error(`${event.type} before AllotmentOpened`);
  switch (event.type) {
    case 'SlotsClaimed': {
      const { claim: id, booking, size, pricing } = event.data;
      const claims = allotment.claims.with(id, { ...A_NEW_CLAIM, booking, size, pricing });
      return { ...allotment, taken: allotment.taken + size, claims };
    }
    case 'SlotsHeld': {
      const { hold: id, size, expiresAtMs, pricing } = event.data;
      const holds = allotment.holds.with(id, { size, expiresAtMs, pricing, status: 'open', takenBy: null });
      return { ...allotment, taken: allotment.taken + size, held: allotment.held + size, holds };
    }
    case 'HoldTaken': {
      const { hold: id, claim: by, booking, size } = event.data;
      const taken: Hold = { ...getOrThrow(allotment.holds, id), status: 'taken', takenBy: { claim: by, booking } };
      const claims = allotment.claims.with(by, { ...A_NEW_CLAIM, booking, size, pricing: taken.pricing, hold: id });
      return { ...allotment, held: allotment.held - size, claims, holds: allotment.holds.with(id, taken) };
    }
    case 'ClaimShrunk': {
      const { claim: id, left, size, version } = event.data;
      const claim = getOrThrow(allotment.claims, id);
      const claims = allotment.claims.with(id, { ...claim, size: left, shrunkAtVersion: version });
      return { ...allotment, taken: allotment.taken - size, claims };
    }
    case 'SlotsReleased':
      return forgetOldest(applyRelease(allotment, event.data), keptReleases);
    case 'ScheduleFollowed':
    case 'CapacitySet':
    case 'PriceSet':
    case 'FlashDealStarted':
    case 'FlashDealEnded':
      return evolveTerms(allotment, event);
    default:
      return unreachable(event);
  }
}

/** An allotment without claims and holds, on the terms of its schedule. */
export function openAllotment(schedule: DateSchedule): OpenAllotment {
  const empty = { taken: 0, held: 0, claims: NO_CLAIMS, holds: NO_HOLDS, releases: 0, lastReleased: [] };
  return { status: 'open', ...initialTerms(schedule), ...empty };
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
  if (claim !== undefined) return { ...released, claims: allotment.claims.with(id, { ...claim, released: true }) };
  const hold: Hold = { ...getOrThrow(allotment.holds, id), status: 'released' };
  return { ...released, held: allotment.held - size, holds: allotment.holds.with(id, hold) };
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
