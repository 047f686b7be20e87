import { type AnyElysia, Elysia } from 'elysia';
import { Type } from 'typebox';
import { refused } from '../../application/refusal.ts';
import { utcDate } from '../../domain/activity/schedule.ts';
import { access } from '../access.ts';
import { finishedAnswers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { cached, type KeptAnswer, keptAnswer, sendKept } from '../kept-answer.ts';
import { path } from '../schema.ts';
import { describedRoutes } from './described-routes.ts';
import { openApiDocument } from './document.ts';
import type { DocumentName } from './documents.ts';
import { withExamplesOf } from './example-dates.ts';
import { guide } from './guide.ts';
import { type ReferencePage, referencePage } from './page.ts';

const HEADERS = ['etag'] as const;

const OPENAPI = finishedAnswers('application/json', Type.Record(Type.String(), Type.Unknown()), [], HEADERS);

const LLMS = finishedAnswers('text/plain', Type.String(), [], HEADERS);

const DOCS = finishedAnswers('text/html', Type.String(), [], HEADERS);

const DOCS_FILE_PATH = path({ file: 'As the page names it.' });

const DOCS_FILE = finishedAnswers('*/*', Type.String(), ['NOT_FOUND'], HEADERS);

/** @param appOf returns the app with all routes; called at the first request for the reference */
export function referenceRoutes(context: HttpContext, appOf: () => AnyElysia) {
  const reference = referenceOf(appOf, context);
  return new Elysia({ name: 'reference', tags: ['Reference'] })
    .use(access(context))
    .get('/openapi.json', async ({ request }) => sendKept(await reference.agents(), request.headers), {
      anybody: { throttle: 'reference' },
      ifNoneMatch: true,
      response: OPENAPI,
      detail: {
        operationId: 'openapi',
        summary: 'This document',
        description: 'OpenAPI 3.1, generated from the schemas of the routes.',
      },
    })
    .get('/openapi-operators.json', async ({ request }) => sendKept(await reference.operators(), request.headers), {
      anybody: { throttle: 'reference' },
      ifNoneMatch: true,
      response: OPENAPI,
      detail: {
        operationId: 'openapi_operators',
        summary: 'The document for operators and the dashboard',
        description: 'OpenAPI 3.1, generated from the schemas of the routes.',
      },
    })
    .get('/docs', async ({ request }) => sendKept((await page()).page, request.headers), {
      anybody: true,
      ifNoneMatch: true,
      response: DOCS,
      detail: {
        operationId: 'docs',
        summary: 'Both documents as a page',
        description: 'It loads everything from this service: it works without the internet.',
      },
    })
    .get(
      '/docs/:file',
      async ({ params, request, call }) => {
        const file = (await page()).files.get(params.file);
        return file === undefined
          ? call.refuse(refused('NOT_FOUND', 'The page at /docs has no file of this name; load the page again.'))
          : sendKept(file, request.headers);
      },
      {
        anybody: true,
        ifNoneMatch: true,
        params: DOCS_FILE_PATH,
        response: DOCS_FILE,
        detail: {
          operationId: 'docs_file',
          summary: 'A file of the page',
          description: 'Its name changes with its content, so it may be cached for ever.',
        },
      },
    )
    .get('/llms.txt', async ({ request }) => sendKept(await reference.guide(), request.headers), {
      anybody: true,
      ifNoneMatch: true,
      response: LLMS,
      detail: {
        operationId: 'llms',
        summary: 'A short guide for agents',
        description: 'Markdown: how to call, the steps from a wish to a voucher, and what to do about each error.',
      },
    });
}

const REVALIDATED = { 'cache-control': 'no-cache' };

/**
 * The OpenAPI documents and the guide. Each is built at its first request of a day, because its examples contain dates.
 */
function referenceOf(appOf: () => AnyElysia, { version, publicUrl, webhooks, clock }: HttpContext) {
  const { timeoutMs: webhookTimeoutMs } = webhooks.webhookLimits;
  const today = () => utcDate(clock.nowMs());
  const about = () => ({ version, publicUrl: publicUrl(), webhookTimeoutMs, today: today() });
  const routes = () => withExamplesOf(describedRoutes(appOf().routes), today());
  const document = (name: DocumentName) =>
    cached(async (): Promise<KeptAnswer> => {
      const text = JSON.stringify(await openApiDocument(name, appOf(), routes(), about()));
      return keptAnswer(text, { 'content-type': 'application/json; charset=utf-8', ...REVALIDATED });
    }, today);
  return {
    agents: document('agents'),
    operators: document('operators'),
    guide: cached(async (): Promise<KeptAnswer> => {
      const text = guide(routes(), about());
      return keptAnswer(text, { 'content-type': 'text/plain; charset=utf-8', ...REVALIDATED });
    }, today),
  };
}

/** All apps of the process share the page. */
const page = cached<ReferencePage>(referencePage);
