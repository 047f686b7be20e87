import type { Violation } from './invariants.ts';
import { keyOf, type Move, moves, type World } from './world.ts';
export type Check = (world: World, by: number | null) => Violation | null;
export type Found = { readonly states: number; readonly transitions: number; readonly fault: (Violation & { readonly trace: readonly string[] }) | null };

export function search(start: World, check: Check, expectedRevision: boolean): Found {
  const seen = new Set([keyOf(start)]);
  const parents = [-1];
  const choices = [-1];
  let transitions = 0;
  let frontier = [{ world: start, index: 0 }];
  while (frontier.length > 0) {
    const next: typeof frontier = [];
    for (const { world, index } of frontier) {
      for (const [choice, move] of moves(world, expectedRevision).entries()) {
        transitions += 1;
        const key = keyOf(move.world);
        if (seen.has(key)) continue;
        seen.add(key);
        parents.push(index);
        choices.push(choice);
        const found = check(move.world, move.by);
        if (found) return { states: seen.size, transitions, fault: { ...found, trace: traceTo(start, parents, choices, expectedRevision) } };
        next.push({ world: move.world, index: parents.length - 1 });
      }
    }
    frontier = next;
  }
  return { states: seen.size, transitions, fault: null };
}
function traceTo(start: World, parents: number[], choices: number[], expectedRevision: boolean): string[] {
  const path: number[] = [];
  for (let index = parents.length - 1; index > 0; index = parents[index] as number) path.unshift(choices[index] as number);
  let world = start;
  return path.map((choice) => {
    const move = moves(world, expectedRevision)[choice] as Move;
    world = move.world;
    return move.says();
  });
}
