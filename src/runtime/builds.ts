import type { Projection } from '../eventsourcing/projection.ts';
import type { ReadModelStore, StoredDocument } from '../ports/read-model-store.ts';

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

/** The builds that do not serve: left by an interrupted rebuild, or replaced by a finished one. */
export async function staleBuilds(
  projection: Projection<object>,
  readModels: ReadModelStore,
): Promise<readonly string[]> {
  const serving = await readModels.pointer(pointerName(projection));
  if (serving === null) return [];
  return (await buildsOf(pointerName(projection), readModels)).filter((name) => name !== serving);
}

/** The existing builds of a version (`conversions.v2`). */
export async function buildsOf(version: string, readModels: ReadModelStore): Promise<readonly string[]> {
  return (await readModels.collections()).filter((name) => name.startsWith(`${version}.b`));
}

/** The ids of documents that differ between two collections, positions included: equal builds have equal positions. */
export async function differences(left: string, right: string, readModels: ReadModelStore): Promise<readonly string[]> {
  const differing: string[] = [];
  const rest = readModels.scan(right)[Symbol.asyncIterator]();
  let other = await rest.next();
  for await (const document of readModels.scan(left)) {
    while (!other.done && other.value.id < document.id) {
      differing.push(other.value.id);
      other = await rest.next();
    }
    if (other.done || other.value.id !== document.id) {
      differing.push(document.id);
      continue;
    }
    if (textOf(other.value) !== textOf(document)) differing.push(document.id);
    other = await rest.next();
  }
  for (; !other.done; other = await rest.next()) differing.push(other.value.id);
  return differing;
}

function textOf({ doc, position }: StoredDocument): string {
  return `${position} ${JSON.stringify(doc)}`;
}
