import { OrderedMap } from '../../../src/collections/ordered-map.ts';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { Allotment, OpenAllotment } from '../../../src/domain/allotment/state.ts';
import { bookingWorkflow } from '../../../src/domain/booking/booking-workflow.ts';
import type { Step, StepResult } from '../../../src/domain/booking/workflow-step.ts';
import { CANCELLED_WHILE_SENT_AGAIN, HOLD_SENT_AGAIN, HOLD_SENT_AGAIN_AND_USED } from './life-scenarios.ts';
import type { Mutation } from './mutation.ts';
import { FORGETFUL, type Rules } from './rules.ts';
import { LAST_SLOTS, SENT_AGAIN } from './scenarios.ts';

const { allotment } = FORGETFUL.deciders;
/** As if every command knew all releases. */
const ALL = Number.MAX_SAFE_INTEGER;

/** Pieces of forgetting released ids. */
const FORGETTING: readonly Mutation[] = [
  {
    name: 'an allotment forgets claims at their release and does not compare the releases that a claim has seen',
    rules: withDecide((command) => (command.type === 'HoldSlots' ? command : seeing(command))),
    scenario: SENT_AGAIN,
    breaks: ['an id is claimed and released at most once'],
  },
  {
    name: 'it does so while a booking is cancelled and sent again',
    rules: withDecide((command) => (command.type === 'HoldSlots' ? command : seeing(command))),
    scenario: CANCELLED_WHILE_SENT_AGAIN,
    breaks: ['no slot or guest record leaks', 'the reaper finishes'],
  },
  {
    name: 'a node learns the number of releases after it has read the booking',
    rules: { ...FORGETFUL, book: (input, claimIdOf) => bookingWorkflow({ ...input, releasesSeen: ALL }, claimIdOf) },
    scenario: SENT_AGAIN,
    breaks: ['an id is claimed and released at most once'],
  },
  {
    name: 'after ID_FORGOTTEN a booking claims again without a read of its stream',
    rules: { ...FORGETFUL, book: insisting },
    scenario: SENT_AGAIN,
    breaks: ['an id is claimed and released at most once'],
  },
  {
    name: 'an allotment forgets claims that have slots',
    rules: withEvolve((after, { type, data }) => {
      if (type !== 'SlotsClaimed') return after;
      const claim = after.claims.get(data.claim);
      return claim === undefined
        ? after
        : { ...after, claims: new OrderedMap<string, typeof claim>().with(data.claim, claim) };
    }),
    scenario: LAST_SLOTS,
    breaks: ['no slot or guest record leaks', 'the reaper finishes'],
  },
  {
    name: 'an allotment forgets a released hold that is requested again',
    rules: withDecide((command) => (command.type === 'HoldSlots' ? seeing(command) : command)),
    scenario: HOLD_SENT_AGAIN,
    breaks: ['an id is claimed and released at most once'],
  },
  {
    name: 'an allotment forgets a hold when it is used',
    rules: withEvolve((after, { type, data }) =>
      type === 'HoldTaken' ? { ...after, holds: after.holds.without(data.hold) } : after,
    ),
    scenario: HOLD_SENT_AGAIN_AND_USED,
    breaks: ['an id is claimed and released at most once'],
  },
];

/** Pieces of snapshots. */
const SNAPSHOTS: readonly Mutation[] = [
  {
    name: 'a snapshot has no claims',
    rules: withSnapshot((state) => ({ ...state, claims: new OrderedMap() })),
    scenario: LAST_SLOTS,
    breaks: ['no slot or guest record leaks', 'a state from a snapshot is that of all events'],
  },
  {
    name: 'a snapshot has no number of releases',
    rules: withSnapshot((state) => ({ ...state, releases: 0 })),
    scenario: SENT_AGAIN,
    breaks: ['an id is claimed and released at most once', 'a state from a snapshot is that of all events'],
  },
  {
    name: 'a snapshot lacks the last claim of its revision',
    rules: withSnapshot((state, before) =>
      before.status === 'open' && before.taken > 0 && state.taken > before.taken ? before : state,
    ),
    scenario: LAST_SLOTS,
    breaks: ['the decider counts the taken slots', 'a state from a snapshot is that of all events'],
  },
];

/** The rules of forgetting and of snapshots, each time with one piece removed. */
export const FORGETTING_MUTATIONS: readonly Mutation[] = [...FORGETTING, ...SNAPSHOTS];

function withDecide(changed: (command: AllotmentCommand) => AllotmentCommand): Rules {
  const decide: typeof allotment.decide = (command, state) => allotment.decide(changed(command), state);
  return { ...FORGETFUL, deciders: { ...FORGETFUL.deciders, allotment: { ...allotment, decide } } };
}

function withEvolve(changed: (after: OpenAllotment, event: AllotmentEvent) => Allotment): Rules {
  const evolve: typeof allotment.evolve = (state, event) => {
    const after = allotment.evolve(state, event);
    return after.status === 'open' ? changed(after, event) : after;
  };
  return { ...FORGETFUL, deciders: { ...FORGETFUL.deciders, allotment: { ...allotment, evolve } } };
}

function withSnapshot(changed: (state: OpenAllotment, before: Allotment) => Allotment): Rules {
  return {
    ...FORGETFUL,
    snapshot: (state, before) => (state.status === 'open' ? changed(state, before) : state),
  };
}

function seeing(command: AllotmentCommand): AllotmentCommand {
  return 'releasesSeen' in command ? { ...command, releasesSeen: ALL } : command;
}

/** Answers ID_FORGOTTEN with the same claim, which has now seen all releases. */
function* insisting(...[input, claimIdOf]: Parameters<typeof bookingWorkflow>): ReturnType<typeof bookingWorkflow> {
  const workflow = bookingWorkflow(input, claimIdOf);
  let next = workflow.next();
  while (!next.done) {
    const { value: step } = next;
    let result: StepResult = yield step;
    if (step.to === 'allotment' && result.kind === 'rejected' && result.rejection.code === 'ID_FORGOTTEN') {
      const again: Step = { ...step, command: seeing(step.command) };
      result = yield again;
    }
    next = workflow.next(result);
  }
  return next.value;
}
