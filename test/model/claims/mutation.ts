import { RULES, type Rules } from './rules.ts';
import type { Deciders } from './stream.ts';
import type { Invariant } from './violation.ts';
import type { Scenario } from './world.ts';

/** The rules with one piece removed, a scenario, and the invariants that break in it. */
export type Mutation = {
  readonly name: string;
  readonly rules: Rules;
  readonly scenario: Scenario;
  readonly breaks: readonly Invariant[];
};

/** The rules with another reaper. */
export function withReaper(changed: Partial<Rules['reaper']>): Rules {
  return { ...RULES, reaper: { ...RULES.reaper, ...changed } };
}

/** The rules with other deciders. */
export function withDeciders(changed: Partial<Deciders>): Rules {
  return { ...RULES, deciders: { ...RULES.deciders, ...changed } };
}
