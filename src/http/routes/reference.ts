import { refused } from '../../application/refusal.ts';
import type { HttpContext } from '../context.ts';
import { DOCS, DOCS_FILE, LLMS, OPENAPI } from '../declarations/reference.ts';
import { endpoint } from '../endpoint.ts';
import { type KeptAnswer, keptAnswer, sendKept } from '../kept-answer.ts';
import { openApiDocument } from '../reference/document.ts';
import { guide } from '../reference/guide.ts';
import { type ReferencePage, referencePage } from '../reference/page.ts';
import { declaredRoutes, type Route } from '../reference/routes.ts';

/** What the API says of itself; each part is made for its first reader, and kept. */
export type Reference = { readonly document: () => Promise<KeptAnswer>; readonly guide: () => Promise<KeptAnswer> };

const REVALIDATED = { 'cache-control': 'no-cache' };

/** @param routes all there are by the time that somebody reads of them */
export function referenceOf(routes: () => readonly Route[], { version, publicUrl, webhooks }: HttpContext): Reference {
  const { timeoutMs: webhookTimeoutMs } = webhooks.webhookLimits;
  const about = () => ({ version, publicUrl: publicUrl(), webhookTimeoutMs });
  return {
    document: once(async () => {
      const text = JSON.stringify(await openApiDocument(declaredRoutes(routes()), about()));
      return keptAnswer(text, { 'content-type': 'application/json; charset=utf-8', ...REVALIDATED });
    }),
    guide: once(async () => {
      const text = guide(declaredRoutes(routes()), about());
      return keptAnswer(text, { 'content-type': 'text/plain; charset=utf-8', ...REVALIDATED });
    }),
  };
}

/** GET /openapi.json */
export function openApi(context: HttpContext, { document }: Reference) {
  return endpoint(context, OPENAPI, null, async ({ headers }) => sendKept(await document(), headers));
}

/** GET /llms.txt */
export function llms(context: HttpContext, reference: Reference) {
  return endpoint(context, LLMS, null, async ({ headers }) => sendKept(await reference.guide(), headers));
}

/** GET /docs */
export function docs(context: HttpContext) {
  return endpoint(context, DOCS, null, async ({ headers }) => sendKept((await page()).page, headers));
}

/** GET /docs/{file} */
export function docsFile(context: HttpContext) {
  return endpoint(context, DOCS_FILE, null, async ({ params, headers }) => {
    const file = (await page()).files.get(params['file'] ?? '');
    return file === undefined
      ? refused('NOT_FOUND', 'The page at /docs has no file of this name; load the page again.')
      : sendKept(file, headers);
  });
}

/** The page is the same for every app of the process. */
const page = once<ReferencePage>(referencePage);

/** What `make` makes, made when it is first asked for; a failure is not kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((fault: unknown) => {
      made = null;
      throw fault;
    });
    return made;
  };
}
