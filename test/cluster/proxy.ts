import { pause } from '../chaos/kill/real-time.ts';

const POLL_MS = 100;
/** Maximum number of attempts of a request. */
const ATTEMPTS = 50;

/** A reverse proxy in front of the API nodes. */
export type Proxy = AsyncDisposable & { readonly url: string; add(url: string): void; remove(url: string): void };

/** Sends each request to the next ready node; if that is unreachable or answers 503, to another one. */
export function openProxy(): Proxy {
  const ready = new Map<string, boolean>();
  let next = 0;
  let open = true;
  const polling = (async () => {
    while (open) {
      await Promise.all([...ready.keys()].map(async (url) => ready.has(url) && ready.set(url, await isReady(url))));
      await pause(POLL_MS);
    }
  })();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'GET' ? null : await request.text();
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const nodes = [...ready].flatMap(([url, isUp]) => (isUp ? [url] : []));
        const node = nodes[next++ % Math.max(1, nodes.length)];
        const answer =
          node === undefined ? null : await forwarded(`${node}${pathname}${search}`, { method, headers, body });
        if (answer !== null) return answer;
        await pause(POLL_MS);
      }
      return new Response('no node answers', { status: 502 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    add: (url) => void ready.set(url, true),
    remove: (url) => void ready.delete(url),
    async [Symbol.asyncDispose]() {
      open = false;
      await polling;
      await server.stop(true);
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function forwarded(url: string, request: RequestInit): Promise<Response | null> {
  try {
    const answer = await fetch(url, request);
    if (answer.status === 503) return null;
    return new Response(await answer.arrayBuffer(), {
      status: answer.status,
      headers: { 'x-position': answer.headers.get('x-position') ?? '' },
    });
  } catch {
    return null;
  }
}
