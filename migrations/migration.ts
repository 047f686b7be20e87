import type { Schema } from '../src/adapters/mongodb/schema.ts';

/**
 * One change of collections or indexes, never of events. It must be repeatable after an interruption at any point, and
 * compatible with nodes of the previous version: an incompatible change takes two releases.
 */
export type Migration = {
  /** `0001-what-it-does`: the number gives the order. Never changed once released. */
  readonly id: string;
  up(schema: Schema): Promise<void>;
};
