import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { PAID_HOLD, UNPAID_PLACES } from './life-scenarios.ts';
import { type Mutation, withDeciders, withReaper } from './mutation.ts';
import { RULES } from './rules.ts';

const { reaper } = RULES;
const { allotment } = RULES.deciders;

/** Pieces of what a key may take before it pays. */
export const UNPAID_MUTATIONS: readonly Mutation[] = [
  {
    name: 'the share is not checked',
    rules: withDeciders({
      allotment: { ...allotment, decide: (command, state) => allotment.decide(withoutShare(command), state) },
    }),
    scenario: UNPAID_PLACES,
    breaks: ['unpaid places do not exceed the share of their key'],
  },
  {
    name: 'a used hold still counts as unpaid',
    rules: withDeciders({
      allotment: {
        ...allotment,
        evolve(state, event) {
          const after = allotment.evolve(state, event);
          if (event.type !== 'HoldTaken' || after.status !== 'open' || state.status !== 'open') return after;
          return { ...after, unpaid: state.unpaid };
        },
      },
    }),
    scenario: PAID_HOLD,
    breaks: ['the decider counts the unpaid places'],
  },
  {
    name: 'the reaper does not record that the venue confirmed',
    rules: withReaper({
      react: (open, event) =>
        reaper.react(
          open,
          event.type === 'BookingConfirmed' ? { ...event, data: { ...event.data, follows: null } } : event,
        ),
    }),
    scenario: UNPAID_PLACES,
    breaks: ['a confirmed booking does not count as unpaid'],
  },
];

function withoutShare(command: AllotmentCommand): AllotmentCommand {
  if (command.type !== 'ClaimSlots' || command.unpaid === null) return command;
  return { ...command, unpaid: { ...command.unpaid, share: null } };
}
