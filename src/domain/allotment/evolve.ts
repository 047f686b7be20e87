import { OrderedMap } from '../../collections/ordered-map.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { AllotmentEvent, DateSchedule } from './events.ts';
import { type Allotment, type Claim, getOrThrow, type Hold, type OpenAllotment } from './state.ts';
import { evolveTerms, initialTerms } from './terms.ts';

const NO_CLAIMS = new OrderedMap<string, Claim>();
const NO_HOLDS = new OrderedMap<string, Hold>();

/** The allotment after an event. Only copies facts; the decider has checked them. */
export function evolve(allotment: Allotment, event: AllotmentEvent): Allotment {
  if (event.type === 'AllotmentOpened') return openAllotment(event.data);
  if (allotment.status === 'unopened') throw new Error(`${event.type} before AllotmentOpened`);
  switch (event.type) {
    case 'SlotsClaimed': {
      const { claim: id, booking, size, pricing } = event.data;
      const claims = allotment.claims.with(id, { booking, size, released: false, pricing, shrunkAtVersion: 0 });
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
      const { pricing } = taken;
      const claims = allotment.claims.with(by, { booking, size, released: false, pricing, shrunkAtVersion: 0 });
      return { ...allotment, held: allotment.held - size, claims, holds: allotment.holds.with(id, taken) };
    }
    case 'ClaimShrunk': {
      const { claim: id, left, size, version } = event.data;
      const claim = getOrThrow(allotment.claims, id);
      const claims = allotment.claims.with(id, { ...claim, size: left, shrunkAtVersion: version });
      return { ...allotment, taken: allotment.taken - size, claims };
    }
    case 'SlotsReleased':
      return applyRelease(allotment, event.data);
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
  return { status: 'open', ...initialTerms(schedule), taken: 0, held: 0, claims: NO_CLAIMS, holds: NO_HOLDS };
}

function applyRelease(
  allotment: OpenAllotment,
  { claim: id, size }: Extract<AllotmentEvent, { type: 'SlotsReleased' }>['data'],
): OpenAllotment {
  const taken = allotment.taken - size;
  const claim = allotment.claims.get(id);
  if (claim !== undefined)
    return { ...allotment, taken, claims: allotment.claims.with(id, { ...claim, released: true }) };
  const hold: Hold = { ...getOrThrow(allotment.holds, id), status: 'released' };
  return { ...allotment, taken, held: allotment.held - size, holds: allotment.holds.with(id, hold) };
}
