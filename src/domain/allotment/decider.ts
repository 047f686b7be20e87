import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { AllotmentCommand, AllotmentRejection } from './commands.ts';
import type { AllotmentEvent, Opening } from './events.ts';
import { evolve, opened } from './evolve.ts';
import { reviewDeal, setTerms } from './operate.ts';
import { type Allotment, type Claim, freeSlots, holdIn, type OpenAllotment, presentPricing } from './state.ts';
import { evolveTerms } from './terms.ts';

type Answer = Decision<AllotmentEvent, AllotmentRejection>;
type Command<Type extends AllotmentCommand['type']> = Extract<AllotmentCommand, { type: Type }>;

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
      case 'SetTerms': {
        const { events, state } = upToDate(allotment, command.opening);
        return changing(events, setTerms(command, state));
      }
      case 'ReviewDeal': {
        const { events, state } = upToDate(allotment, command.opening);
        return changing(events, accept(...reviewDeal(command, state)));
      }
      default:
        return unreachable(command);
    }
  },
  evolve,
};

function claim(command: Command<'ClaimSlots'>, allotment: Allotment): Answer {
  const { claim: id, booking, size, deadlineMs, opening } = command;
  const before = allotment.status === 'open' ? allotment.claims.get(id) : undefined;
  if (before !== undefined) return standsFor(before, size) ? accept() : reject({ code: 'CLAIM_SPENT' });
  const { events, state } = upToDate(allotment, opening);
  const pricing = presentPricing(state, opening, command);
  const claimed: AllotmentEvent = { type: 'SlotsClaimed', data: { claim: id, booking, size, deadlineMs, pricing } };
  return changing(events, fits(state, size, claimed));
}

function hold(command: Command<'HoldSlots'>, allotment: Allotment): Answer {
  const { hold: id, size, expiresAtMs, opening } = command;
  if (holdIn(allotment, id) !== undefined) return accept();
  const { events, state } = upToDate(allotment, opening);
  const pricing = presentPricing(state, opening, command);
  return changing(events, fits(state, size, { type: 'SlotsHeld', data: { hold: id, size, expiresAtMs, pricing } }));
}

/**
 * If an earlier claim of the same booking took the hold, that claim may have been abandoned: then new slots are claimed
 * at the hold's price, if there is room. The clock decides only whether an open hold has expired.
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
        ? fits(allotment, size, {
            type: 'SlotsClaimed',
            data: { claim: by, booking, size, deadlineMs, pricing: held.pricing },
          })
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

/** Ignores a shrink of an older version than the newest one: it would free slots that the booking relies on. */
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

/** The allotment, opened and with the newest known schedule, and the events that lead there. */
function upToDate(
  allotment: Allotment,
  opening: Opening,
): { readonly events: readonly AllotmentEvent[]; readonly state: OpenAllotment } {
  if (allotment.status === 'unopened')
    return { events: [{ type: 'AllotmentOpened', data: opening }], state: opened(opening) };
  const { capacity, unitPriceMinor, cancellation, catalogueRevision } = opening;
  if (catalogueRevision <= allotment.schedule.catalogueRevision) return { events: [], state: allotment };
  const data = { capacity, unitPriceMinor, cancellation, catalogueRevision };
  const followed = { type: 'ScheduleFollowed', data } as const;
  return { events: [followed], state: evolveTerms(allotment, followed) };
}

/** Stores the preceding events only together with a change. */
function changing(before: readonly AllotmentEvent[], change: Answer): Answer {
  return change.kind === 'rejected' || change.events.length === 0 ? change : accept(...before, ...change.events);
}

function fits(allotment: OpenAllotment, size: number, taking: AllotmentEvent): Answer {
  const free = freeSlots(allotment, allotment.schedule);
  return size <= free ? accept(taking) : reject({ code: 'INVENTORY_EXHAUSTED', free });
}

function standsFor(before: Claim, size: number): boolean {
  return !before.released && before.size === size;
}
