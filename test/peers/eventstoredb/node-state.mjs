/**
 * What the services of one node share.
 *
 * @typedef {object} NodeState
 * @property {import('./store.mjs').Store} store
 * @property {import('./faults.mjs').Faults} faults
 * @property {import('./timers.mjs').Timers} timers
 * @property {import('./cluster.mjs').Cluster} cluster
 * @property {(metadata: import('@grpc/grpc-js').Metadata) => import('@grpc/grpc-js').ServiceError | null} deny why a
 *   caller may not come in; null where it may
 * @property {Subscriptions} subscriptions
 * @property {() => void} dropConnections breaks every connection, without a word
 *
 * @typedef {Set<(error: import('@grpc/grpc-js').ServiceError) => void>} Subscriptions what ends each open subscription
 */

export {};
