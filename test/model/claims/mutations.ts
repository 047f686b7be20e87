import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import type { Allotment, Claim } from '../../../src/domain/allotment/state.ts';
import type { ClaimParts } from '../../../src/domain/booking/workflow-step.ts';
import type { ClaimId } from '../../../src/domain/ids.ts';
import { accept } from '../../../src/eventsourcing/decider.ts';
import type { ReapClaimsCommand } from '../../../src/processes/reap-claims/process-manager.ts';
import { type Mutation, withDeciders, withReaper } from './mutation.ts';
import { claimId } from './requests.ts';
import { RULES, type Rules } from './rules.ts';
import {
  GUARDED,
  RIVALS,
  SENT_AGAIN,
  SENT_AGAIN_AND_NEWCOMER,
  TWO_EXPECTATIONS,
  TWO_SIZES,
  TWO_SIZES_AND_NEWCOMER,
  TWO_SIZES_SENT_AGAIN,
} from './scenarios.ts';

const { reaper } = RULES;
const { allotment, booking } = RULES.deciders;

export const BOOKS_ABANDONED: Rules = withDeciders({
  booking: {
    ...booking,
    decide: (command, state) =>
      booking.decide(command, command.type === 'ConfirmWithoutVenue' ? { ...state, abandoned: [] } : state),
  },
});

const FENCE: readonly Mutation[] = [
  {
    name: 'the reaper releases slots without ClaimAbandoned in the booking',
    rules: withReaper({
      react(open, event) {
        return event.type === 'SlotsReleased' ? open.without(event.data.claim) : reaper.react(open, event);
      },
      due: (open, nowMs, room) =>
        reaper.due(open, nowMs, room).flatMap((command): readonly ReapClaimsCommand[] => {
          if (command.type !== 'AbandonClaim') return [command];
          const { claimId: claim } = command;
          return [
            { type: 'ReleaseSlots', allotmentId: command.allotmentId, claimId: claim },
            { type: 'EraseGuest', claimId: claim },
          ];
        }),
    }),
    scenario: RIVALS,
    breaks: ['a booking holds its claims', 'booked guests do not exceed the capacity'],
  },
  {
    name: 'the booking names claims that it has abandoned',
    rules: BOOKS_ABANDONED,
    scenario: RIVALS,
    breaks: ['a booking holds its claims', 'booked guests do not exceed the capacity'],
  },
  {
    name: 'a guest is erased before the abandonment is stored',
    rules: withReaper({
      due: (open, nowMs, room) =>
        reaper.due(open, nowMs, room).flatMap((command): readonly ReapClaimsCommand[] => {
          return command.type === 'AbandonClaim'
            ? [command, { type: 'EraseGuest', claimId: command.claimId }]
            : [command];
        }),
    }),
    scenario: RIVALS,
    breaks: ['the guest of a booking is recorded', 'no attempt is contended'],
  },
  {
    name: 'the store appends at any revision',
    rules: {
      ...withDeciders({
        allotment: {
          ...allotment,
          // The release of an overwritten claim finds no claim.
          evolve: (state, event) =>
            event.type === 'SlotsReleased' && state.status === 'open' && !state.claims.get(event.data.claim)
              ? state
              : allotment.evolve(state, event),
        },
      }),
      expectedRevision: false,
    },
    scenario: RIVALS,
    breaks: ['taken slots do not exceed the capacity', 'booked guests do not exceed the capacity'],
  },
];

const CLAIM_ID: readonly Mutation[] = [
  {
    // The fingerprint contains the size too, so it is removed as well.
    name: "a claim's id has no size",
    rules: { ...RULES, claimId: withoutSize },
    scenario: TWO_SIZES,
    breaks: ['no attempt is contended'],
  },
  {
    name: "a claim's id has no size, and the allotment adopts claims of any size",
    rules: {
      ...withDeciders({
        allotment: {
          ...allotment,
          decide: (command, state) =>
            command.type === 'ClaimSlots' && claimIn(state, command)?.released === false
              ? accept()
              : allotment.decide(command, state),
        },
      }),
      claimId: withoutSize,
    },
    scenario: TWO_SIZES_AND_NEWCOMER,
    breaks: ['a booking holds its claims', 'booked guests do not exceed the capacity'],
  },
  {
    name: "a claim's id has no count of abandonments",
    rules: { ...RULES, claimId: (parts) => claimId({ ...parts, abandonments: 0 }) },
    scenario: SENT_AGAIN,
    breaks: ['no attempt is contended'],
  },
];

const ONCE: readonly Mutation[] = [
  {
    name: 'a repeated release counts again',
    rules: withDeciders({
      allotment: {
        ...allotment,
        decide(command, state) {
          const known = claimIn(state, command);
          if (command.type !== 'ReleaseSlots' || known === undefined) return allotment.decide(command, state);
          return accept({ type: 'SlotsReleased', data: { claim: command.claimId, size: known.size } });
        },
      },
    }),
    scenario: SENT_AGAIN_AND_NEWCOMER,
    breaks: [
      'taken slots do not exceed the capacity',
      'booked guests do not exceed the capacity',
      'the decider counts the taken slots',
      'a late command of a reaper changes nothing',
    ],
  },
  {
    name: 'a released claim can be claimed again',
    rules: withDeciders({
      allotment: {
        ...allotment,
        decide: (command, state) =>
          allotment.decide(
            command,
            'claimId' in command && claimIn(state, command)?.released ? forgetting(state, command.claimId) : state,
          ),
      },
    }),
    scenario: SENT_AGAIN,
    breaks: ['an id is claimed and released at most once'],
  },
  {
    name: 'a repeated request confirms the booking again',
    rules: withDeciders({
      booking: {
        ...booking,
        decide: (command, state) =>
          booking.decide(
            command,
            command.type === 'ConfirmWithoutVenue' ? { status: 'none', abandoned: state.abandoned } : state,
          ),
      },
    }),
    scenario: SENT_AGAIN,
    breaks: ['charges match confirmations', 'a booking is confirmed at most once'],
  },
];

const PRICE: readonly Mutation[] = [
  {
    name: 'the allotment does not compare the total of a claim with the expected one',
    rules: withDeciders({
      allotment: {
        ...allotment,
        decide: (command, state) =>
          allotment.decide('expectedTotalMinor' in command ? { ...command, expectedTotalMinor: null } : command, state),
      },
    }),
    scenario: GUARDED,
    breaks: ['a booking is made only at the expected total'],
  },
  {
    name: 'a repeated claim is adopted at any price',
    rules: withDeciders({
      allotment: {
        ...allotment,
        decide: (command, state) =>
          command.type === 'ClaimSlots' && claimIn(state, command)?.released === false
            ? accept()
            : allotment.decide(command, state),
      },
    }),
    scenario: TWO_EXPECTATIONS,
    breaks: ['a booking is made only at the expected total'],
  },
];

/** Small faults outside the protocol that break the remaining invariants. */
const SLIPS: readonly Mutation[] = [
  {
    name: 'the reaper does not wait for the deadline',
    rules: withReaper({ due: (open, _nowMs, room) => reaper.due(open, Number.POSITIVE_INFINITY, room) }),
    scenario: RIVALS,
    breaks: ['nothing is released before its deadline'],
  },
  {
    name: 'the reaper forgets all claims of a booking that is confirmed',
    rules: withReaper({
      react(open, event) {
        if (event.type !== 'BookingConfirmed') return reaper.react(open, event);
        const own = [...open.entries()].filter(
          ([, item]) => item.kind === 'claim' && event.stream === `booking-${item.bookingId}`,
        );
        return own.reduce((rest, [claim]) => rest.without(claim), open);
      },
    }),
    scenario: TWO_SIZES,
    breaks: ['no slot or guest record leaks'],
  },
  {
    name: 'the checkpoint is the newest open claim',
    rules: withReaper({
      oldestOpen: (open) =>
        [...open.entries()]
          .map(([, { position }]) => position)
          .sort((left, right) => left - right)
          .at(-1) ?? null,
    }),
    scenario: RIVALS,
    breaks: ['a restarted reaper has the same open items'],
  },
  {
    name: 'an allotment keeps its last slot',
    rules: withDeciders({
      allotment: {
        ...allotment,
        decide: (command, state) =>
          allotment.decide(command, state.status === 'open' ? { ...state, taken: state.taken + 1 } : state),
      },
    }),
    scenario: TWO_SIZES,
    breaks: ['an answer matches the stored state'],
  },
  {
    name: 'a node does not see that the booking exists',
    rules: {
      ...RULES,
      reading: ({ abandoned }) => ({ kind: 'read', booking: { status: 'none', abandoned } }),
    },
    scenario: TWO_SIZES_SENT_AGAIN,
    breaks: ['a request that took effect is not rejected'],
  },
];

export const MUTATIONS: readonly Mutation[] = [...FENCE, ...CLAIM_ID, ...ONCE, ...PRICE, ...SLIPS];

function withoutSize(parts: ClaimParts): ClaimId {
  return claimId({ ...parts, size: 0, fingerprint: 'any body' as ClaimParts['fingerprint'] });
}

/** The allotment's claim that a command names. */
function claimIn(state: Allotment, command: AllotmentCommand): Claim | undefined {
  return state.status === 'open' && 'claimId' in command ? state.claims.get(command.claimId) : undefined;
}

/** The allotment without the claim; the number of taken slots stays. */
function forgetting(state: Allotment, id: ClaimId): Allotment {
  return state.status === 'open' ? { ...state, claims: state.claims.without(id) } : state;
}
