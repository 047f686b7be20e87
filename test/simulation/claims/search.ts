import { watch } from './invariants.ts';
import type { Rules } from './rules.ts';
import type { Invariant, Violation } from './violation.ts';
import { beginning, keyOf, type Move, moves, type Scenario, spoken, type World } from './world.ts';

export type Found = {
  readonly states: number;
  readonly transitions: number;
  /** Every kind of refusal that a request met with, and of answer that one gave. */
  readonly seen: ReadonlySet<string>;
  /** The first violation, with the moves of a shortest way to it; null if there is none. */
  readonly fault: (Violation & { readonly steps: readonly string[] }) | null;
};

/**
 * Looks at every world that can come to be, breadth first, until an invariant is violated.
 * @param only the invariants to look at, all by default.
 */
export function search(scenario: Scenario, rules: Rules, only?: readonly Invariant[]): Found {
  const start = beginning(scenario, rules);
  const watched = watch(rules, only);
  const known = new Set([keyOf(start)]);
  const seen = new Set<string>();
  const parents = [-1];
  const choices = [-1];
  let transitions = 0;
  let layer = [{ world: start, index: 0 }];
  while (layer.length > 0) {
    const next: typeof layer = [];
    for (const { world, index } of layer) {
      for (const [choice, move] of moves(world, rules).entries()) {
        transitions += 1;
        note(move, seen);
        let violation = watched.answer(move);
        const key = keyOf(move.world);
        if (violation === null && known.has(key)) continue;
        known.add(key);
        violation ??= watched.world(move.world);
        parents.push(index);
        choices.push(choice);
        if (violation !== null) {
          const steps = stepsTo(start, rules, parents, choices);
          return { states: known.size, transitions, seen, fault: { ...violation, steps } };
        }
        next.push({ world: move.world, index: parents.length - 1 });
      }
    }
    layer = next;
  }
  return { states: known.size, transitions, seen, fault: null };
}

function note({ request }: Move, seen: Set<string>): void {
  if (request === null) return;
  const { told, attempt } = request;
  if (told?.kind === 'refused' || told?.kind === 'erased') seen.add(spoken(told));
  if (attempt.outcome !== null) seen.add(attempt.outcome.kind);
}

/** The moves to the last world, made again from the first. */
function stepsTo(start: World, rules: Rules, parents: readonly number[], choices: readonly number[]): string[] {
  const path: number[] = [];
  for (let index = parents.length - 1; index > 0; index = parents[index] as number) path.push(choices[index] as number);
  let world = start;
  return path.reverse().map((choice) => {
    const move = moves(world, rules)[choice] as Move;
    world = move.world;
    return move.says();
  });
}
