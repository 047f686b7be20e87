import { join } from 'node:path';
import { DataDirectoryInUse } from '../adapters/sqlite/data-directory.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import type { Config } from '../config.ts';
import { createApp } from '../http/app.ts';
import type { Checks, HttpContext } from '../http/context.ts';
import { withCors } from '../http/cors.ts';
import { healthOnly } from '../http/health/readiness.ts';
import { CheckpointNotInLog } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import { StoreRefused } from '../ports/store-refused.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { ClockOff } from '../runtime/clock-check.ts';
import { pause, unlessAborted } from '../runtime/running.ts';
import { BadCertificate } from './certificate.ts';
import { openDemo } from './demo.ts';
import { type HttpServer, openHttpServer } from './http-server.ts';
import { type Node, openNode } from './node.ts';
import { writePrivately } from './private-files.ts';
import { type ReadinessLog, readinessLog } from './readiness-log.ts';
import { startupBanner } from './startup-banner.ts';

/** How long a stop waits for answers in progress; then it closes their connections. */
export const DRAIN_MS = 10_000;
/** Interval between attempts to reach an engine that is unavailable at the start. */
const ENGINE_RETRY_MS = 1_000;

/**
 * Runs the roles of this process until `stopping` aborts, and resolves when they have ended. While the process starts,
 * waits for an engine that is unavailable, or starts again because the log was replaced, it answers `/livez` and reports
 * at `/readyz` why it is not ready.
 *
 * @throws StoreRefused if an engine denies access to this node: waiting would not change that; the fault with which a
 * node cannot start, or start again
 */
export async function serve(config: Config, stopping: AbortSignal): Promise<void> {
  const log = systemLog(config.logLevel);
  const starting = new Starting(log);
  const server = openHttpServer(config, starting.answer);
  let node = await openWhenAvailable(config, server, starting, stopping);
  if (node === null) return server.close(0);
  await answerRequests(node, server, config);
  if (node.context !== null) await printBanner(node.context, node, server, config);
  const renewing = (): void => renewCertificate(server, log);
  // Without TLS, SIGHUP ends the process, as usual when a terminal closes.
  if (config.tls !== null) process.on('SIGHUP', renewing);
  log.info('listening', { url: server.url, roles: [...config.roles] });
  const keepServing = async (): Promise<void> => {
    while (node !== null) {
      const fault = await unlessAborted(node.failed, stopping);
      if (fault === null) return;
      log.error('node starts again', { reason: fault.message });
      server.answerWith(starting.answer);
      await node.stop();
      node = await openWhenAvailable(config, server, starting, stopping);
      if (node !== null) await answerRequests(node, server, config);
    }
  };
  const stop = async (): Promise<void> => {
    log.info('stopping', { delayMs: config.stopDelayMs, waitMs: DRAIN_MS });
    node?.refuseNew();
    await serving;
    // The proxy sends requests until it has read /readyz; they are still answered.
    await pause(config.stopDelayMs);
    process.off('SIGHUP', renewing);
    await server.close(DRAIN_MS);
    await node?.stop();
    log.info('stopped');
  };
  const serving = keepServing();
  await unlessAborted(serving, stopping);
  await stop();
}

/** The answers of a node that is not open yet, and the reason why it waits. */
class Starting {
  readonly answer: ReturnType<typeof healthOnly>;
  readonly log: Log;
  readonly logReadiness: ReadinessLog;
  /** Reported at /readyz, because an operator must repair them. Other reasons may contain addresses: only the log has them. */
  #faults: Checks = {};
  #waitingFor: string | null = null;
  #opening: () => Checks = () => ({});

  /** The checks of a node that is opening. */
  readonly opening = (checks: () => Checks): void => {
    this.#opening = checks;
  };

  constructor(log: Log) {
    this.log = log;
    this.logReadiness = readinessLog(log);
    this.answer = healthOnly('starting', () => this.#checks(), { ids: systemIds, log });
  }

  /** Logged when the reason changes. */
  waitFor(fault: StoreUnavailable, retryMs: number, url: string): void {
    const { engine, message: reason } = fault;
    this.#opening = () => ({});
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
    return this.logReadiness({ ...this.#opening(), accepting_requests: false, started: false, ...this.#faults });
  }
}

async function answerRequests(node: Node, server: HttpServer, config: Config): Promise<void> {
  const { context } = node;
  if (context === null) {
    server.answerWith(
      healthOnly('other roles', () => node.ready(), { ids: systemIds, log: node.log, parked: node.parked }),
    );
    return;
  }
  const { fetch } = createApp(context).compile();
  server.answerWith(withCors((request) => fetch(request), context));
  writePrivately(join(config.dataDirectory, 'address'), `${server.url}\n`);
}

async function printBanner(context: HttpContext, node: Node, server: HttpServer, config: Config): Promise<void> {
  const demo = config.production || config.eventStore !== null ? null : await openDemo(config.dataDirectory, context);
  process.stdout.write(startupBanner(server.url, config, node.secrets, demo));
}

/** Logs a fault of the new certificate: the old one stays in use. */
function renewCertificate(server: HttpServer, log: Log): void {
  try {
    const renewed = server.renewCertificate();
    if (renewed !== null) log.info('certificate renewed', { validTo: renewed.validTo });
  } catch (fault) {
    if (!(fault instanceof BadCertificate)) throw fault;
    log.error('certificate not renewed', { reason: fault.message });
  }
}

async function openWhenAvailable(
  config: Config,
  server: HttpServer,
  starting: Starting,
  stopping: AbortSignal,
): Promise<Node | null> {
  const { log, logReadiness } = starting;
  let repairing = false;
  while (!stopping.aborted) {
    try {
      // A node that is still opening at the stop ends with the process.
      return await unlessAborted(
        openNode(config, {
          url: () => server.url,
          peer: (request) => server.peer(request),
          log,
          logReadiness,
          opening: starting.opening,
        }),
        stopping,
      );
    } catch (fault) {
      if (fault instanceof StoreUnavailable) {
        repairing = fault instanceof CheckpointNotInLog;
        starting.waitFor(fault, ENGINE_RETRY_MS, server.url);
      } else if (!(repairing && fault instanceof DataDirectoryInUse)) {
        // Fatal, except while `waymark rebuild all` repairs the read models and locks the data directory.
        if (fault instanceof StoreRefused)
          log.error('an engine refuses this node', { engine: fault.engine, reason: fault.message });
        await server.close(0);
        throw fault;
      }
    }
    await unlessAborted(pause(ENGINE_RETRY_MS), stopping);
  }
  return null;
}
