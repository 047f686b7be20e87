import { systemIds } from '../adapters/system/ids.ts';
import type { Config } from '../config.ts';
import { addressed } from '../http/addressed.ts';

/** Bodies are limited by the endpoints, which answer with the envelope; the server's own limit must not come first. */
const NEVER_REACHED_BYTES = 2 ** 40;
const IDLE_CONNECTION_S = 120;

type Handler = (request: Request) => Response | Promise<Response>;

/** Where requests come in, from the start of a node to its end, whoever answers them. */
export type Door = {
  readonly url: string;
  readonly server: Bun.Server<undefined>;
  /** From now on requests are answered by this one. */
  answerWith(handler: Handler): void;
  /** Takes no new connection, and resolves when every answer under way has been given, or at the latest after `waitMs`. */
  close(waitMs: number): Promise<void>;
};

/** @throws where the port is taken */
export function openDoor({ host, port }: Pick<Config, 'host' | 'port'>, first: Handler): Door {
  let answer = first;
  const server = Bun.serve({
    port,
    hostname: host,
    maxRequestBodySize: NEVER_REACHED_BYTES,
    idleTimeout: IDLE_CONNECTION_S,
    // Otherwise a second service on the same port would start, and share the requests with the first one.
    reusePort: false,
    development: false,
    fetch: addressed((request) => answer(request), { ids: systemIds }),
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    server,
    answerWith(handler) {
      answer = handler;
    },
    async close(waitMs) {
      const forced = setTimeout(() => void server.stop(true), waitMs);
      await server.stop();
      clearTimeout(forced);
    },
  };
}
