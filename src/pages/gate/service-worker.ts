/**
 * Keeps the gate's page and files, so that it opens without a network. The bundler writes the addresses of the files and the
 * hashes of their content into this script: another release has another script, which the browser installs.
 */
declare const SHELL: {
  readonly version: string;
  /** Subresource integrity by address. */
  readonly files: Readonly<Record<string, string>>;
};

type Extendable = Event & { waitUntil(work: Promise<unknown>): void };
type Fetching = Extendable & { readonly request: Request; respondWith(response: Promise<Response>): void };
type Page = { readonly id: string; readonly url: string };
type Said = Extendable & { readonly data: unknown; readonly source: Page | null };
type GateScope = {
  skipWaiting(): Promise<void>;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(of: { readonly type: 'window'; readonly includeUncontrolled: true }): Promise<readonly Page[]>;
  };
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void;
  addEventListener(type: 'message', listener: (event: Said) => void): void;
};

const PAGE = '/gate';
const FILES = '/gate/';
const CACHES = 'waymark-gate-';
const CACHE = CACHES + SHELL.version;
const worker = globalThis as unknown as GateScope;

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('message', (event) => {
  const { data, source } = event;
  if (source !== null && isOfThisRelease(data)) event.waitUntil(forgetOthers(({ id }) => id === source.id));
});
worker.addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== 'GET' || origin !== location.origin) return;
  if (event.request.mode === 'navigate') event.respondWith(answer(event.request, PAGE, CACHE));
  // Also of another release, whose page is still open: an address names one content.
  else if (pathname.startsWith(FILES)) event.respondWith(answer(event.request, pathname));
});

/** All files or none. Behind a proxy, nodes of two releases may answer: a file that is not of this release ends the installation. */
async function install(): Promise<void> {
  const requests = Object.entries(SHELL.files).map(
    ([path, integrity]) => new Request(path, { cache: 'no-cache', integrity }),
  );
  await (await caches.open(CACHE)).addAll(requests);
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  await forgetOthers(() => false);
  await worker.clients.claim();
}

/** A page says which script it has loaded. */
function isOfThisRelease(message: unknown): boolean {
  if (typeof message !== 'object' || message === null || !('loaded' in message)) return false;
  return typeof message.loaded === 'string' && Object.hasOwn(SHELL.files, message.loaded);
}

/** Deletes the files of other releases, unless a page may need them: it loads the decoder when its camera starts. */
async function forgetOthers(isOfThis: (page: Page) => boolean): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const pages = windows.filter(({ url }) => new URL(url).pathname.startsWith(PAGE));
  if (!pages.every(isOfThis)) return;
  const others = (await caches.keys()).filter((name) => name.startsWith(CACHES) && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
}

/** From the cache, so that the page opens at once on a slow network too. */
async function answer(request: Request, path: string, cacheName?: string): Promise<Response> {
  const kept = await caches.match(path, cacheName === undefined ? {} : { cacheName });
  return kept ?? fetch(request);
}
