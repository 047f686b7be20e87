import { watch } from './invariants.ts';
import type { Rules } from './rules.ts';
import type { Invariant, Violation } from './violation.ts';
import { describeResult, initialWorld, keyOf, type Move, moves, type Scenario, type World } from './world.ts';

export type Found = {
  readonly states: number;
  readonly transitions: number;
  /** Every rejection that a request received, and every kind of outcome. */
  readonly seen: ReadonlySet<string>;
  /** The first violation, with a shortest sequence of moves to it; null for none. */
  readonly fault: (Violation & { readonly steps: readonly string[] }) | null;
};

/** The path to a world: the index of each move among the moves of the previous world. */
type Way = { readonly before: Way; readonly choice: number } | null;

/**
 * Checks every reachable world, breadth first, until an invariant is violated.
 * @param only the invariants to check, by default all
 */
export function search(scenario: Scenario, rules: Rules, only?: readonly Invariant[]): Found {
  const start = initialWorld(scenario, rules);
  const watched = watch(rules, only);
  const known = new Set([keyOf(start)]);
  const seen = new Set<string>();
  let transitions = 0;
  let layer: { readonly world: World; readonly way: Way }[] = [{ world: start, way: null }];
  while (layer.length > 0) {
    const next: typeof layer = [];
    for (const { world, way: before } of layer) {
      for (const [choice, move] of moves(world, rules).entries()) {
        transitions += 1;
        note(move, seen);
        const way = { before, choice };
        const key = keyOf(move.world);
        // An answer belongs to the move, so it is checked even if the world after it is known.
        const violation = watched.answer(move) ?? (known.has(key) ? null : watched.world(move.world));
        if (violation !== null) {
          const steps = stepsOf(way, start, rules);
          return { states: known.size, transitions, seen, fault: { ...violation, steps } };
        }
        if (known.has(key)) continue;
        known.add(key);
        next.push({ world: move.world, way });
      }
    }
    layer = next;
  }
  return { states: known.size, transitions, seen, fault: null };
}

function note({ execution }: Move, seen: Set<string>): void {
  if (execution === null) return;
  const { result, attempt } = execution;
  if (result?.kind === 'rejected' || result?.kind === 'erased') seen.add(describeResult(result));
  if (attempt.outcome !== null) seen.add(attempt.outcome.kind);
}

/** Descriptions of the moves of a path. */
function stepsOf(way: Way, start: World, rules: Rules): string[] {
  const choices: number[] = [];
  for (let at = way; at !== null; at = at.before) choices.push(at.choice);
  const steps: string[] = [];
  let world = start;
  for (const choice of choices.toReversed()) {
    const move = moves(world, rules)[choice];
    if (move === undefined) throw new Error('the moves of a world changed at the second run');
    steps.push(move.describe());
    world = move.world;
  }
  return steps;
}
