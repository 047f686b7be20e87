import type { Metadata, ServiceError } from '@grpc/grpc-js';
import type { CallCounts } from './call-counts.mjs';
import type { Cluster } from './cluster.mjs';
import type { Faults } from './faults.mjs';
import type { Latency } from './latency.mjs';
import type { Outgoing } from './outgoing.mjs';
import type { Store } from './store.mjs';
import type { Timers } from './timers.mjs';

/** What the services of one node share. */
export type NodeState = {
  readonly store: Store;
  readonly faults: Faults;
  readonly timers: Timers;
  readonly calls: CallCounts;
  readonly latency: Latency;
  /** The one queue of the writer. */
  readonly writes: ReturnType<Latency['line']>;
  readonly cluster: Cluster;
  /** Why a caller may not come in; null where it may. */
  readonly deny: (metadata: Metadata) => ServiceError | null;
  /** The open subscriptions, the newest last. */
  readonly subscriptions: Set<Outgoing>;
  /** Breaks every connection. */
  readonly dropConnections: () => void;
};
