import type { Allotment } from '../../../src/domain/allotment/state.ts';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { ClaimRef } from '../../../src/domain/booking/facts.ts';
import { modificationWorkflow } from '../../../src/domain/booking/modification-workflow.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import type { StepResult } from '../../../src/domain/booking/workflow-step.ts';
import type { ClaimId, HoldId } from '../../../src/domain/ids.ts';
import { accept } from '../../../src/eventsourcing/decider.ts';
import {
  GROW_AGAINST_CANCEL,
  GROWN_AND_NEWCOMER,
  HOLD_LET_GO,
  HOLD_SENT_AGAIN,
  HOLD_USED_TWICE,
  MOVE_AGAINST_CANCEL,
  ON_REQUEST,
  RENAME_AGAINST_ERASURE,
  RENAME_AGAINST_SHRINK,
  SHRUNK_OVER_TWO_CLAIMS,
  SHRUNK_THEN_GROWN,
} from './life-scenarios.ts';
import { type Mutation, withDeciders, withReaper } from './mutation.ts';
import { RULES, type Rules } from './rules.ts';

const { reaper } = RULES;
const { allotment, booking } = RULES.deciders;

type Modify = Extract<BookingCommand, { type: 'Modify' }>;

/** What is taken out of a booking's modification. */
const MODIFICATION: readonly Mutation[] = [
  {
    says: 'a shrink is applied to another claim of the booking',
    rules: withAllotment((command, state) => {
      return allotment.decide(
        command.type === 'ShrinkClaim' ? { ...command, claim: otherClaim(state, command.claim) } : command,
        state,
      );
    }),
    from: SHRUNK_OVER_TWO_CLAIMS,
    breaks: ['a booking holds its claims', 'nothing leaks'],
  },
  {
    says: 'growing takes back a slot whose return is under way',
    rules: takingBack(),
    from: SHRUNK_THEN_GROWN,
    breaks: ['a booking holds its claims', 'guests booked fit the capacity'],
  },
  {
    says: 'dropped claims are freed before the fact is stored',
    rules: {
      ...RULES,
      *modify(ask, nameClaim) {
        const [{ allotment: id, id: claim }] = ask.state.facts.claims as readonly [ClaimRef];
        if (ask.move !== null) yield { to: 'allotment', id, command: { type: 'ReleaseSlots', claim } };
        return yield* modificationWorkflow(ask, nameClaim);
      },
    },
    from: MOVE_AGAINST_CANCEL,
    breaks: ['a booking holds its claims', 'nothing is given back early'],
  },
  {
    says: 'a modification takes claims that the booking has abandoned',
    rules: withModify((command, state) => booking.decide(command, { ...state, abandoned: [] })),
    from: GROWN_AND_NEWCOMER,
    breaks: ['a booking holds its claims', 'guests booked fit the capacity'],
  },
  {
    says: 'a modification takes a record of the guest that the booking has abandoned',
    rules: withModify((command, state) => booking.decide(command, { ...state, abandoned: [] })),
    from: RENAME_AGAINST_SHRINK,
    breaks: ['a booked guest is on record'],
  },
  {
    says: 'nobody looks whether the booking has changed since the modification was planned',
    rules: withModify((command, state) => {
      return booking.decide(state.status === 'none' ? command : { ...command, plannedOn: state.version }, state);
    }),
    from: RENAME_AGAINST_SHRINK,
    breaks: ['a change is made to what its asker saw'],
  },
  {
    says: 'a shrink counts as often as it comes',
    rules: withAllotment((command, state) => {
      if (command.type !== 'ShrinkClaim' || state.status === 'unopened') return allotment.decide(command, state);
      const { claim, left, version } = command;
      return accept({ type: 'ClaimShrunk', data: { claim, left, size: 1, version } });
    }),
    from: SHRUNK_THEN_GROWN,
    breaks: ['a late command is harmless'],
  },
];

/** … of its end, and of the venue's answer. */
const ENDING: readonly Mutation[] = [
  {
    says: 'a booking that was cancelled can be modified still',
    rules: withModify((command, state) => {
      if (state.status !== 'cancelled') return booking.decide(command, state);
      const { cancellation: _, ...rest } = state;
      return booking.decide(command, { ...rest, status: 'confirmed' });
    }),
    from: GROW_AGAINST_CANCEL,
    breaks: ['charges equal what is confirmed'],
  },
  {
    says: 'the reaper knows nothing of cancellations',
    rules: withReaper({
      react: (open, event) => (event.type === 'BookingCancelled' ? open : reaper.react(open, event)),
    }),
    from: MOVE_AGAINST_CANCEL,
    breaks: ['nothing leaks'],
  },
  {
    says: 'the voucher of a confirmation is as it was made out',
    rules: withDeciders({
      booking: {
        ...booking,
        decide(command, state) {
          const decision = booking.decide(command, state);
          if (command.type !== 'Confirm' || decision.kind === 'rejected') return decision;
          return accept(...decision.events.map((event) => issuing(event, command.voucher)));
        },
      },
    }),
    from: ON_REQUEST,
    breaks: ['a voucher is for its booking'],
  },
  {
    says: 'a guest who is forgotten is recorded again',
    rules: withModify((command, state) => {
      return booking.decide(command, state.status === 'none' ? state : { ...state, guestErased: false });
    }),
    from: RENAME_AGAINST_ERASURE,
    breaks: ['nothing leaks'],
  },
];

/** … of holds. */
const HOLDS: readonly Mutation[] = [
  {
    says: 'a hold is taken after its release',
    rules: withAllotment((command, state) => {
      return allotment.decide(command, command.type === 'TakeHold' ? reopened(state, command.hold) : state);
    }),
    from: HOLD_LET_GO,
    breaks: ['the decider counts the slots that are claimed', 'slots taken fit the capacity'],
  },
  {
    says: "a released hold's id is used again",
    rules: withAllotment((command, state) => {
      return allotment.decide(command, command.type === 'HoldSlots' ? forgotten(state, command.hold) : state);
    }),
    from: HOLD_SENT_AGAIN,
    breaks: ['an id stands for one taking of slots'],
  },
  {
    says: 'a hold that was used is to be had again',
    rules: withAllotment((command, state) => {
      return allotment.decide(command, command.type === 'TakeHold' ? reopened(state, command.hold) : state);
    }),
    from: HOLD_USED_TWICE,
    breaks: ['the decider counts the slots that are claimed'],
  },
  {
    says: 'the end of a hold is not waited for',
    rules: withReaper({
      react(open, event) {
        if (event.type !== 'SlotsHeld') return reaper.react(open, event);
        return reaper.react(open, { ...event, data: { ...event.data, expiresAtMs: Number.POSITIVE_INFINITY } });
      },
    }),
    from: HOLD_USED_TWICE,
    breaks: ['nothing leaks', 'the reaper comes to rest'],
  },
];

/** The rules of a booking's whole life with one piece taken out. */
export const LIFE_MUTATIONS: readonly Mutation[] = [...MODIFICATION, ...ENDING, ...HOLDS];

function withAllotment(decide: Rules['deciders']['allotment']['decide']): Rules {
  return withDeciders({ allotment: { ...allotment, decide } });
}

function withModify(modify: (command: Modify, state: Booking) => ReturnType<typeof booking.decide>): Rules {
  return withDeciders({
    booking: {
      ...booking,
      decide: (command, state) => (command.type === 'Modify' ? modify(command, state) : booking.decide(command, state)),
    },
  });
}

/** Growing claims nothing where the booking had as many guests before: its first claim is relied on as a whole again. */
function takingBack(): Rules {
  const rules = withModify((command, state) => {
    if (command.taken !== null || state.status === 'none') return booking.decide(command, state);
    const [first] = state.facts.claims;
    const more = command.modification.numAdults - state.facts.numAdults;
    if (first === undefined || more <= 0) return booking.decide(command, state);
    const decision = booking.decide({ ...command, taken: { ...first, size: more } }, state);
    return decision.kind === 'rejected' ? decision : accept(...decision.events.map(joined));
  });
  return {
    ...rules,
    *modify({ booking: id, metadata, state, numAdults, numChildren }) {
      const modification = { move: null, numAdults, numChildren, guest: null };
      const command = { type: 'Modify', ...metadata, plannedOn: state.version, modification, taken: null } as const;
      const recorded: StepResult = yield { to: 'booking', id, command };
      return recorded.kind === 'done' ? { kind: 'modified' } : { kind: 'contended' };
    },
  };
}

/** With two references to one claim as one. */
function joined(event: BookingEvent): BookingEvent {
  if (event.type !== 'BookingModified') return event;
  const [first] = event.data.claims as readonly [ClaimRef];
  const size = event.data.claims.reduce((sum, claim) => sum + claim.size, 0);
  return { ...event, data: { ...event.data, claims: [{ ...first, size }] } };
}

function issuing(event: BookingEvent, voucher: Extract<BookingCommand, { type: 'Confirm' }>['voucher']): BookingEvent {
  return event.type === 'VoucherIssued' ? { ...event, data: voucher } : event;
}

function otherClaim(state: Allotment, id: ClaimId): ClaimId {
  if (state.status === 'unopened') return id;
  const own = state.claims.get(id)?.booking;
  for (const [other, { booking: by }] of state.claims.entries())
    if (other !== id && by === own) return other as ClaimId;
  return id;
}

/** The allotment as if the hold had not been given back or used, though what it counts as taken stays. */
function reopened(state: Allotment, id: HoldId): Allotment {
  const hold = state.status === 'open' ? state.holds.get(id) : undefined;
  if (state.status === 'unopened' || hold === undefined) return state;
  return { ...state, holds: state.holds.with(id, { ...hold, status: 'open' }) };
}

/** The allotment as if it had never seen a hold that was let go. */
function forgotten(state: Allotment, id: HoldId): Allotment {
  const released = state.status === 'open' && state.holds.get(id)?.status === 'released';
  return released ? { ...state, holds: state.holds.without(id) } : state;
}
