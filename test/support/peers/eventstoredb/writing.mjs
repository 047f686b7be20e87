import { noLeader, notLeader, serverBusy } from './errors.mjs';

/**
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 * @typedef {import('./store.mjs').Command} Command
 * @typedef {import('./store.mjs').Outcome} Outcome
 * @typedef {import('@grpc/grpc-js').ServiceError} ServiceError
 *
 * @typedef {Outcome | { kind: 'timed-out' } | { kind: 'busy' }} Answer
 */

/** The size that an append may have, in bytes: what the real server allows unless it is configured otherwise. */
export const MAX_APPEND_BYTES = 1024 * 1024;

/**
 * Executes a command as this node would, with what was planned to go wrong. Where nothing shall be answered, it never
 * resolves.
 *
 * @param {NodeState} node
 * @param {Command} command
 * @returns {Promise<Answer>}
 * @throws {ServiceError} what ends the whole call, and with it every other append of a batch
 */
export async function write(node, command) {
  node.calls.count(command.kind === 'append' ? 'appends' : 'deletes', command.stream);
  const refusal = node.cluster.refusesWrites();
  if (refusal !== null) throw refusal;
  const fault = node.faults.take(command.kind === 'append' ? 'append' : 'delete', command.stream);
  switch (fault?.kind) {
    case 'lost':
      return never();
    case 'busy':
      return { kind: 'busy' };
    case 'unavailable':
      throw serverBusy();
    case 'not-leader':
      throw leaderAt(fault.host, fault.port);
    default:
  }
  await new Promise((resolve) => node.writes.send(() => resolve(undefined)));
  const outcome = await node.store.execute(command);
  switch (fault?.kind) {
    case 'silent':
      return never();
    case 'timeout':
      return { kind: 'timed-out' };
    case 'disconnect':
      node.dropConnections();
      return never();
    case 'delay':
      await new Promise((resolve) => {
        node.timers.after(fault.ms, () => resolve(undefined));
      });
      return outcome;
    default:
      return outcome;
  }
}

/**
 * @param {string | undefined} host
 * @param {number | undefined} port
 */
export function leaderAt(host, port) {
  return host === undefined || port === undefined ? noLeader() : notLeader({ host, port });
}

/** @returns {Promise<never>} */
function never() {
  return new Promise(() => {});
}
