import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import type { Allotment, Claim } from '../../../src/domain/allotment/state.ts';
import type { ClaimParts } from '../../../src/domain/booking/workflow-step.ts';
import type { ClaimId } from '../../../src/domain/ids.ts';
import { accept } from '../../../src/eventsourcing/decider.ts';
import type { ReaperCommand } from '../../../src/processes/reap-claims/process-manager.ts';
import { type Mutation, withDeciders, withReaper } from './mutation.ts';
import { RULES, type Rules } from './rules.ts';
import {
  RIVALS,
  SENT_AGAIN,
  SENT_AGAIN_AND_NEWCOMER,
  TWO_SIZES,
  TWO_SIZES_AND_NEWCOMER,
  TWO_SIZES_SENT_AGAIN,
} from './scenarios.ts';
import { claimId } from './wish.ts';

const { reaper } = RULES;
const { allotment, booking } = RULES.deciders;

export const BOOKS_ABANDONED: Rules = withDeciders({
  booking: {
    ...booking,
    decide: (command, state) =>
      booking.decide(command, command.type === 'ConfirmInstantly' ? { ...state, abandoned: [] } : state),
  },
});

const FENCE: readonly Mutation[] = [
  {
    says: 'the reaper gives slots back without telling the booking',
    rules: withReaper({
      react(open, event) {
        return event.type === 'SlotsReleased' ? open.without(event.data.claim) : reaper.react(open, event);
      },
      due: (open, nowMs, room) =>
        reaper.due(open, nowMs, room).flatMap((command): readonly ReaperCommand[] => {
          if (command.type !== 'AbandonClaim') return [command];
          const { claim } = command;
          return [
            { type: 'ReleaseSlots', allotment: command.allotment, claim },
            { type: 'EraseGuest', claim },
          ];
        }),
    }),
    from: RIVALS,
    breaks: ['a booking holds its claims', 'guests booked fit the capacity'],
  },
  {
    says: 'the booking takes claims that it has abandoned',
    rules: BOOKS_ABANDONED,
    from: RIVALS,
    breaks: ['a booking holds its claims', 'guests booked fit the capacity'],
  },
  {
    says: 'a guest is erased before the abandonment is stored',
    rules: withReaper({
      due: (open, nowMs, room) =>
        reaper.due(open, nowMs, room).flatMap((command): readonly ReaperCommand[] => {
          return command.type === 'AbandonClaim' ? [command, { type: 'EraseGuest', claim: command.claim }] : [command];
        }),
    }),
    from: RIVALS,
    breaks: ['a booked guest is on record', 'no attempt is contended'],
  },
  {
    says: 'the store appends at any revision',
    rules: {
      ...withDeciders({
        allotment: {
          ...allotment,
          // What was overwritten is not known any more, where it is given back.
          evolve: (state, event) =>
            event.type === 'SlotsReleased' && state.status === 'open' && !state.claims.get(event.data.claim)
              ? state
              : allotment.evolve(state, event),
        },
      }),
      expectedRevision: false,
    },
    from: RIVALS,
    breaks: ['slots taken fit the capacity', 'guests booked fit the capacity'],
  },
];

const CLAIM_ID: readonly Mutation[] = [
  {
    // The size stands in the body too, so the fingerprint has to go with it.
    says: "a claim's id has no size",
    rules: { ...RULES, claimId: withoutSize },
    from: TWO_SIZES,
    breaks: ['no attempt is contended'],
  },
  {
    says: "a claim's id has no size, and the allotment adopts a claim of any",
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
    from: TWO_SIZES_AND_NEWCOMER,
    breaks: ['a booking holds its claims', 'guests booked fit the capacity'],
  },
  {
    says: "a claim's id has no count of abandonments",
    rules: { ...RULES, claimId: (parts) => claimId({ ...parts, abandonments: 0 }) },
    from: SENT_AGAIN,
    breaks: ['no attempt is contended'],
  },
];

const ONCE: readonly Mutation[] = [
  {
    says: 'a release counts as often as it comes',
    rules: withDeciders({
      allotment: {
        ...allotment,
        decide(command, state) {
          const known = claimIn(state, command);
          if (command.type !== 'ReleaseSlots' || known === undefined) return allotment.decide(command, state);
          return accept({ type: 'SlotsReleased', data: { claim: command.claim, size: known.size } });
        },
      },
    }),
    from: SENT_AGAIN_AND_NEWCOMER,
    breaks: [
      'slots taken fit the capacity',
      'guests booked fit the capacity',
      'the decider counts the slots that are claimed',
      'a late command is harmless',
    ],
  },
  {
    says: 'a released claim can be claimed again',
    rules: withDeciders({
      allotment: {
        ...allotment,
        decide: (command, state) =>
          allotment.decide(
            command,
            'claim' in command && claimIn(state, command)?.released ? forgetting(state, command.claim) : state,
          ),
      },
    }),
    from: SENT_AGAIN,
    breaks: ['nothing leaks', 'the reaper comes to rest'],
  },
  {
    says: 'a booking is confirmed as often as it is asked for',
    rules: withDeciders({
      booking: {
        ...booking,
        decide: (command, state) =>
          booking.decide(
            command,
            command.type === 'ConfirmInstantly' ? { status: 'none', abandoned: state.abandoned } : state,
          ),
      },
    }),
    from: SENT_AGAIN,
    breaks: ['charges equal what is confirmed', 'a booking is confirmed once'],
  },
];

/** Not pieces of the protocol: small faults that show that the other invariants look. */
const SLIPS: readonly Mutation[] = [
  {
    says: 'the reaper does not wait for the deadline',
    rules: withReaper({ due: (open, _nowMs, room) => reaper.due(open, Number.POSITIVE_INFINITY, room) }),
    from: RIVALS,
    breaks: ['nothing is given back early'],
  },
  {
    says: 'the reaper forgets all claims of a booking that is confirmed',
    rules: withReaper({
      react(open, event) {
        if (event.type !== 'BookingConfirmed') return reaper.react(open, event);
        const own = [...open.entries()].filter(
          ([, item]) => item.kind === 'claim' && event.stream === `booking-${item.booking}`,
        );
        return own.reduce((rest, [claim]) => rest.without(claim), open);
      },
    }),
    from: TWO_SIZES,
    breaks: ['nothing leaks'],
  },
  {
    says: 'the checkpoint stands at the newest open claim',
    rules: withReaper({
      oldestOpen: (open) =>
        [...open.entries()]
          .map(([, { position }]) => position)
          .sort()
          .at(-1) ?? null,
    }),
    from: RIVALS,
    breaks: ['a reaper resumes where it was'],
  },
  {
    says: 'an allotment keeps its last slot',
    rules: withDeciders({
      allotment: {
        ...allotment,
        decide: (command, state) =>
          allotment.decide(command, state.status === 'open' ? { ...state, taken: state.taken + 1 } : state),
      },
    }),
    from: TWO_SIZES,
    breaks: ['an answer is true'],
  },
  {
    says: 'a node does not see that the booking exists',
    rules: {
      ...RULES,
      reading: ({ abandoned }) => ({ kind: 'read', booking: { status: 'none', abandoned } }),
    },
    from: TWO_SIZES_SENT_AGAIN,
    breaks: ['what is done is not refused'],
  },
];

export const MUTATIONS: readonly Mutation[] = [...FENCE, ...CLAIM_ID, ...ONCE, ...SLIPS];

function withoutSize(parts: ClaimParts): ClaimId {
  return claimId({ ...parts, size: 0, fingerprint: 'any body' as ClaimParts['fingerprint'] });
}

/** The claim that a command is about, as the allotment knows it. */
function claimIn(state: Allotment, command: AllotmentCommand): Claim | undefined {
  return state.status === 'open' && 'claim' in command ? state.claims.get(command.claim) : undefined;
}

/** The allotment as if it had never seen the claim, though what it counts as taken stays. */
function forgetting(state: Allotment, id: ClaimId): Allotment {
  return state.status === 'open' ? { ...state, claims: state.claims.without(id) } : state;
}
