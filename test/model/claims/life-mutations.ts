import type { Allotment } from '../../../src/domain/allotment/state.ts';
import type { BookingCommandOf } from '../../../src/domain/booking/commands.ts';
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
  HOLD_RELEASED,
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

type Modify = BookingCommandOf<'Modify'>;

/** Pieces of a modification. */
const MODIFICATION: readonly Mutation[] = [
  {
    name: 'a shrink is applied to another claim of the booking',
    rules: withAllotment((command, state) => {
      return allotment.decide(
        command.type === 'ShrinkClaim' ? { ...command, claimId: otherClaim(state, command.claimId) } : command,
        state,
      );
    }),
    scenario: SHRUNK_OVER_TWO_CLAIMS,
    breaks: ['a booking holds its claims', 'no slot or guest record leaks'],
  },
  {
    name: 'growing reuses a slot whose release is pending',
    rules: takingBack(),
    scenario: SHRUNK_THEN_GROWN,
    breaks: ['a booking holds its claims', 'booked guests do not exceed the capacity'],
  },
  {
    name: 'dropped claims are released before the modification is stored',
    rules: {
      ...RULES,
      *modify(input, claimIdOf) {
        const [{ allotment: id, id: claimId }] = input.booking.facts.claims as readonly [ClaimRef];
        if (input.move !== null) yield { to: 'allotment', id, command: { type: 'ReleaseSlots', claimId } };
        return yield* modificationWorkflow(input, claimIdOf);
      },
    },
    scenario: MOVE_AGAINST_CANCEL,
    breaks: ['a booking holds its claims', 'nothing is released before its deadline'],
  },
  {
    name: 'a modification takes claims that the booking has abandoned',
    rules: withModify((command, state) => booking.decide(command, { ...state, abandoned: [] })),
    scenario: GROWN_AND_NEWCOMER,
    breaks: ['a booking holds its claims', 'booked guests do not exceed the capacity'],
  },
  {
    name: 'a modification names a guest record that the booking has abandoned',
    rules: withModify((command, state) => booking.decide(command, { ...state, abandoned: [] })),
    scenario: RENAME_AGAINST_SHRINK,
    breaks: ['the guest of a booking is recorded'],
  },
  {
    name: 'a modification ignores changes since it was planned',
    rules: withModify((command, state) => {
      return booking.decide(state.status === 'none' ? command : { ...command, plannedOn: state.version }, state);
    }),
    scenario: RENAME_AGAINST_SHRINK,
    breaks: ['a modification applies to the version it was planned on'],
  },
  {
    name: 'a repeated shrink counts again',
    rules: withAllotment((command, state) => {
      if (command.type !== 'ShrinkClaim' || state.status === 'unopened') return allotment.decide(command, state);
      const { claimId, left, version } = command;
      return accept({ type: 'ClaimShrunk', data: { claim: claimId, left, size: 1, version } });
    }),
    scenario: SHRUNK_THEN_GROWN,
    breaks: ['a late command of a reaper changes nothing'],
  },
];

/** Pieces of cancellation, confirmation and erasure. */
const ENDING: readonly Mutation[] = [
  {
    name: 'a cancelled booking can be modified',
    rules: withModify((command, state) => {
      if (state.status !== 'cancelled') return booking.decide(command, state);
      const { cancellation: _, ...rest } = state;
      return booking.decide(command, { ...rest, status: 'confirmed' });
    }),
    scenario: GROW_AGAINST_CANCEL,
    breaks: ['charges match confirmations'],
  },
  {
    name: 'the reaper ignores cancellations',
    rules: withReaper({
      react: (open, event) => (event.type === 'BookingCancelled' ? open : reaper.react(open, event)),
    }),
    scenario: MOVE_AGAINST_CANCEL,
    breaks: ['no slot or guest record leaks'],
  },
  {
    name: 'a confirmation issues the voucher for the original date',
    rules: withDeciders({
      booking: {
        ...booking,
        decide(command, state) {
          const decision = booking.decide(command, state);
          if (command.type !== 'ConfirmByVenue' || decision.kind === 'rejected') return decision;
          return accept(...decision.events.map((event) => issuing(event, command.voucher)));
        },
      },
    }),
    scenario: ON_REQUEST,
    breaks: ['a voucher is valid on the date of its booking'],
  },
  {
    name: 'an erased guest is recorded again',
    rules: withModify((command, state) => {
      return booking.decide(command, state.status === 'none' ? state : { ...state, guestErased: false });
    }),
    scenario: RENAME_AGAINST_ERASURE,
    breaks: ['no slot or guest record leaks'],
  },
];

/** Pieces of holds. */
const HOLDS: readonly Mutation[] = [
  {
    name: 'a hold is taken after its release',
    rules: withAllotment((command, state) => {
      return allotment.decide(command, command.type === 'TakeHold' ? reopened(state, command.holdId) : state);
    }),
    scenario: HOLD_RELEASED,
    breaks: ['the decider counts the taken slots', 'taken slots do not exceed the capacity'],
  },
  {
    name: "a released hold's id is used again",
    rules: withAllotment((command, state) => {
      return allotment.decide(command, command.type === 'HoldSlots' ? forgotten(state, command.holdId) : state);
    }),
    scenario: HOLD_SENT_AGAIN,
    breaks: ['an id is claimed and released at most once'],
  },
  {
    name: 'a used hold can be used again',
    rules: withAllotment((command, state) => {
      return allotment.decide(command, command.type === 'TakeHold' ? reopened(state, command.holdId) : state);
    }),
    scenario: HOLD_USED_TWICE,
    breaks: ['the decider counts the taken slots'],
  },
  {
    name: 'the reaper never releases an expired hold',
    rules: withReaper({
      react(open, event) {
        if (event.type !== 'SlotsHeld') return reaper.react(open, event);
        return reaper.react(open, { ...event, data: { ...event.data, expiresAtMs: Number.POSITIVE_INFINITY } });
      },
    }),
    scenario: HOLD_USED_TWICE,
    breaks: ['no slot or guest record leaks', 'the reaper finishes'],
  },
];

/** The rules of a booking's whole life, each time with one piece removed. */
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

/** Growing claims nothing if the booking had as many guests before: it relies on its whole first claim again. */
function takingBack(): Rules {
  const rules = withModify((command, state) => {
    if (command.taken !== null || state.status === 'none') return booking.decide(command, state);
    const [first] = state.facts.claims;
    const more = command.modification.numAdults - state.facts.numAdults;
    if (first === undefined || more <= 0) return booking.decide(command, state);
    const taken = { claim: { ...first, size: more }, pricing: state.facts.pricing };
    const decision = booking.decide({ ...command, taken }, state);
    return decision.kind === 'rejected' ? decision : accept(...decision.events.map(joined));
  });
  return {
    ...rules,
    *modify({ bookingId: id, booking: planned, metadata, numAdults, numChildren }) {
      const modification = { move: null, numAdults, numChildren, guest: null };
      const command = { type: 'Modify', ...metadata, plannedOn: planned.version, modification, taken: null } as const;
      const recorded: StepResult = yield { to: 'booking', id, command };
      return recorded.kind === 'done' ? { kind: 'modified' } : { kind: 'contended' };
    },
  };
}

/** Merges two references to one claim. */
function joined(event: BookingEvent): BookingEvent {
  if (event.type !== 'BookingModified') return event;
  const [first] = event.data.claims as readonly [ClaimRef];
  const size = event.data.claims.reduce((sum, claim) => sum + claim.size, 0);
  return { ...event, data: { ...event.data, claims: [{ ...first, size }] } };
}

function issuing(event: BookingEvent, voucher: BookingCommandOf<'ConfirmByVenue'>['voucher']): BookingEvent {
  return event.type === 'VoucherIssued' ? { ...event, data: voucher } : event;
}

function otherClaim(state: Allotment, id: ClaimId): ClaimId {
  if (state.status === 'unopened') return id;
  const own = state.claims.get(id)?.booking;
  for (const [other, { booking: by }] of state.claims.entries())
    if (other !== id && by === own) return other as ClaimId;
  return id;
}

/** The allotment with the hold open again; the number of taken slots stays. */
function reopened(state: Allotment, id: HoldId): Allotment {
  const hold = state.status === 'open' ? state.holds.get(id) : undefined;
  if (state.status === 'unopened' || hold === undefined) return state;
  return { ...state, holds: state.holds.with(id, { ...hold, status: 'open' }) };
}

/** The allotment without a hold that was released. */
function forgotten(state: Allotment, id: HoldId): Allotment {
  const released = state.status === 'open' && state.holds.get(id)?.status === 'released';
  return released ? { ...state, holds: state.holds.without(id) } : state;
}
