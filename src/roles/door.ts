import { systemIds } from '../adapters/system/ids.ts';
import type { Config } from '../config.ts';
import { addressed } from '../http/addressed.ts';
import { type Certificate, readCertificate } from './certificate.ts';

/** Bodies are limited by the endpoints, which answer with the envelope; the server's own limit must not come first. */
const NEVER_REACHED_BYTES = 2 ** 40;
const IDLE_CONNECTION_S = 120;
/** A year: for so long browsers ask this host for nothing without TLS. */
const ONLY_TLS = 'max-age=31536000';

type Handler = (request: Request) => Response | Promise<Response>;

/** Where requests come in, from the start of a node to its end, whoever answers them. */
export type Door = {
  readonly url: string;
  /** The address at the other end of the connection that a request came on. */
  peer(request: Request): string | null;
  /** From now on requests are answered by this one. */
  answerWith(handler: Handler): void;
  /**
   * From now on new connections get the certificate that is in the files now; what is under way is answered where it came
   * in. Null where there is no TLS.
   * @throws BadCertificate; then the old one stays
   */
  renewCertificate(): Certificate | null;
  /** Takes no new connection, and resolves when every answer under way has been given, or at the latest after `waitMs`. */
  close(waitMs: number): Promise<void>;
};

/** @throws where the port is taken; BadCertificate */
export function openDoor({ host, port, tls }: Pick<Config, 'host' | 'port' | 'tls'>, first: Handler): Door {
  let answer = first;
  const named = addressed((request) => answer(request), { ids: systemIds });
  const arrived = new WeakMap<Request, Request>();
  const overTls = async (request: Request): Promise<Response> => {
    // The router looks for the path behind `http://`: one character further on it would find the second slash of `https://`.
    const plain = URL.canParse(request.url) ? new Request(request.url.replace(/^https/, 'http'), request) : request;
    arrived.set(plain, request);
    const response = await named(plain);
    response.headers.set('strict-transport-security', ONLY_TLS);
    return response;
  };
  const listen = (certificate: Certificate | null, at: number): Bun.Server<undefined> =>
    Bun.serve({
      port: at,
      hostname: host,
      maxRequestBodySize: NEVER_REACHED_BYTES,
      idleTimeout: IDLE_CONNECTION_S,
      // Otherwise a second service on the same port would start, and share the requests with the first one.
      reusePort: false,
      development: false,
      ...(certificate === null ? {} : { tls: settingsOf(certificate) }),
      fetch: certificate === null ? named : overTls,
    });
  let server = listen(tls === null ? null : readCertificate(tls), port);
  const ending = new Set<Bun.Server<undefined>>();
  const bound = server.port ?? port;
  return {
    url: `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    peer: (request) => server.requestIP(arrived.get(request) ?? request)?.address ?? null,
    answerWith(handler) {
      answer = handler;
    },
    renewCertificate() {
      if (tls === null) return null;
      const renewed = readCertificate(tls);
      // A server keeps the certificate that it began with. The next one listens before another connection is looked at.
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

/** `minVersion` is one of Bun's own: its types know the names of versions only, which it does not take. */
function settingsOf({ cert, key, minVersion }: Certificate): Bun.TLSOptions {
  return { cert, key, minVersion } as Bun.TLSOptions;
}
