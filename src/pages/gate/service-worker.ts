/**
 * Keeps the gate's page and files, so that it opens without a network. The bundler writes the addresses of the files into
 * this script: another release has another script, which the browser installs.
 */
declare const SHELL: { readonly version: string; readonly files: readonly string[] };

type Extendable = Event & { waitUntil(work: Promise<unknown>): void };
type Fetching = Extendable & { readonly request: Request; respondWith(response: Promise<Response>): void };
type GateScope = {
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void;
};

const PAGE = '/gate';
const CACHE = `waymark-gate-${SHELL.version}`;
const worker = globalThis as unknown as GateScope;

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== 'GET' || origin !== location.origin) return;
  const isPage = event.request.mode === 'navigate';
  if (isPage || SHELL.files.includes(pathname)) event.respondWith(answer(event.request, isPage ? PAGE : pathname));
});

async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll([PAGE, ...SHELL.files].map((path) => new Request(path, { cache: 'no-cache' })));
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith('waymark-gate-') && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** From the cache, so that the page opens at once on a slow network too. */
async function answer(request: Request, path: string): Promise<Response> {
  const kept = await caches.match(path, { cacheName: CACHE });
  return kept ?? fetch(request);
}
