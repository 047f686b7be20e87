import type { Projection } from '../eventsourcing/projection.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';

/** `conversions.v2.b7`: the seventh build of the second version of the projection `conversions`. */
export function collectionName(projection: Projection<object>, build: number): string {
  return `${projection.name}.v${projection.version}.b${build}`;
}

/** Each projection version has its own pointer, so that two versions can run at the same time. */
export function pointerName(projection: Projection<object>): string {
  return `${projection.name}.v${projection.version}`;
}

/** The collection that serves queries. Creates the first build if there is none. */
export async function servingCollection(projection: Projection<object>, readModels: ReadModelStore): Promise<string> {
  const pointed = await readModels.pointer(pointerName(projection));
  const collection = pointed ?? collectionName(projection, 1);
  await readModels.ensure(collection, projection.indexes);
  if (pointed !== null || (await readModels.movePointer(pointerName(projection), null, collection))) return collection;
  return servingCollection(projection, readModels);
}

/** A build name that no other rebuild, on any node, gets: two rebuilds never write to one collection. */
export async function nextCollection(projection: Projection<object>, readModels: ReadModelStore): Promise<string> {
  return collectionName(projection, await nextBuild(pointerName(projection), readModels));
}

/** The number of the next build of a version (`conversions.v2`). Each number is given out once. */
export async function nextBuild(version: string, readModels: ReadModelStore): Promise<number> {
  const counter = `${version}.last-build`;
  for (;;) {
    const counted = await readModels.pointer(counter);
    const build = Math.max(Number(counted ?? 0), await highestBuild(version, readModels)) + 1;
    if (await readModels.movePointer(counter, counted, String(build))) return build;
  }
}

/** The name of the newest existing build; null if there is none. */
export async function newestBuild(projection: Projection<object>, readModels: ReadModelStore): Promise<string | null> {
  const highest = await highestBuild(pointerName(projection), readModels);
  return highest === 0 ? null : collectionName(projection, highest);
}

async function highestBuild(version: string, readModels: ReadModelStore): Promise<number> {
  const builds = await buildsOf(version, readModels);
  return Math.max(0, ...builds.map((name) => Number(name.slice(`${version}.b`.length))));
}

/** The builds that neither serve nor are being filled: left by a failed rebuild, or replaced by a finished one. */
export async function staleBuilds(
  projection: Projection<object>,
  readModels: ReadModelStore,
): Promise<readonly string[]> {
  const serving = await readModels.pointer(pointerName(projection));
  if (serving === null) return [];
  const filling = (await openRebuild(projection, readModels))?.collection;
  const builds = await buildsOf(pointerName(projection), readModels);
  return builds.filter((name) => name !== serving && name !== filling);
}

/** A rebuild that has not ended. The next run for the same request resumes with its build. */
export type OpenRebuild = { readonly collection: string; readonly request: string };

/** Null if there is none. */
export async function openRebuild(
  projection: Projection<object>,
  readModels: ReadModelStore,
): Promise<OpenRebuild | null> {
  return parsedMark(await readModels.pointer(markName(projection)));
}

/** The build of a projection that serves queries, and the one that an open rebuild fills; null: none. */
export type BuildsInUse = { readonly serving: string | null; readonly filling: string | null };

/** By the names of the projections, with one read. */
export async function buildsInUse(
  projections: readonly Projection<object>[],
  readModels: Pick<ReadModelStore, 'pointers'>,
): Promise<ReadonlyMap<string, BuildsInUse>> {
  const names = projections.flatMap((projection) => [pointerName(projection), markName(projection)]);
  const pointers = await readModels.pointers(names);
  return new Map(
    projections.map((projection) => {
      const serving = pointers.get(pointerName(projection)) ?? null;
      const filling = parsedMark(pointers.get(markName(projection)) ?? null)?.collection ?? null;
      return [projection.name, { serving, filling }];
    }),
  );
}

/**
 * Records which build a rebuild fills, or with null that it has ended. Of several nodes that end the same rebuild one does:
 * it alone may point to the build or drop it.
 * @returns false if `from` is no longer recorded
 */
export async function markRebuild(
  projection: Projection<object>,
  from: OpenRebuild | null,
  to: OpenRebuild | null,
  readModels: ReadModelStore,
): Promise<boolean> {
  const name = markName(projection);
  const before = await readModels.pointer(name);
  const { collection, request } = parsedMark(before) ?? {};
  if (collection !== from?.collection || request !== from?.request) return false;
  return readModels.movePointer(name, before, to === null ? ENDED : `${to.collection} ${to.request}`);
}

/** The mark of a projection without a rebuild that is open. */
const ENDED = 'ended';

function markName(projection: Projection<object>): string {
  return `${pointerName(projection)}.rebuild`;
}

function parsedMark(text: string | null): OpenRebuild | null {
  const [collection, request] = text?.split(' ') ?? [];
  return collection === undefined || request === undefined ? null : { collection, request };
}

/** The existing builds of a version (`conversions.v2`). */
export async function buildsOf(version: string, readModels: ReadModelStore): Promise<readonly string[]> {
  return (await readModels.collections()).filter((name) => name.startsWith(`${version}.b`));
}
