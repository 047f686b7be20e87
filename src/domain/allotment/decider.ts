import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { priceOf } from '../activity/pricing.ts';
import { PersistentMap } from '../persistent-map.ts';
import {
  type Allotment,
  type AllotmentCommand,
  type AllotmentEvent,
  type AllotmentRejection,
  type Claim,
  type Hold,
  holdIn,
} from './allotment.ts';

type Answer = Decision<AllotmentEvent, AllotmentRejection>;
type Command<Type extends AllotmentCommand['type']> = Extract<AllotmentCommand, { type: Type }>;
type Open = Extract<Allotment, { status: 'open' }>;

const NO_CLAIMS = new PersistentMap<Claim>();
const NO_HOLDS = new PersistentMap<Hold>();

/** The only place where "is there room?" is decided. Time never frees slots; only a release does, once per claim. */
export const allotmentDecider: Decider<AllotmentCommand, Allotment, AllotmentEvent, AllotmentRejection> = {
  initial: { status: 'unopened' },
  decide(command, allotment) {
    switch (command.type) {
      case 'ClaimSlots':
        return claim(command, allotment);
      case 'HoldSlots':
        return hold(command, allotment);
      case 'TakeHold':
        return takeHold(command, allotment);
      case 'ReleaseHold':
        return releaseHold(command, allotment);
      case 'ShrinkClaim':
        return shrink(command, allotment);
      case 'ReleaseSlots':
        return release(command, allotment);
      default:
        return unreachable(command);
    }
  },
  evolve(allotment, event) {
    if (event.type === 'AllotmentOpened')
      return { status: 'open', opening: event.data, taken: 0, held: 0, claims: NO_CLAIMS, holds: NO_HOLDS };
    if (allotment.status === 'unopened') throw new Error(`${event.type} before AllotmentOpened`);
    switch (event.type) {
      case 'SlotsClaimed': {
        const { claim: id, booking, size } = event.data;
        const claims = allotment.claims.with(id, { booking, size, released: false, shrunkAtVersion: 0 });
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
        const claims = allotment.claims.with(by, { booking, size, released: false, shrunkAtVersion: 0 });
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
      default:
        return unreachable(event);
    }
  },
};

export const allotmentCodec = codec<AllotmentEvent>('allotment', {
  AllotmentOpened: [],
  SlotsClaimed: [],
  SlotsHeld: [],
  HoldTaken: [],
  ClaimShrunk: [],
  SlotsReleased: [],
});

function claim({ claim: id, booking, size, deadlineMs, opening }: Command<'ClaimSlots'>, allotment: Allotment): Answer {
  const claimed: AllotmentEvent = { type: 'SlotsClaimed', data: { claim: id, booking, size, deadlineMs } };
  if (allotment.status === 'unopened') return opened(opening, size, claimed);
  const before = allotment.claims.get(id);
  if (before !== undefined) return standsFor(before, size) ? accept() : reject({ code: 'CLAIM_SPENT' });
  return fits(allotment, size, claimed);
}

function hold(command: Command<'HoldSlots'>, allotment: Allotment): Answer {
  const { hold: id, size, expiresAtMs, hotelPercentOff, opening } = command;
  const held = (at: Parameters<typeof priceOf>[0]): AllotmentEvent => ({
    type: 'SlotsHeld',
    data: { hold: id, size, expiresAtMs, pricing: priceOf(at, hotelPercentOff) },
  });
  if (allotment.status === 'unopened') return opened(opening, size, held(opening));
  if (allotment.holds.get(id) !== undefined) return accept();
  return fits(allotment, size, held(allotment.opening));
}

/**
 * A hold that an earlier claim of the same booking took is not used up for it, since that claim may be given up by now:
 * then slots are claimed anew, where there is room, at the hold's price. Nothing is decided by the clock but whether an
 * open hold is too old.
 */
function takeHold(command: Command<'TakeHold'>, allotment: Allotment): Answer {
  const { hold: id, claim: by, booking, size, deadlineMs, nowMs } = command;
  const held = holdIn(allotment, id);
  if (allotment.status === 'unopened' || held?.size !== size) return reject({ code: 'HOLD_UNKNOWN' });
  const before = allotment.claims.get(by);
  if (before !== undefined) return standsFor(before, size) ? accept() : reject({ code: 'CLAIM_SPENT' });
  switch (held.status) {
    case 'open':
      return nowMs < held.expiresAtMs
        ? accept<AllotmentEvent>({ type: 'HoldTaken', data: { hold: id, claim: by, booking, size, deadlineMs } })
        : reject({ code: 'HOLD_EXPIRED', expiresAtMs: held.expiresAtMs });
    case 'released':
      return reject({ code: 'HOLD_EXPIRED', expiresAtMs: held.expiresAtMs });
    case 'taken':
      return held.takenBy?.booking === booking
        ? fits(allotment, size, { type: 'SlotsClaimed', data: { claim: by, booking, size, deadlineMs } })
        : reject({ code: 'HOLD_USED' });
    default:
      return unreachable(held.status);
  }
}

function releaseHold({ hold: id }: Command<'ReleaseHold'>, allotment: Allotment): Answer {
  const held = holdIn(allotment, id);
  if (held === undefined) return reject({ code: 'HOLD_UNKNOWN' });
  if (held.status === 'taken') return reject({ code: 'HOLD_USED' });
  return held.status === 'released'
    ? accept()
    : accept({ type: 'SlotsReleased', data: { claim: id, size: held.size } });
}

/** An older shrink than the newest one is ignored, and none gives slots back that the booking relies on. */
function shrink({ claim: id, left, version }: Command<'ShrinkClaim'>, allotment: Allotment): Answer {
  const before = allotment.status === 'open' ? allotment.claims.get(id) : undefined;
  if (before === undefined || before.released || version <= before.shrunkAtVersion || left >= before.size)
    return accept();
  return accept({ type: 'ClaimShrunk', data: { claim: id, left, size: before.size - left, version } });
}

function release({ claim: id }: Command<'ReleaseSlots'>, allotment: Allotment): Answer {
  const before = allotment.status === 'open' ? allotment.claims.get(id) : undefined;
  if (before === undefined || before.released) return accept();
  return accept({ type: 'SlotsReleased', data: { claim: id, size: before.size } });
}

function opened(opening: Open['opening'], size: number, taking: AllotmentEvent): Answer {
  return size <= opening.capacity
    ? accept<AllotmentEvent>({ type: 'AllotmentOpened', data: opening }, taking)
    : reject({ code: 'INVENTORY_EXHAUSTED', free: opening.capacity });
}

function fits({ opening, taken }: Open, size: number, taking: AllotmentEvent): Answer {
  const free = Math.max(0, opening.capacity - taken);
  return size <= free ? accept(taking) : reject({ code: 'INVENTORY_EXHAUSTED', free });
}

function standsFor(before: Claim, size: number): boolean {
  return !before.released && before.size === size;
}

function released(
  allotment: Open,
  { claim: id, size }: Extract<AllotmentEvent, { type: 'SlotsReleased' }>['data'],
): Open {
  const taken = allotment.taken - size;
  const before = allotment.claims.get(id);
  if (before !== undefined)
    return { ...allotment, taken, claims: allotment.claims.with(id, { ...before, released: true }) };
  const held: Hold = { ...known(allotment.holds, id), status: 'released' };
  return { ...allotment, taken, held: allotment.held - size, holds: allotment.holds.with(id, held) };
}

function known<V>(all: PersistentMap<V>, id: string): V {
  const value = all.get(id);
  if (value === undefined) throw new Error(`${id} was never seen in this allotment`);
  return value;
}
