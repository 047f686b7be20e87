import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';

/** What came of a rebuild, in the few words that an operator needs. */
export type RebuildOutcome =
  | { readonly kind: 'rebuilt'; readonly collection: string; readonly events: number; readonly differences: number }
  | { readonly kind: 'failed'; readonly message: string };

/** These types are the storage format. `rebuild` is an id, `at` ISO 8601 UTC. */
export type RebuildEvent =
  | { readonly type: 'RebuildRequested'; readonly data: { readonly rebuild: string; readonly at: string } }
  | {
      readonly type: 'RebuildEnded';
      readonly data: { readonly rebuild: string; readonly outcome: RebuildOutcome; readonly at: string };
    };

export type RebuildCommand =
  | { readonly type: 'RequestRebuild'; readonly rebuild: string; readonly at: string }
  | { readonly type: 'EndRebuild'; readonly rebuild: string; readonly outcome: RebuildOutcome; readonly at: string };

/**
 * The rebuilds of one version of a projection, asked for on any node and done by the one that runs the projection. One
 * stream each: `projection-inventory.v1`.
 */
export type Rebuilds = { readonly open: string | null; readonly last: RebuildOutcome | null };

export const rebuildDecider: Decider<RebuildCommand, Rebuilds, RebuildEvent, never> = {
  initial: { open: null, last: null },
  decide(command, { open }) {
    if (command.type === 'RequestRebuild') {
      const { rebuild, at } = command;
      return open === null ? accept({ type: 'RebuildRequested', data: { rebuild, at } }) : accept();
    }
    // The work of a node that lost its place meanwhile ends nothing: another one has begun the rebuild anew.
    if (open !== command.rebuild) return accept();
    const { rebuild, outcome, at } = command;
    return accept({ type: 'RebuildEnded', data: { rebuild, outcome, at } });
  },
  evolve(rebuilds, { type, data }) {
    return type === 'RebuildRequested' ? { ...rebuilds, open: data.rebuild } : { open: null, last: data.outcome };
  },
};

export const rebuildCodec = codec<RebuildEvent>('projection', { RebuildRequested: [], RebuildEnded: [] });

/** @param version of the projection: each has rebuilds of its own, as it has collections of its own */
export function rebuildsOf(projection: string, version: number): string {
  return `${projection}.v${version}`;
}
