import { randomUUID } from 'node:crypto';
import { AllSubscription } from './all-subscription.mjs';
import { invalidArgument } from './errors.mjs';
import { caughtUpAnswer, confirmationAnswer } from './messages.mjs';
import { StreamSubscription } from './stream-subscription.mjs';

/**
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 * @typedef {import('./outgoing.mjs').Outgoing} Outgoing
 * @typedef {import('./read-options.mjs').ReadOptions['source']} Source
 * @typedef {import('@grpc/grpc-js').ServiceError} ServiceError
 *
 * @typedef {'live' | 'waiting' | 'behind'} LiveState whether a live subscription may have more to send, has nothing to
 *   send until the store changes, or must read the log again because its subscriber reads too slowly
 */

/**
 * Sends the events behind the subscriber's position page by page, then live events. A subscriber that does not read
 * live events fast enough falls behind, and catches up page by page again.
 *
 * @param {NodeState} node
 * @param {Source} source
 * @param {Outgoing} outgoing
 * @throws {ServiceError} where the start position is invalid, and when the stream is tombstoned
 */
export async function subscribe(node, source, outgoing) {
  if (source.stream === null && source.filter?.checkpointInterval === 0) {
    throw invalidArgument('the checkpoint interval must be greater than 0');
  }
  const subscription =
    source.stream === null
      ? new AllSubscription(node.store, source, outgoing)
      : new StreamSubscription(node.store, source, outgoing);
  const wake = () => outgoing.notifyChange();
  node.subscriptions.add(outgoing);
  node.store.onChange.add(wake);
  try {
    await run(subscription, outgoing);
  } finally {
    node.subscriptions.delete(outgoing);
    node.store.onChange.delete(wake);
  }
}

/**
 * @param {AllSubscription | StreamSubscription} subscription
 * @param {Outgoing} outgoing
 */
async function run(subscription, outgoing) {
  await outgoing.send(confirmationAnswer(randomUUID()));
  let live = subscription.startsLive;
  if (live) await outgoing.send(caughtUpAnswer());
  while (!outgoing.over) {
    if (live) {
      const state = await subscription.sendLive();
      if (state === 'waiting') await outgoing.change();
      live = state !== 'behind';
      continue;
    }
    live = await subscription.sendPage();
    if (live) await outgoing.send(caughtUpAnswer());
    // Other calls run between the pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
