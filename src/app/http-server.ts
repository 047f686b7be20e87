import { systemIds } from '../adapters/system/ids.ts';
import { addressRanges } from '../application/key/address-ranges.ts';
import type { Config } from '../config.ts';
import { withHostHeader } from '../http/host-header.ts';
import { withHttpsOnly } from '../http/https-required.ts';
import { type Certificate, readCertificate } from './certificate.ts';

/** The endpoints limit bodies and answer with the envelope: the server's own limit must be larger. */
const MAX_BODY_BYTES = 2 ** 40;
/**
 * After an answer, and for a body, however slowly it arrives. The runtime closes a connection without a complete head after
 * 12 s. Measured: test/e2e/idle-connections.test.ts.
 */
const IDLE_CONNECTION_S = 120;
/** HSTS duration: a year, in seconds. */
const HSTS = 'max-age=31536000';

type Handler = (request: Request) => Response | Promise<Response>;

/** The HTTP server. Its handler can be replaced while it listens. */
export type HttpServer = {
  readonly url: string;
  /** The peer address of a request's connection. */
  peer(request: Request): string | null;
  /** Replaces the handler. */
  answerWith(handler: Handler): void;
  /**
   * Reads the certificate files again and uses them for new connections. Requests in progress are answered on their old
   * connections. Null if TLS is off.
   * @throws BadCertificate; the old certificate stays in use then
   */
  renewCertificate(): Certificate | null;
  /** Accepts no new connection. Resolves when all requests in progress are answered, at the latest after `waitMs`. */
  close(waitMs: number): Promise<void>;
};

type ServerConfig = Pick<Config, 'host' | 'port' | 'tls' | 'production' | 'trustedProxies'>;

/** @throws if the port is taken; BadCertificate */
export function openHttpServer(config: ServerConfig, first: Handler, idleTimeout = IDLE_CONNECTION_S): HttpServer {
  const { host, port, tls } = config;
  let answer = first;
  /** Requests as they came, by the request with another URL that was made of it. */
  const received = new WeakMap<Request, Request>();
  const peer = (request: Request): string | null => {
    const original = received.get(request);
    return original === undefined ? (server.requestIP(request)?.address ?? null) : peer(original);
  };
  const named = withHostHeader((request) => answer(request), { ids: systemIds, received });
  const proxies = addressRanges(config.trustedProxies);
  const handle = config.production && tls === null ? withHttpsOnly(named, { peer, proxies, ids: systemIds }) : named;
  const overTls = async (request: Request): Promise<Response> => {
    // Elysia's router looks for the path after `http://`: in `https://` it would find the second slash.
    const plain = URL.canParse(request.url) ? new Request(request.url.replace(/^https/, 'http'), request) : request;
    received.set(plain, request);
    const response = await handle(plain);
    response.headers.set('strict-transport-security', HSTS);
    return response;
  };
  const listen = (certificate: Certificate | null, at: number): Bun.Server<undefined> =>
    Bun.serve({
      port: at,
      hostname: host,
      maxRequestBodySize: MAX_BODY_BYTES,
      idleTimeout,
      // Otherwise a second service could listen on the same port and get some of the requests.
      reusePort: false,
      development: false,
      ...(certificate === null ? {} : { tls: settingsOf(certificate) }),
      fetch: certificate === null ? handle : overTls,
    });
  let server = listen(tls === null ? null : readCertificate(tls), port);
  const ending = new Set<Bun.Server<undefined>>();
  const bound = server.port ?? port;
  return {
    url: `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    peer,
    answerWith(handler) {
      answer = handler;
    },
    renewCertificate() {
      if (tls === null) return null;
      const renewed = readCertificate(tls);
      // A server keeps its first certificate. The next server listens before the event loop accepts another connection.
      const before = server;
      ending.add(before);
      void before.stop().then(() => ending.delete(before));
      server = listen(renewed, bound);
      return renewed;
    },
    async close(waitMs) {
      const all = [server, ...ending];
      const forced = setTimeout(() => all.forEach((each) => void each.stop(true)), waitMs);
      await Promise.all(all.map((each) => each.stop()));
      clearTimeout(forced);
    },
  };
}

/** Bun takes a number for `minVersion`; its types declare only the names of versions, which it does not take. */
function settingsOf({ cert, key, minVersion }: Certificate): Bun.TLSOptions {
  return { cert, key, minVersion } as Bun.TLSOptions;
}
