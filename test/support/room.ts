import type { Room } from '../../src/eventsourcing/process-manager.ts';

/** Room for `limit` commands, with none in progress and all partitions on this node. */
export function roomFor(limit: number): Room {
  return { limit, busy: () => false, ownsPartition: () => true };
}
