import { openHttpServer } from '../../src/app/http-server.ts';
import { createApp } from '../../src/http/app.ts';
import type { Credentials, Service } from './service.ts';

/** An event of `GET /api/live`. */
type LiveEvent = { readonly event: string; readonly data: unknown };

/** A connection to `GET /api/live`. */
export type Live = {
  readonly response: Response;
  /** The next event; null when the stream has ended. */
  next(): Promise<LiveEvent | null>;
  /** As a browser that leaves the page. */
  close(): void;
};

export type LiveServer = AsyncDisposable & {
  readonly url: string;
  connect(headers?: Credentials): Promise<Live>;
};

/** The service at a port: its streams go through a socket. */
export function listening(service: Service): LiveServer {
  const { fetch: answer } = createApp(service.node.context).compile();
  const config = { host: '127.0.0.1', port: 0, tls: null, production: false, trustedProxies: [] };
  const server = openHttpServer(config, (request) => answer(request));
  return {
    url: server.url,
    connect: (headers) => liveAt(server.url, headers),
    [Symbol.asyncDispose]: () => server.close(0),
  };
}

/** A connection to the service at an address. */
export async function liveAt(url: string, headers: Credentials = {}): Promise<Live> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/live`, { headers, signal: leaving.signal });
  const events = eventsOf(response);
  return {
    response,
    async next() {
      const { done, value } = await events.next();
      return done === true ? null : value;
    },
    close: () => leaving.abort(),
  };
}

/** The events of a stream, without its comments and settings. */
async function* eventsOf({ body }: Response): AsyncGenerator<LiveEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    const parts = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}
