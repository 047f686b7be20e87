import type { Schema } from '../src/adapters/mongodb/schema.ts';

/**
 * One change of collections or indexes, never of events. It may be run again after it was broken off anywhere, and nodes
 * of the version before go on working while it runs and after it: a change that they could not bear takes two versions.
 */
export type Migration = {
  /** `0001-what-it-does`: numbered in the order in which they run. Never changed once released. */
  readonly id: string;
  up(schema: Schema): Promise<void>;
};
