import type { EntityReply, StreamHandler } from '../../actors/entity.ts';
import type { AllotmentCommand, AllotmentRejection, SetTerms } from '../../domain/allotment/commands.ts';
import type { AllotmentEvent } from '../../domain/allotment/events.ts';
import { openAllotment } from '../../domain/allotment/evolve.ts';
import type { Allotment, OpenAllotment } from '../../domain/allotment/state.ts';
import { type AllotmentId, liveAllotmentOf } from '../../domain/ids.ts';

type Allotments = StreamHandler<AllotmentCommand, Allotment, AllotmentEvent, AllotmentRejection>;
type State = Extract<EntityReply<Allotment, AllotmentEvent, AllotmentRejection>, { kind: 'state' }>;

/**
 * Test allotments on the capacity, price and deal that an operator or the policy set for live ones. Only the slots that
 * are taken differ. Before new slots are taken, the test allotment records the settings that have changed; a read shows
 * them and writes nothing.
 */
export function withLiveTerms(test: Allotments, live: Allotments): Allotments {
  return {
    ...test,
    async handle(id, command, cause, deadlineMs, options) {
      if (command.type === 'ClaimSlots' || command.type === 'HoldSlots') {
        const reply = await test.read(id, deadlineMs);
        const terms = await live.read(liveIdOf(id), deadlineMs);
        if (reply.kind !== 'state') return reply;
        if (terms.kind !== 'state') return terms;
        const settings = settingsToCopy(reply.state, terms.state);
        // A rejection is a race with another claim: that claim has copied the settings.
        if (settings !== null) {
          const copy = { type: 'SetTerms', schedule: command.schedule, ...settings } as const;
          const copied = await test.handle(id, copy, cause, deadlineMs);
          if (copied.kind === 'unavailable' || copied.kind === 'erased') return copied;
        }
      }
      return test.handle(id, command, cause, deadlineMs, options);
    },
    async read(id, deadlineMs) {
      const reply = await test.read(id, deadlineMs);
      const terms = await live.read(liveIdOf(id), deadlineMs);
      if (reply.kind !== 'state' || terms.kind !== 'state') return reply.kind === 'state' ? terms : reply;
      return { ...reply, state: onLiveTerms(reply, terms.state) };
    },
    /** The cached state alone lacks the live terms. */
    peek: () => undefined,
  };
}

function liveIdOf(id: string): AllotmentId {
  return liveAllotmentOf(id as AllotmentId);
}

/** Null if there is nothing to copy. */
function settingsToCopy(
  test: Allotment,
  live: Allotment,
): Pick<SetTerms, 'capacity' | 'unitPriceMinor' | 'deal'> | null {
  if (live.status === 'unopened') return null;
  const taken = test.status === 'open' ? test.taken : 0;
  const copy = settingsOf(live, taken);
  const current = test.status === 'open' ? settingsOf(test, 0) : { capacity: null, unitPriceMinor: null, deal: null };
  if (JSON.stringify(copy) === JSON.stringify(current)) return null;
  return copy;
}

/** The capacity is at least the number of slots that test bookings have taken; then no more are sold. */
function settingsOf({ setCapacity, setPriceMinor: unitPriceMinor, deal }: OpenAllotment, taken: number) {
  return {
    capacity: setCapacity === null ? null : Math.max(setCapacity, taken),
    unitPriceMinor,
    deal: deal === null ? null : { discountPercent: deal.discountPercent, expiresAtMs: deal.expiresAtMs },
  };
}

function onLiveTerms({ state }: State, live: Allotment): Allotment {
  if (live.status === 'unopened') return state;
  const { setCapacity, setPriceMinor, deal } = live;
  const open = state.status === 'open' ? state : openAllotment(live.schedule);
  return { ...open, setCapacity, setPriceMinor, deal };
}
