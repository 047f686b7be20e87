import type { Projection } from '../src/eventsourcing/projection.ts';
import type { ReadModelStore } from '../src/ports/read-model-store.ts';
import { nextBuild, nextCollection, pointerName } from './builds.ts';

/** `conversions.v2.b7`, as its version and the number of its build. */
const BUILD = /^(.+\.v\d+)\.b(\d+)$/;
const DROPPED = /^dropped\.b(\d+)$/;

/** When a node of a version was last seen; or that its builds below a number were dropped, since none had been for long. */
type Mark = { readonly kind: 'shown'; readonly atMs: number } | { readonly kind: 'dropped'; readonly below: number };

/**
 * Says that a node of this version of a projection is there, so that its collections are not dropped (docs/decisions/0029).
 * Where they were dropped, a build of a new name serves from now on, and is folded from the beginning of the log.
 *
 * @returns true where they were dropped
 */
export async function showVersion(
  projection: Projection<object>,
  readModels: ReadModelStore,
  nowMs: number,
): Promise<boolean> {
  const [version, shown] = [pointerName(projection), shownName(pointerName(projection))];
  let wereDropped = false;
  for (;;) {
    const before = await readModels.pointer(shown);
    if (before !== null && markOf(before).kind === 'dropped') {
      wereDropped = true;
      // Whoever drops may still be at it: of what was made by then it takes all, of this name nothing.
      const pointed = await readModels.pointer(version);
      const fresh = await nextCollection(projection, readModels);
      await readModels.ensure(fresh, projection.indexes);
      await readModels.movePointer(version, pointed, fresh);
    }
    if (await readModels.movePointer(shown, before, new Date(nowMs).toISOString())) return wereDropped;
  }
}

/**
 * Drops the collections of every version of which no node has shown itself for `graceMs`, older or newer than those of
 * this release: what comes back later is folded again. One that nobody ever showed itself of counts from now on.
 *
 * @returns their names
 */
export async function pruneVersions(
  own: readonly Projection<object>[],
  readModels: ReadModelStore,
  { nowMs, graceMs }: { readonly nowMs: number; readonly graceMs: number },
): Promise<readonly string[]> {
  const others = new Map<string, { readonly name: string; readonly build: number }[]>();
  const ours = new Set(own.map(pointerName));
  for (const name of await readModels.collections()) {
    const [, version = '', build] = BUILD.exec(name) ?? [];
    if (build === undefined || ours.has(version)) continue;
    others.set(version, [...(others.get(version) ?? []), { name, build: Number(build) }]);
  }
  const dropped: string[] = [];
  for (const [version, builds] of others) {
    const below = await droppedBelow(version, readModels, { nowMs, graceMs });
    for (const { name, build } of builds) {
      if (build >= below) continue;
      await readModels.drop(name);
      dropped.push(name);
    }
  }
  return dropped;
}

/** The number below which no build of the version will be used again; 0 where it is still in use. */
async function droppedBelow(
  version: string,
  readModels: ReadModelStore,
  { nowMs, graceMs }: { readonly nowMs: number; readonly graceMs: number },
): Promise<number> {
  // A collection that no pointer ever led to is somebody else's.
  if ((await readModels.pointer(version)) === null) return 0;
  const shown = await readModels.pointer(shownName(version));
  if (shown === null) {
    await readModels.movePointer(shownName(version), null, new Date(nowMs).toISOString());
    return 0;
  }
  const mark = markOf(shown);
  // Somebody began to drop them, and may not have come to the end.
  if (mark.kind === 'dropped') return mark.below;
  if (nowMs - mark.atMs < graceMs) return 0;
  const below = await nextBuild(version, readModels);
  // Where a node of the version showed itself at this moment, it was faster.
  return (await readModels.movePointer(shownName(version), shown, `dropped.b${below}`)) ? below : 0;
}

function shownName(version: string): string {
  return `${version}.shown`;
}

function markOf(text: string): Mark {
  const below = DROPPED.exec(text)?.[1];
  return below === undefined ? { kind: 'shown', atMs: Date.parse(text) } : { kind: 'dropped', below: Number(below) };
}
