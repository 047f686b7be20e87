import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createApp } from '../http/app.ts';
import { openDemo } from './demo.ts';
import { openNode } from './node.ts';
import { writePrivately } from './secrets.ts';
import { welcome } from './welcome.ts';

/** Answers under way at a stop are waited for so long; then their connections are closed. */
export const DRAIN_MS = 10_000;
/** Bodies are limited by the endpoints, which answer with the envelope; the server's own limit must not come first. */
const NEVER_REACHED_BYTES = 2 ** 40;
const IDLE_CONNECTION_S = 120;

export type Serving = {
  readonly url: string;
  stop(): Promise<void>;
};

/** Starts every role of the service in this process and resolves when it answers requests. */
export async function serve(config: Config): Promise<Serving> {
  let url = '';
  const node = await openNode(config, { url: () => url });
  const { context, log } = node;
  const app = createApp(context);
  app.listen({
    port: config.port,
    hostname: config.host,
    maxRequestBodySize: NEVER_REACHED_BYTES,
    idleTimeout: IDLE_CONNECTION_S,
    // Otherwise a second service on the same port would start, and share the requests with the first one.
    reusePort: false,
  });
  const { server } = app;
  if (server === null) throw new Error('the HTTP server did not start');
  url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${server.port}`;
  writePrivately(join(config.dataDirectory, 'address'), `${url}\n`);
  const demo = config.production ? null : await openDemo(config.dataDirectory, context);
  process.stdout.write(welcome(url, config, node.secrets, demo));
  log.info('listening', { url, version: context.version });
  return {
    url,
    async stop() {
      log.info('stopping', { delayMs: config.stopDelayMs, waitMs: DRAIN_MS });
      node.refuseNew();
      // Until the proxy in front has looked at /readyz, it goes on sending: such requests are answered like any other.
      await Bun.sleep(config.stopDelayMs);
      const forced = setTimeout(() => void server.stop(true), DRAIN_MS);
      await server.stop();
      clearTimeout(forced);
      await node.stop();
      log.info('stopped');
    },
  };
}
