import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { PersistentMap } from '../persistent-map.ts';
import type { Allotment, AllotmentCommand, AllotmentEvent, AllotmentRejection, Claim } from './allotment.ts';

type Answer = Decision<AllotmentEvent, AllotmentRejection>;
const NO_CLAIMS = new PersistentMap<Claim>();

/** The only place where "is there room?" is decided. Time never frees slots; only a release does, once per claim. */
export const allotmentDecider: Decider<AllotmentCommand, Allotment, AllotmentEvent, AllotmentRejection> = {
  initial: { status: 'unopened' },
  decide(command, allotment) {
    switch (command.type) {
      case 'ClaimSlots':
        return claim(command, allotment);
      case 'ReleaseSlots':
        return release(command, allotment);
      default:
        return unreachable(command);
    }
  },
  evolve(allotment, event) {
    if (event.type === 'AllotmentOpened') return { status: 'open', opening: event.data, taken: 0, claims: NO_CLAIMS };
    if (allotment.status === 'unopened') throw new Error(`${event.type} before AllotmentOpened`);
    switch (event.type) {
      case 'SlotsClaimed': {
        const { claim: id, booking, size } = event.data;
        return {
          ...allotment,
          taken: allotment.taken + size,
          claims: allotment.claims.with(id, { booking, size, released: false }),
        };
      }
      case 'SlotsReleased': {
        const { claim: id, size } = event.data;
        const claims = allotment.claims.with(id, { ...(allotment.claims.get(id) as Claim), released: true });
        return { ...allotment, taken: allotment.taken - size, claims };
      }
      default:
        return unreachable(event);
    }
  },
};

export const allotmentCodec = codec<AllotmentEvent>('allotment', {
  AllotmentOpened: [],
  SlotsClaimed: [],
  SlotsReleased: [],
});

function claim(command: Extract<AllotmentCommand, { type: 'ClaimSlots' }>, allotment: Allotment): Answer {
  const { claim: id, booking, size, deadlineMs, opening } = command;
  const claimed: AllotmentEvent = { type: 'SlotsClaimed', data: { claim: id, booking, size, deadlineMs } };
  if (allotment.status === 'unopened') {
    return size <= opening.capacity
      ? accept<AllotmentEvent>({ type: 'AllotmentOpened', data: opening }, claimed)
      : reject({ code: 'INVENTORY_EXHAUSTED', free: opening.capacity });
  }
  const known = allotment.claims.get(id);
  if (known !== undefined) return known.released || known.size !== size ? reject({ code: 'CLAIM_SPENT' }) : accept();
  const free = Math.max(0, allotment.opening.capacity - allotment.taken);
  return size <= free ? accept(claimed) : reject({ code: 'INVENTORY_EXHAUSTED', free });
}

function release(command: Extract<AllotmentCommand, { type: 'ReleaseSlots' }>, allotment: Allotment): Answer {
  const known = allotment.status === 'open' ? allotment.claims.get(command.claim) : undefined;
  if (known === undefined || known.released) return accept();
  return accept({ type: 'SlotsReleased', data: { claim: command.claim, size: known.size } });
}
