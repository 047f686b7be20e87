import type { Found } from './search.ts';
import type { Scenario } from './world.ts';

/** The size of a search in one line, and the steps to the fault if it found one. */
export function report({ name, claims }: Scenario, { states, transitions, fault }: Found): string {
  const bound = claims === 1 ? 'one claim a request' : `${claims} claims a request`;
  const counts = `${name} (${bound}): ${states} states, ${transitions} transitions`;
  if (fault === null) return `${counts}\n`;
  const steps = fault.steps.map((step, index) => `    ${index + 1}. ${step}\n`);
  return `${counts}\n  broken: ${fault.invariant} (${fault.detail})\n${steps.join('')}`;
}
