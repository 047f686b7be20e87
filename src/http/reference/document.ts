import type { AnyElysia } from 'elysia';
import { type AnswerSchema, FAILURE } from '../answers.ts';
import { MAX_BODY_BYTES, MAX_BODY_DEPTH } from '../body.ts';
import { ANSWER_HEADERS } from '../headers.ts';
import type { RequestSchema } from '../schema.ts';
import { type About, type DescribedRoute, TAGS } from './described-routes.ts';
import { withInterpreted } from './interpreted.ts';
import { type Components, isJson, type Json, jsonSchema } from './json-schema.ts';
import { completed, schemaAsJson } from './operation.ts';
import { shareExamples } from './shared-examples.ts';
import { shareParts } from './shared-parts.ts';
import { webhookOperations, webhookRules } from './webhook-operations.ts';

/** The API as an OpenAPI 3.1 document, generated from the routes (docs/decisions/0045). */
export async function openApiDocument(app: AnyElysia, routes: readonly DescribedRoute[], about: About): Promise<Json> {
  const { version, publicUrl } = about;
  const components: Components = new Map();
  jsonSchema(FAILURE, components);
  const own = withInterpreted(await pathsOf(app, routes, components), routes, components);
  // Their parts are not shared: oapi-codegen drops components that only webhooks refer to.
  const webhooks = webhookOperations(about, components);
  const { paths, components: shared } = shareParts(shareExamples(own, components));
  const used = new Set(routes.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waymark',
      version,
      summary: 'Travel activities in South-East Asia, for AI agents.',
      description: `${INTRODUCTION}\n\n${webhookRules(about)}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(TAGS).flatMap(([name, description]) =>
      used.has(name as keyof typeof TAGS) ? [{ name, description }] : [],
    ),
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...shared,
      headers: Object.fromEntries(Object.values(ANSWER_HEADERS).map(({ name, ...header }) => [name, header])),
      securitySchemes: SECURITY,
    },
  };
}

const INTRODUCTION = `Requests and answers are JSON. A success is status 200 with \`{"success": true, "data": …}\`. A failure has a status and
a code, and says what to do: \`resolution\` is \`fix_request\`, \`retry_later\`, \`choose_other\` or \`contact_operator\`;
\`retryable\` is true if the same request can succeed later; \`alternatives\` lists what you can request instead.

The service first checks who calls and whether they may, then whether the request is well formed, then the state.
\`details\` names every bad field; \`code\` and \`error\` are those of the first. Unknown fields and query parameters are
refused, and texts with line breaks, controls or bidirectional controls; null counts as not sent. Names of a list are understood in any case, and digits in strings as numbers; then
\`data.interpreted\` says what was taken. Ignore unknown members of answers: additions can come at any time.

Lists and reports follow changes within moments. A request that changes something answers with \`X-Position\`: send it back as
a header, and the query sees the change.

Times are ISO 8601 in UTC. Every answer has \`X-Request-Id\` (yours, if you sent one of 1 to 128 letters, digits and \`_ . : -\`; else a new one) and
\`Cache-Control\` (\`no-store\` unless the operation says otherwise).

The plan of a key limits its requests, in any 60 seconds and in a UTC day. If it does, every answer to the key has
\`RateLimit-Policy\`, with the limits: \`q\` requests in \`w\` seconds, and \`RateLimit\`, with what remains: \`r\` requests, more in
\`t\` seconds. A request over a limit gets status 429 and does not count.

\`security\` of an operation says who may call it: without a scheme anybody. Examples stand at the schemas that they are of.
\`default\` has the failures of a status that is not listed.

A body may have ${MAX_BODY_BYTES / 1024} KiB, and ${MAX_BODY_DEPTH} levels of lists and objects. Unknown paths get \`NOT_FOUND\`, other methods
\`METHOD_NOT_ALLOWED\`, plain HTTP in production \`HTTPS_REQUIRED\`, in the same envelope. Agents find a short guide in [/llms.txt](/llms.txt).`;

const SECURITY = {
  Session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'waymark_session',
    description:
      "The dashboard's session, from `POST /api/sessions`. Its browser may call what an operator's role allows, or read a key's data and manage its webhook, without a token or key in a header. A write needs the header `X-CSRF-Token`. Every answer renews the cookie (`Set-Cookie`).",
  },
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      "An agent's key, 64 lower-case hexadecimal characters: `<API_KEY>`. The names are the permissions that it must have.",
  },
  DeviceKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-device-key',
    description: "A gate device's key: `<DEVICE_KEY>`.",
  },
  OperatorToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      "An operator's token: `<OPERATOR_TOKEN>`. The names are the roles that may call. The admin token and the analyst token of the settings have the roles `admin` and `analyst`.",
  },
};

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
