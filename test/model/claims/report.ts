import type { Found } from './search.ts';
import type { Scenario } from './world.ts';

/** One line of what a search went through, and where it found a fault, the way to it. */
export function report({ name, claims }: Scenario, { states, transitions, fault }: Found): string {
  const bound = claims === 1 ? 'one claim a request' : `${claims} claims a request`;
  const counts = `${name} (${bound}): ${states} states, ${transitions} transitions`;
  if (fault === null) return `${counts}\n`;
  const steps = fault.steps.map((step, index) => `    ${index + 1}. ${step}\n`);
  return `${counts}\n  broken: ${fault.invariant} (${fault.detail})\n${steps.join('')}`;
}
