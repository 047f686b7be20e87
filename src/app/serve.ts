import { join } from 'node:path';
import { DataDirectoryInUse } from '../adapters/sqlite/data-directory.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import type { Config } from '../config.ts';
import { createApp } from '../http/app.ts';
import type { Checks, HttpContext } from '../http/context.ts';
import { healthOnly } from '../http/health/readiness.ts';
import { CheckpointNotInLog } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import { StoreRefused } from '../ports/store-refused.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { ClockOff } from '../runtime/clock-check.ts';
import { BadCertificate } from './certificate.ts';
import { openDemo } from './demo.ts';
import { type Door, openDoor } from './http-server.ts';
import { type Node, openNode } from './node.ts';
import { writePrivately } from './secrets.ts';
import { welcome } from './startup-banner.ts';

/** Answers under way at a stop are waited for so long; then their connections are closed. */
export const DRAIN_MS = 10_000;
/** Interval between attempts to reach an engine that is unavailable at the start. */
const ENGINE_RETRY_MS = 1_000;

export type Serving = {
  readonly url: string;
  /** Resolves at the stop. Rejects where the node has to start again and cannot. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts the roles of this process, and resolves when they work. While the process starts, waits for an engine that is
 * unavailable, or starts again because the log was replaced, it answers `/livez` and reports at `/readyz` why it is not
 * ready.
 *
 * @param stopping where it aborts first, the result is null
 * @throws StoreRefused where an engine refuses access to this node: waiting would not change that
 */
export async function serve(config: Config, stopping: AbortSignal): Promise<Serving | null> {
  const log = systemLog(config.logLevel);
  const starting = new Starting(log);
  const door = openDoor(config, starting.answer);
  let node = await openedPatiently(config, door, starting, stopping);
  if (node === null) {
    await door.close(0);
    return null;
  }
  await answerRequests(node, door, config);
  if (node.context !== null) await welcomeDevelopers(node.context, node, door, config);
  const renewing = (): void => renewCertificate(door, log);
  // Without TLS it ends the process, as it does any that is left by its terminal.
  if (config.tls !== null) process.on('SIGHUP', renewing);
  log.info('listening', { url: door.url, roles: [...config.roles] });
  const keepServing = async (): Promise<void> => {
    while (node !== null) {
      const fault = await Promise.race([node.failed, aborted(stopping)]);
      if (fault === null) return;
      log.error('node starts again', { reason: fault.message });
      door.answerWith(starting.answer);
      await node.stop();
      node = await openedPatiently(config, door, starting, stopping);
      if (node !== null) await answerRequests(node, door, config);
    }
  };
  const ended = keepServing();
  return {
    url: door.url,
    ended,
    async stop() {
      log.info('stopping', { delayMs: config.stopDelayMs, waitMs: DRAIN_MS });
      node?.refuseNew();
      await ended;
      // Until the proxy in front has looked at /readyz, it goes on sending: such requests are answered like any other.
      await pause(config.stopDelayMs);
      process.off('SIGHUP', renewing);
      await door.close(DRAIN_MS);
      await node?.stop();
      log.info('stopped');
    },
  };
}

/** What a node that is not open yet answers, and what it waits for. */
class Starting {
  readonly answer: ReturnType<typeof healthOnly>;
  readonly log: Log;
  /** What an operator has to repair. Other reasons can hold addresses of engines, and stay in the log. */
  #faults: Checks = {};
  #waitingFor: string | null = null;

  constructor(log: Log) {
    this.log = log;
    this.answer = healthOnly('starting', () => this.#checks(), { ids: systemIds, log });
  }

  /** Logged when the reason changes. */
  waitFor(fault: StoreUnavailable, retryMs: number, url: string): void {
    const { engine, message: reason } = fault;
    this.#faults =
      fault instanceof CheckpointNotInLog
        ? { read_models: reason }
        : fault instanceof ClockOff
          ? { clock: reason }
          : {};
    if (this.#waitingFor !== reason) this.log.warn('waiting for an engine', { engine, url, retryMs, reason });
    this.#waitingFor = reason;
  }

  #checks(): Checks {
    return { accepting_requests: false, started: false, ...this.#faults };
  }
}

async function answerRequests(node: Node, door: Door, config: Config): Promise<void> {
  const { context } = node;
  if (context === null) {
    door.answerWith(healthOnly('other roles', () => node.ready(), { ids: systemIds, log: node.log }));
    return;
  }
  const { fetch } = createApp(context).compile();
  door.answerWith((request) => fetch(request));
  writePrivately(join(config.dataDirectory, 'address'), `${door.url}\n`);
}

async function welcomeDevelopers(context: HttpContext, node: Node, door: Door, config: Config): Promise<void> {
  const demo = config.production || config.eventStore !== null ? null : await openDemo(config.dataDirectory, context);
  process.stdout.write(welcome(door.url, config, node.secrets, demo));
}

/** What is wrong with the new one is for the log: the one that is served is still good. */
function renewCertificate(door: Door, log: Log): void {
  try {
    const renewed = door.renewCertificate();
    if (renewed !== null) log.info('certificate renewed', { validTo: renewed.validTo });
  } catch (fault) {
    if (!(fault instanceof BadCertificate)) throw fault;
    log.error('certificate not renewed', { reason: fault.message });
  }
}

async function openedPatiently(
  config: Config,
  door: Door,
  starting: Starting,
  stopping: AbortSignal,
): Promise<Node | null> {
  const given = aborted(stopping);
  const { log } = starting;
  let repairing = false;
  while (!stopping.aborted) {
    try {
      // What is still opening when the stop comes ends with the process.
      return await Promise.race([
        openNode(config, { url: () => door.url, peer: (request) => door.peer(request), log }),
        given,
      ]);
    } catch (fault) {
      if (fault instanceof StoreUnavailable) {
        repairing = fault instanceof CheckpointNotInLog;
        starting.waitFor(fault, ENGINE_RETRY_MS, door.url);
      } else if (!(repairing && fault instanceof DataDirectoryInUse)) {
        // While the read models are repaired, the command that does so has the directory.
        if (fault instanceof StoreRefused)
          log.error('an engine keeps this node out', { engine: fault.engine, reason: fault.message });
        await door.close(0);
        throw fault;
      }
    }
    await Promise.race([pause(ENGINE_RETRY_MS), given]);
  }
  return null;
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
