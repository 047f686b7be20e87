import type { AnyElysia } from 'elysia';
import { type AnswerSchema, FAILURE } from '../answers.ts';
import { ANSWER_HEADERS } from '../headers.ts';
import type { RequestSchema } from '../schema.ts';
import { callersOf } from './callers.ts';
import { type About, type DescribedRoute, TAGS } from './described-routes.ts';
import { DOCUMENTS, type DocumentName, documentOf, SECURITY } from './documents.ts';
import { withInterpreted } from './interpreted.ts';
import { type Components, isJson, type Json, jsonSchema } from './json-schema.ts';
import { completed, schemaAsJson } from './operation.ts';
import { shareExamples } from './shared-examples.ts';
import { shareParts } from './shared-parts.ts';
import { usedComponents } from './used-components.ts';
import { webhookOperations } from './webhook-operations.ts';

/** One of the two OpenAPI 3.1 documents of the API, generated from the routes (docs/decisions/0045 and 0098). */
export async function openApiDocument(
  name: DocumentName,
  app: AnyElysia,
  all: readonly DescribedRoute[],
  about: About,
): Promise<Json> {
  const { title, summary, introduction } = DOCUMENTS[name];
  const routes = all.filter((route) => documentOf(route) === name);
  const components: Components = new Map();
  jsonSchema(FAILURE, components);
  const own = withInterpreted(await pathsOf(app, routes, components), routes, components);
  // Their parts are not shared: oapi-codegen drops components that only webhooks refer to.
  const webhooks = name === 'agents' ? { webhooks: webhookOperations(about, components) } : {};
  const { paths, components: shared } = shareParts(shareExamples(own, components));
  const used = new Set(routes.map(({ tag }) => tag));
  const headers = Object.fromEntries(Object.values(ANSWER_HEADERS).map(({ name: header, ...rest }) => [header, rest]));
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: about.version,
      summary,
      description: introduction(about),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: about.publicUrl }],
    tags: Object.entries(TAGS).flatMap(([tag, description]) =>
      used.has(tag as keyof typeof TAGS) ? [{ name: tag, description }] : [],
    ),
    paths,
    ...webhooks,
    components: {
      ...usedComponents({ schemas: Object.fromEntries(components), headers }, { paths, webhooks, shared }),
      ...shared,
      securitySchemes: schemesOf(routes),
    },
  };
}

/** The schemes of the operations, and that of a session, which may stand for a token or a key. */
function schemesOf(routes: readonly DescribedRoute[]): Json {
  const named = new Set([
    'Session',
    ...routes.flatMap(({ access }) => callersOf(access).security.flatMap(Object.keys)),
  ]);
  return Object.fromEntries(Object.entries(SECURITY).filter(([scheme]) => named.has(scheme)));
}

/** Elysia's plugin generates the operations; `completed` adds what the plugin does not support. */
async function pathsOf(app: AnyElysia, routes: readonly DescribedRoute[], components: Components): Promise<Json> {
  // Loaded at the first request for the API reference, which keeps the start fast.
  const { toOpenAPISchema } = await import('@elysiajs/openapi/openapi');
  const typebox = (schema: RequestSchema | AnswerSchema): Json => schemaAsJson(schema, components);
  const generated = toOpenAPISchema(app, { staticFile: false, methods: [] }, undefined, { typebox }).paths;
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { path } = route;
    const method = route.method.toLowerCase();
    const found = Object.entries(generated[path] ?? {}).find(([name]) => name === method)?.[1];
    const operation = completed(isJson(found) ? found : {}, route, components);
    paths[path] = { ...paths[path], [method]: { ...operation, description: route.description } };
  }
  return paths;
}
