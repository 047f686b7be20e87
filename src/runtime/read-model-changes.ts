import type { Projection } from '../eventsourcing/projection.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { buildsInUse } from './builds.ts';

/** The names of projections. */
export type Changes = {
  /** Their read models have applied events, or another build serves now. */
  readonly readModels: readonly string[];
  /** A rebuild has begun, advanced or ended. One that fails between two looks is not found. */
  readonly rebuilds: readonly string[];
};

type Seen = ReadonlyMap<string, { readonly serving: string; readonly rebuild: string }>;

/**
 * What the projections of this release did since the last look, on whichever nodes they run. A look makes two reads of the
 * read-model store. It compares last events: the checkpoints of all projections advance with each event of the log.
 */
export class ReadModelChanges {
  readonly #projections: readonly Projection<object>[];
  readonly #readModels: Pick<ReadModelStore, 'pointers' | 'lastEvents'>;
  #before: Seen | null = null;

  constructor(projections: readonly Projection<object>[], readModels: Pick<ReadModelStore, 'pointers' | 'lastEvents'>) {
    this.#projections = projections;
    this.#readModels = readModels;
  }

  /** The first look finds no changes. @throws what the read models throw; the next look finds these changes too */
  async look(): Promise<Changes> {
    const now = await this.#read();
    const before = this.#before ?? now;
    this.#before = now;
    const changed = (part: 'serving' | 'rebuild'): string[] =>
      [...now].flatMap(([name, seen]) => (seen[part] === before.get(name)?.[part] ? [] : [name]));
    return { readModels: changed('serving'), rebuilds: changed('rebuild') };
  }

  async #read(): Promise<Seen> {
    const builds = await buildsInUse(this.#projections, this.#readModels);
    const collections = [...builds.values()].flatMap(({ serving, filling }) => [serving ?? [], filling ?? []].flat());
    const last = await this.#readModels.lastEvents(collections);
    const placeOf = (build: string | null): string => (build === null ? '' : `${build} ${last.get(build)?.position}`);
    return new Map(
      [...builds].map(([name, { serving, filling }]) => [
        name,
        { serving: placeOf(serving), rebuild: `${serving} ${placeOf(filling)}` },
      ]),
    );
  }
}
