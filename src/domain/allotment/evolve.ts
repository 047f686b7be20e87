import { OrderedMap } from '../../collections/ordered-map.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { AllotmentEvent, Opening } from './events.ts';
import type { Allotment, Claim, Hold, OpenAllotment } from './state.ts';
import { evolveTerms, termsBySchedule } from './terms.ts';

const NO_CLAIMS = new OrderedMap<string, Claim>();
const NO_HOLDS = new OrderedMap<string, Hold>();

/** The allotment after an event. Only copies facts; the decider has checked them. */
export function evolve(allotment: Allotment, event: AllotmentEvent): Allotment {
  if (event.type === 'AllotmentOpened') return opened(event.data);
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
      const taken: Hold = { ...known(allotment.holds, id), status: 'taken', takenBy: { claim: by, booking } };
      const { pricing } = taken;
      const claims = allotment.claims.with(by, { booking, size, released: false, pricing, shrunkAtVersion: 0 });
      return { ...allotment, held: allotment.held - size, claims, holds: allotment.holds.with(id, taken) };
    }
    case 'ClaimShrunk': {
      const { claim: id, left, size, version } = event.data;
      const before = known(allotment.claims, id);
      const claims = allotment.claims.with(id, { ...before, size: left, shrunkAtVersion: version });
      return { ...allotment, taken: allotment.taken - size, claims };
    }
    case 'SlotsReleased':
      return released(allotment, event.data);
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

export function opened(opening: Opening): OpenAllotment {
  const terms = termsBySchedule(opening);
  const nothing = { taken: 0, held: 0, claims: NO_CLAIMS, holds: NO_HOLDS };
  return { status: 'open', ...terms, schedule: opening, ...nothing };
}

function released(
  allotment: OpenAllotment,
  { claim: id, size }: Extract<AllotmentEvent, { type: 'SlotsReleased' }>['data'],
): OpenAllotment {
  const taken = allotment.taken - size;
  const before = allotment.claims.get(id);
  if (before !== undefined)
    return { ...allotment, taken, claims: allotment.claims.with(id, { ...before, released: true }) };
  const held: Hold = { ...known(allotment.holds, id), status: 'released' };
  return { ...allotment, taken, held: allotment.held - size, holds: allotment.holds.with(id, held) };
}

function known<V>(all: OrderedMap<string, V>, id: string): V {
  const value = all.get(id);
  if (value === undefined) throw new Error(`${id} was never seen in this allotment`);
  return value;
}
