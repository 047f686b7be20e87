/**
 * The service worker of the voucher pages: it keeps a copy of each valid voucher that was opened, and answers with it when
 * the service does not answer in time. A copy is deleted when the voucher is over or the service no longer shows it as
 * valid.
 */

/** The parts of `ServiceWorkerGlobalScope` that are used; TypeScript cannot load its library beside that of documents. */
type Lifetime = Event & { waitUntil(work: Promise<unknown>): void };
type Loading = Lifetime & { readonly request: Request; respondWith(answer: Promise<Response>): void };
type Message = Lifetime & { readonly data: unknown };
type Scope = {
  addEventListener(type: 'install' | 'activate', listener: (event: Lifetime) => void): void;
  addEventListener(type: 'fetch', listener: (event: Loading) => void): void;
  addEventListener(type: 'message', listener: (event: Message) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
};

const scope = self as unknown as Scope;

const PAGES = 'voucher-pages';
const PICTURES = 'voucher-pictures';
/** How long the service may take before a kept copy is shown, in ms. */
const PATIENCE_MS = 3_000;
/** The service sends it with a page to keep: until when, ISO 8601. */
const KEEP_UNTIL = 'x-voucher-keep-until';
/** In every answer of the service. */
const REQUEST_ID = 'x-request-id';
/** As in src/vouchers/page.ts; the page is HTML of this service, whose other texts are escaped. */
const HIDDEN_HINT = '<p class="saved" hidden>';
const SHOWN_HINT = '<p class="saved">';
/** A copy needs no script, and would wait for it. */
const SCRIPT = /<script src="[^"]*" defer><\/script>/;
const VOUCHER = /^\/api\/vouchers\/[^/.]+\/?$/;

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(Promise.all([scope.clients.claim(), forgetOver()])));
scope.addEventListener('message', (event) => {
  const path = keptPath(event.data);
  if (path !== null) event.waitUntil(keepPage(path));
});
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate' && VOUCHER.test(pathname)) event.respondWith(answerPage(event));
  if (pathname.startsWith('/pictures/')) event.respondWith(answerPicture(request));
});

async function answerPage(event: Loading): Promise<Response> {
  const { request } = event;
  const loading = fetch(request).then(async (answer) => {
    // A full phone keeps no copy; the answer is shown all the same.
    await settle(request.url, answer.clone()).catch(() => undefined);
    return answer;
  });
  event.waitUntil(loading.catch(() => undefined));
  const copy = await copyOf(request.url);
  if (copy === null) return loading;
  const answer = await Promise.race([loading.catch(() => null), afterPatience()]);
  return answer === null || isUnavailable(answer) ? copy : answer;
}

async function answerPicture(request: Request): Promise<Response> {
  return (await caches.match(request, { cacheName: PICTURES })) ?? fetch(request);
}

async function keepPage(path: string): Promise<void> {
  await settle(new URL(path, location.origin).href, await fetch(path));
}

/** Keeps a valid voucher, and deletes all copies of one that the service no longer shows as valid. */
async function settle(url: string, answer: Response): Promise<void> {
  if (isUnavailable(answer)) return;
  if (!answer.ok || answer.headers.get(KEEP_UNTIL) === null)
    return forget(({ pathname }) => pathname === new URL(url).pathname);
  const page = await answer.clone().text();
  await (await caches.open(PAGES)).put(keyOf(url), answer);
  const picture = /<img class="picture" src="([^"]+)"/.exec(page)?.[1];
  // A voucher without its picture is complete.
  if (picture !== undefined) await (await caches.open(PICTURES)).add(picture).catch(() => undefined);
  await forgetOver();
}

/** The copy in this language, else in another one; null if there is none. */
async function copyOf(url: string): Promise<Response | null> {
  await forgetOver();
  const pages = await caches.open(PAGES);
  const { pathname } = new URL(url);
  const others = (await pages.keys()).filter((key) => new URL(key.url).pathname === pathname);
  const kept = (await pages.match(keyOf(url))) ?? (others[0] === undefined ? undefined : await pages.match(others[0]));
  if (kept === undefined) return null;
  const { status, headers } = kept;
  const page = (await kept.text()).replace(HIDDEN_HINT, SHOWN_HINT).replace(SCRIPT, '');
  return new Response(page, { status, headers });
}

/** Deletes the copies of vouchers whose time is over. */
async function forgetOver(): Promise<void> {
  const now = Date.now();
  await forget((_, copy) => !(Date.parse(copy.headers.get(KEEP_UNTIL) ?? '') > now));
}

/** Deletes copies, and the pictures once no copy is left. */
async function forget(isOver: (url: URL, copy: Response) => boolean): Promise<void> {
  const pages = await caches.open(PAGES);
  for (const key of await pages.keys()) {
    const copy = await pages.match(key);
    if (copy !== undefined && isOver(new URL(key.url), copy)) await pages.delete(key);
  }
  if ((await pages.keys()).length === 0) await caches.delete(PICTURES);
}

/** Path and language: other parameters do not change the page. */
function keyOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  const language = searchParams.get('lang');
  return language === null ? pathname : `${pathname}?lang=${encodeURIComponent(language)}`;
}

/** A fault, a throttle, or an answer of something else than the service: the portal of a network, or a proxy. */
function isUnavailable({ status, headers }: Response): boolean {
  return status >= 500 || status === 429 || headers.get(REQUEST_ID) === null;
}

function afterPatience(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), PATIENCE_MS));
}

/** The path of the page that asks to be kept; null for any other message. */
function keptPath(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('keep' in message)) return null;
  const { keep } = message;
  return typeof keep === 'string' && VOUCHER.test(new URL(keep, location.origin).pathname) ? keep : null;
}
