import sharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import streamMessages from '@eventstore/db-client/generated/streams_pb.js';
import { invalidReadPosition, operationTimedOut, serverBusy, streamDeleted } from './errors.mjs';
import { eventAnswer, streamNotFoundAnswer } from './messages.mjs';
import { Outgoing } from './outgoing.mjs';
import { allBackwards, allForwards, isRecordBoundary, streamBackwards, streamForwards } from './pages.mjs';
import { readOptions } from './read-options.mjs';
import { subscribe } from './subscribe.mjs';
import { leaderAt } from './writing.mjs';

const { ReadResp } = streamMessages;
const { AllStreamPosition } = sharedMessages;

/**
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 * @typedef {import('./read-options.mjs').ReadOptions} ReadOptions
 * @typedef {import('./pages.mjs').Page} Page
 * @typedef {import('./outgoing.mjs').ReadCall} ReadCall
 */

/**
 * Streams.Read: reads a stream or the log in either direction, or follows it.
 *
 * @param {NodeState} node
 * @returns {(call: ReadCall) => void}
 */
export function read(node) {
  return (call) => {
    const outgoing = new Outgoing(call);
    answer(node, call, outgoing).catch((/** @type {unknown} */ error) => outgoing.fail(error));
  };
}

/**
 * @param {NodeState} node
 * @param {ReadCall} call
 * @param {Outgoing} outgoing
 */
async function answer(node, call, outgoing) {
  const refusal = node.deny(call.metadata) ?? node.cluster.refusesReads(call.metadata);
  if (refusal !== null) throw refusal;
  const options = readOptions(call.request.getOptions());
  const operation = options.count === 'subscription' ? 'subscribe' : 'read';
  node.calls.count(operation === 'subscribe' ? 'subscriptions' : 'reads', options.source.stream);
  const fault = node.faults.take(operation, options.source.stream);
  switch (fault?.kind) {
    case 'lost':
    case 'silent':
      return;
    case 'delay':
      await new Promise((resolve) => {
        node.timers.after(fault.ms, () => resolve(undefined));
      });
      break;
    case 'timeout':
      throw operationTimedOut();
    case 'busy':
    case 'unavailable':
      throw serverBusy();
    case 'not-leader':
      throw leaderAt(fault.host, fault.port);
    case 'disconnect':
      node.dropConnections();
      return;
    default:
  }
  if (operation === 'subscribe') outgoing.slowBy(node.latency.line());
  else await node.latency.pass();
  if (options.count === 'subscription') await subscribe(node, options.source, outgoing);
  else await readPages(node, options, options.count, outgoing);
}

/**
 * Reads in pages of 32 events, as the server's `Enumerator.ReadBatchSize` has it.
 *
 * @param {Pick<NodeState, 'store'>} node
 * @param {Omit<ReadOptions, 'count'>} options
 * @param {number} count
 * @param {Pick<Outgoing, 'over' | 'send' | 'end'>} outgoing
 */
export async function readPages({ store }, { source, backwards, tellsEnds }, count, outgoing) {
  const { stream } = source;
  let sent = 0;
  let next = firstPlace(store, source, backwards);
  if (stream === null && !isRecordBoundary(store, next)) throw invalidReadPosition();
  for (;;) {
    if (stream !== null && store.index.isTombstoned(stream)) throw streamDeleted(stream);
    if (stream !== null && isMissing(store.index, stream)) {
      await outgoing.send(streamNotFoundAnswer(stream));
      outgoing.end();
      return;
    }
    const page = pageAt(store, source, backwards, next);
    if (tellsEnds && stream !== null && sent === 0 && page.events.length === 0 && page.next !== next) {
      await outgoing.send(new ReadResp().setFirstStreamPosition(String(page.next)));
    }
    for (const event of page.events) {
      if (outgoing.over || sent >= count) break;
      sent += 1;
      await outgoing.send(eventAnswer(event));
    }
    if (page.atEnd || outgoing.over || sent >= count) break;
    next = page.next;
    // Other calls run between the pages, and each page reads the store anew.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (tellsEnds) await outgoing.send(lastPosition(store, stream));
  outgoing.end();
}

/**
 * @param {import('./event-index.mjs').EventIndex} index
 * @param {string} stream
 */
function isMissing(index, stream) {
  return index.lastRevision(stream) < 0 || index.isSoftDeleted(stream);
}

/**
 * @param {import('./store.mjs').Store} store
 * @param {ReadOptions['source']} source
 * @param {boolean} backwards
 */
function firstPlace(store, source, backwards) {
  if (source.stream === null) {
    if (source.from === 'end') return store.end;
    return source.from === 'start' ? 0 : source.from.commit;
  }
  if (source.from === 'end') return store.index.lastRevision(source.stream) + 1;
  const from = source.from === 'start' ? 0 : source.from;
  // A revision is the first to be read; a position is the one before which a backwards read begins.
  return backwards ? from + 1 : from;
}

/**
 * @param {import('./store.mjs').Store} store
 * @param {ReadOptions['source']} source
 * @param {boolean} backwards
 * @param {number} place
 * @returns {Page}
 */
function pageAt(store, source, backwards, place) {
  if (source.stream === null) return (backwards ? allBackwards : allForwards)(store, place, source.filter);
  return (backwards ? streamBackwards : streamForwards)(store, source.stream, place);
}

/**
 * @param {import('./store.mjs').Store} store
 * @param {string | null} stream
 */
function lastPosition(store, stream) {
  if (stream !== null) return new ReadResp().setLastStreamPosition(String(store.index.lastRevision(stream)));
  const { commit, prepare } = store.lastPosition;
  return new ReadResp().setLastAllStreamPosition(
    new AllStreamPosition().setCommitPosition(String(commit)).setPreparePosition(String(prepare)),
  );
}
