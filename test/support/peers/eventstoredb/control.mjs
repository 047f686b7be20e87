import { createInterface } from 'node:readline';
import { status } from '@grpc/grpc-js';
import { rpcError } from './errors.mjs';

/**
 * What a test tells the server, as JSON, one command a line, each with an `id` that its answer carries:
 *
 * - `fault`: what goes wrong with the next `times` calls of an operation, of one stream where it is named
 * - `latency`: how slow the server is from now on
 * - `clear`: nothing goes wrong any more, and nothing is slow
 * - `members`: the cluster, of which this node knows its own place by host and port
 * - `advance`: moves the server's time on by `ms`, for the age of events
 * - `scavenge`
 * - `drop-connections`: breaks every connection
 * - `drop-subscriptions`: ends every subscription with a status code (2 where none is given) and a text
 * - `mute-subscriptions`: sends nothing more to the open subscriptions of the connection that subscribed last, and keeps
 *   them and the connection open
 * - `counts`: asks for the calls since the start (`counts`) and the number of open subscriptions
 *
 * @typedef {{ id: number } & (
 *   | { command: 'fault', on: import('./faults.mjs').Operation, fault: import('./faults.mjs').Fault, times?: number,
 *       stream?: string }
 *   | ({ command: 'latency' } & import('./latency.mjs').Slowness)
 *   | { command: 'clear' } | { command: 'scavenge' } | { command: 'drop-connections' }
 *   | { command: 'mute-subscriptions' }
 *   | { command: 'members', members: import('./cluster.mjs').Member[] }
 *   | { command: 'advance', ms: number }
 *   | { command: 'drop-subscriptions', code?: import('@grpc/grpc-js').status, details?: string }
 *   | { command: 'counts' }
 * )} ControlCommand
 *
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 */

/**
 * Obeys commands until there are no more to come, and calls `end` then.
 *
 * @param {NodeState} node
 * @param {NodeJS.ReadableStream} input
 * @param {(answer: object) => void} say
 * @param {() => void} end
 */
export function obey(node, input, say, end) {
  const lines = createInterface({ input });
  lines.on('line', (line) => {
    /** @type {ControlCommand} */
    const command = JSON.parse(line);
    try {
      say({ id: command.id, ok: true, ...execute(node, command) });
    } catch (error) {
      say({ id: command.id, ok: false, error: String(error) });
    }
  });
  lines.on('close', end);
}

/**
 * @param {NodeState} node
 * @param {ControlCommand} command
 * @returns {object | void} more members of the answer
 */
function execute(node, command) {
  switch (command.command) {
    case 'fault': {
      const { on, fault, times = 1, stream = null } = command;
      return node.faults.plan({ on, fault, times, stream });
    }
    case 'latency':
      return node.latency.become(command);
    case 'clear':
      node.latency.become(null);
      return node.faults.clear();
    case 'members':
      return node.cluster.become(command.members);
    case 'advance':
      return node.timers.advance(command.ms);
    case 'scavenge':
      return node.store.scavenge();
    case 'drop-connections':
      return node.dropConnections();
    case 'drop-subscriptions': {
      const error = rpcError(command.code ?? status.UNKNOWN, command.details ?? 'Unexpected SubscriptionDropReason');
      for (const subscription of node.subscriptions) subscription.fail(error);
      return;
    }
    case 'mute-subscriptions': {
      const subscriptions = [...node.subscriptions];
      const newest = subscriptions.at(-1)?.connection;
      for (const subscription of subscriptions) if (subscription.connection === newest) subscription.mute();
      return;
    }
    case 'counts':
      return { counts: node.calls.counts, openSubscriptions: node.subscriptions.size };
    default:
      throw new Error(`there is no command ${JSON.stringify(command)}`);
  }
}
