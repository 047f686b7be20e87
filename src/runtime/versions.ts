import type { Projection } from '../eventsourcing/projection.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { nextBuild, nextCollection, pointerName } from './builds.ts';

/** `conversions.v2.b7`, as its version and the number of its build. */
const BUILD = /^(.+\.v\d+)\.b(\d+)$/;
const DROPPED = /^dropped\.b(\d+)$/;

/** When a node last used a version; or that its builds below a number were dropped, since no node had used it for long. */
type Mark = { readonly kind: 'shown'; readonly atMs: number } | { readonly kind: 'dropped'; readonly below: number };

/**
 * Records that this version of a projection is in use, so that no node drops its collections (docs/decisions/0029).
 * If they were dropped, a build with a new name serves from now on, folded from the start of the log.
 *
 * @returns true if they were dropped
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
      // Another node may still be dropping: it drops all builds below a number, and this one has a higher number.
      const pointed = await readModels.pointer(version);
      const fresh = await nextCollection(projection, readModels);
      await readModels.ensure(fresh, projection.indexes);
      await readModels.movePointer(version, pointed, fresh);
    }
    if (await readModels.movePointer(shown, before, new Date(nowMs).toISOString())) return wereDropped;
  }
}

/** How long collections are kept after their last use, in ms. */
type Grace = {
  readonly graceMs: number;
  /** The same for projections with personal data (`deletesForEver`): an erasure does not reach a collection that nobody folds. */
  readonly personalGraceMs: number;
};

/**
 * Drops the collections of every version, older or newer than this release's, that no node has used for its grace. A version
 * that comes back later is folded again. For a version without a mark, the time starts now.
 *
 * @returns their names
 */
export async function pruneVersions(
  own: readonly Projection<object>[],
  readModels: ReadModelStore,
  { nowMs, graceMs, personalGraceMs }: Grace & { readonly nowMs: number },
): Promise<readonly string[]> {
  const personal = new Set(own.filter(({ deletesForEver }) => deletesForEver === true).map(({ name }) => name));
  const others = new Map<string, { readonly name: string; readonly build: number }[]>();
  const ours = new Set(own.map(pointerName));
  for (const name of await readModels.collections()) {
    const [, version = '', build] = BUILD.exec(name) ?? [];
    if (build === undefined || ours.has(version)) continue;
    others.set(version, [...(others.get(version) ?? []), { name, build: Number(build) }]);
  }
  const dropped: string[] = [];
  for (const [version, builds] of others) {
    const isPersonal = personal.has(version.slice(0, version.lastIndexOf('.v')));
    const below = await droppedBelow(version, readModels, { nowMs, graceMs: isPersonal ? personalGraceMs : graceMs });
    for (const { name, build } of builds) {
      if (build >= below) continue;
      await readModels.drop(name);
      dropped.push(name);
    }
  }
  return dropped;
}

/** The number below which builds of the version may be dropped; 0 if it is in use. */
async function droppedBelow(
  version: string,
  readModels: ReadModelStore,
  { nowMs, graceMs }: { readonly nowMs: number; readonly graceMs: number },
): Promise<number> {
  // A collection that no pointer ever named belongs to another program.
  if ((await readModels.pointer(version)) === null) return 0;
  const shown = await readModels.pointer(shownName(version));
  if (shown === null) {
    await readModels.movePointer(shownName(version), null, new Date(nowMs).toISOString());
    return 0;
  }
  const mark = markOf(shown);
  // A node began to drop them and may not have finished.
  if (mark.kind === 'dropped') return mark.below;
  if (nowMs - mark.atMs < graceMs) return 0;
  const below = await nextBuild(version, readModels);
  // False if a node marked the version as in use meanwhile.
  return (await readModels.movePointer(shownName(version), shown, `dropped.b${below}`)) ? below : 0;
}

function shownName(version: string): string {
  return `${version}.shown`;
}

function markOf(text: string): Mark {
  const below = DROPPED.exec(text)?.[1];
  return below === undefined ? { kind: 'shown', atMs: Date.parse(text) } : { kind: 'dropped', below: Number(below) };
}
