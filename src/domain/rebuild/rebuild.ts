import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import type { RebuildOutcome } from '../../eventsourcing/projection.ts';

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
 * The rebuilds of one version of a projection, requested on any node and run by the node that runs the projection. One
 * stream per version: `projection-inventory.v1`.
 */
export type Rebuilds = { readonly open: string | null; readonly last: RebuildOutcome | null };

export const rebuildDecider: Decider<RebuildCommand, Rebuilds, RebuildEvent, never> = {
  initial: { open: null, last: null },
  decide(command, { open }) {
    if (command.type === 'RequestRebuild') {
      const { rebuild, at } = command;
      return open === null ? accept({ type: 'RebuildRequested', data: { rebuild, at } }) : accept();
    }
    // Ignore the end of another rebuild: the node lost its lease, and another node started again.
    if (open !== command.rebuild) return accept();
    const { rebuild, outcome, at } = command;
    return accept({ type: 'RebuildEnded', data: { rebuild, outcome, at } });
  },
  evolve(rebuilds, { type, data }) {
    return type === 'RebuildRequested' ? { ...rebuilds, open: data.rebuild } : { open: null, last: data.outcome };
  },
};

export const rebuildCodec = codec<RebuildEvent>('projection', { RebuildRequested: [], RebuildEnded: [] });

/** The stream id of a projection version's rebuilds. */
export function rebuildsOf(projection: string, version: number): string {
  return `${projection}.v${version}`;
}
