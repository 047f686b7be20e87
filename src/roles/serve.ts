import { join } from 'node:path';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import type { Config } from '../config.ts';
import { createApp } from '../http/app.ts';
import type { HttpContext } from '../http/context.ts';
import { healthOnly } from '../http/health.ts';
import type { Log } from '../ports/log.ts';
import { StoreRefused } from '../ports/store-refused.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { BadCertificate } from './certificate.ts';
import { openDemo } from './demo.ts';
import { type Door, openDoor } from './door.ts';
import { type Node, openNode } from './node.ts';
import { writePrivately } from './secrets.ts';
import { welcome } from './welcome.ts';

/** Answers under way at a stop are waited for so long; then their connections are closed. */
export const DRAIN_MS = 10_000;
/** An engine that is away at the start is looked for again so much later. */
const ENGINE_RETRY_MS = 1_000;

export type Serving = {
  readonly url: string;
  stop(): Promise<void>;
};

/**
 * Starts the roles that this process has, and resolves when it does its work. Until then, and while it waits for an engine
 * that is away, it answers `/livez` and says at `/readyz` that it is not ready.
 *
 * @param stopping where it aborts before that, null
 * @throws StoreRefused where an engine is there, and keeps this node out: waiting would not change that
 */
export async function serve(config: Config, stopping: AbortSignal): Promise<Serving | null> {
  const log = systemLog(config.logLevel);
  const ids = systemIds;
  const starting = healthOnly('starting', () => ({ accepting_requests: false, started: false }), { ids });
  const door = openDoor(config, starting);
  const node = await openedPatiently(config, door, log, stopping);
  if (node === null) {
    await door.close(0);
    return null;
  }
  const { context } = node;
  if (context === null) door.answerWith(healthOnly('other roles', () => node.ready(), { ids }));
  else await answerRequests(context, node, door, config);
  const renewing = (): void => renewCertificate(door, log);
  // Without TLS it ends the process, as it does any that is left by its terminal.
  if (config.tls !== null) process.on('SIGHUP', renewing);
  log.info('listening', { url: door.url, roles: [...config.roles] });
  return {
    url: door.url,
    async stop() {
      log.info('stopping', { delayMs: config.stopDelayMs, waitMs: DRAIN_MS });
      node.refuseNew();
      // Until the proxy in front has looked at /readyz, it goes on sending: such requests are answered like any other.
      await pause(config.stopDelayMs);
      process.off('SIGHUP', renewing);
      await door.close(DRAIN_MS);
      await node.stop();
      log.info('stopped');
    },
  };
}

async function answerRequests(context: HttpContext, node: Node, door: Door, config: Config): Promise<void> {
  const app = createApp(context).compile();
  const { fetch } = app;
  door.answerWith((request) => fetch(request));
  writePrivately(join(config.dataDirectory, 'address'), `${door.url}\n`);
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

async function openedPatiently(config: Config, door: Door, log: Log, stopping: AbortSignal): Promise<Node | null> {
  const given = aborted(stopping);
  for (;;) {
    try {
      // What is still opening when the stop comes ends with the process.
      return await Promise.race([
        openNode(config, { url: () => door.url, peer: (request) => door.peer(request), log }),
        given,
      ]);
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable)) {
        if (fault instanceof StoreRefused)
          log.error('an engine keeps this node out', { engine: fault.engine, reason: fault.message });
        await door.close(0);
        throw fault;
      }
      const { engine, message: reason } = fault;
      log.warn('waiting for an engine', { engine, url: door.url, retryMs: ENGINE_RETRY_MS, reason });
    }
    await Promise.race([pause(ENGINE_RETRY_MS), given]);
    if (stopping.aborted) return null;
  }
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
