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

/** The way to a world: the choice among the moves of the world before. */
type Way = { readonly before: Way; readonly choice: number } | null;

/**
 * Looks at every world that can come to be, breadth first, until an invariant is violated.
 * @param only the invariants to look at, all by default.
 */
export function search(scenario: Scenario, rules: Rules, only?: readonly Invariant[]): Found {
  const start = beginning(scenario, rules);
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
        // An answer belongs to the move, and is looked at also where the world that it leads to is known.
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

function note({ request }: Move, seen: Set<string>): void {
  if (request === null) return;
  const { told, attempt } = request;
  if (told?.kind === 'rejected' || told?.kind === 'erased') seen.add(spoken(told));
  if (attempt.outcome !== null) seen.add(attempt.outcome.kind);
}

/** The moves of a way, made again from its beginning. */
function stepsOf(way: Way, start: World, rules: Rules): string[] {
  const choices: number[] = [];
  for (let at = way; at !== null; at = at.before) choices.push(at.choice);
  const steps: string[] = [];
  let world = start;
  for (const choice of choices.toReversed()) {
    const move = moves(world, rules)[choice];
    if (move === undefined) throw new Error('the moves of a world are not the same the second time');
    steps.push(move.says());
    world = move.world;
  }
  return steps;
}
