import { Elysia } from 'elysia';
import { type Static, Type } from 'typebox';
import { refused } from '../../application/refusal.ts';
import { access } from '../access.ts';
import { answers, finishedAnswers, orBare } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { wantsHtml } from '../failure-page-response.ts';
import { cached, type KeptAnswer, keptAnswer, sendKept } from '../kept-answer.ts';
import { path } from '../schema.ts';
import { gatePages } from './gate.ts';
import { PAGE_SOURCES, pages } from './pages.ts';

const HEADERS = ['etag'] as const;
const LINK = Type.String({ format: 'uri' });

const INDEX = Type.Object({
  name: Type.String(),
  version: Type.String(),
  guide: LINK,
  openapi: LINK,
  openapi_operators: LINK,
  reference: LINK,
  mcp: LINK,
  dashboard: Type.Optional(Type.String({ format: 'uri', description: 'Left out if pages are off.' })),
});

const INDEX_ANSWER = orBare(
  ['text/html'],
  answers(
    INDEX,
    {
      name: 'Waymark',
      version: '0.1.0',
      guide: 'https://waymark.example/llms.txt',
      openapi: 'https://waymark.example/openapi.json',
      openapi_operators: 'https://waymark.example/openapi-operators.json',
      reference: 'https://waymark.example/docs',
      mcp: 'https://waymark.example/mcp',
      dashboard: 'https://waymark.example/dashboard',
    },
    [],
    HEADERS,
  ),
);

const INDEX_DETAIL = {
  operationId: 'index',
  summary: 'What this service is',
  description: 'Links to its guide, reference and tools; a page for a browser that asks for HTML.',
};

/** What this service is: JSON for programs, and a page for browsers unless pages are off. */
export function indexRoutes(context: HttpContext) {
  const index = cached(() => indexOf(context), context.publicUrl);
  return new Elysia({ name: 'index', tags: ['Reference'] })
    .use(access(context))
    .get(
      '/',
      async ({ request: { headers } }) =>
        sendKept(context.hasPages && wantsHtml(headers) ? (await built()).landing : await index(), headers),
      { anybody: true, ifNoneMatch: true, response: INDEX_ANSWER, detail: INDEX_DETAIL },
    );
}

function indexOf({ version, publicUrl, hasPages }: HttpContext): Promise<KeptAnswer> {
  const at = (of: string) => `${publicUrl()}${of}`;
  const data: Static<typeof INDEX> = {
    name: 'Waymark',
    version,
    guide: at('/llms.txt'),
    openapi: at('/openapi.json'),
    openapi_operators: at('/openapi-operators.json'),
    reference: at('/docs'),
    mcp: at('/mcp'),
    ...(hasPages && { dashboard: at('/dashboard') }),
  };
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' };
  return keptAnswer(JSON.stringify({ success: true, data }), headers);
}

const HTML = finishedAnswers('text/html', Type.String(), [], HEADERS);
const FILE = finishedAnswers('*/*', Type.String(), ['NOT_FOUND'], HEADERS);
const FILE_PATH = path({ file: 'As a page names it.' });

/** The API reference does not name pages. */
const hidden = (operationId: string) => ({ operationId, summary: 'A page', description: 'For browsers.', hide: true });

/** The dashboard: one HTML page for all its addresses, and its files. The gate: a page, and files below it. */
export function pageRoutes(context: HttpContext) {
  const dashboard = async ({ request }: { request: Request }) => sendKept((await built()).dashboard, request.headers);
  return new Elysia({ name: 'pages', tags: ['Reference'] })
    .use(access(context))
    .get('/dashboard', dashboard, { anybody: true, response: HTML, detail: hidden('dashboard') })
    .get('/dashboard/*', dashboard, { anybody: true, response: HTML, detail: hidden('dashboard_page') })
    .get(
      '/assets/:file',
      async ({ params, request, call }) => {
        const file = (await built()).files.get(params.file);
        return file === undefined
          ? call.refuse(refused('NOT_FOUND', 'No page has a file of this name; load the page again.'))
          : sendKept(file, request.headers);
      },
      { anybody: true, params: FILE_PATH, response: FILE, detail: hidden('page_file') },
    )
    .get('/gate', async ({ request }) => sendKept((await builtGate()).page, request.headers), {
      anybody: true,
      response: HTML,
      detail: hidden('gate'),
    })
    .get(
      '/gate/:file',
      async ({ params, request, call }) => {
        const file = (await builtGate()).files.get(params.file);
        return file === undefined
          ? call.refuse(refused('NOT_FOUND', 'The gate has no file of this name; load the page again.'))
          : sendKept(file, request.headers);
      },
      { anybody: true, params: FILE_PATH, response: FILE, detail: hidden('gate_file') },
    );
}

/** Built at the first request, for all apps of the process. */
const built = cached(pages);
const builtGate = cached(() => gatePages(PAGE_SOURCES));
