import { Elysia } from 'elysia';
import { ERROR_CODES } from '../../application/refusal.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { MAX_BODY_BYTES, MAX_BODY_DEPTH } from '../body.ts';
import { TAGS } from '../declaration.ts';
import type { Access } from '../endpoint.ts';
import type { About } from './about.ts';
import { ANSWER_HEADERS } from './headers.ts';
import type { Components, Json } from './json-schema.ts';
import { operationOf } from './operation.ts';
import type { DeclaredRoute } from './routes.ts';
import { webhookOperations } from './webhook-operations.ts';

/** The whole API in OpenAPI 3.1, made of what the endpoints declare and check (docs/decisions/0023). */
export async function openApiDocument(routes: readonly DeclaredRoute[], about: About): Promise<Json> {
  const { version, publicUrl } = about;
  const components: Components = new Map([['Error', ERROR]]);
  const paths = await pathsOf(routes, components);
  const webhooks = webhookOperations(about, components);
  const used = new Set(routes.map(({ declaration }) => declaration.tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waymark',
      version,
      summary: 'Travel activities in South-East Asia, for AI agents.',
      description: INTRODUCTION,
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
      headers: Object.fromEntries(Object.values(ANSWER_HEADERS).map(({ name, ...header }) => [name, header])),
      securitySchemes: SECURITY,
    },
  };
}

const INTRODUCTION = `Requests and answers are JSON. A success is status 200 with \`{"success": true, "data": …}\`; a failure has a
status and a code, and says what to do: \`resolution\` is \`fix_request\`, \`retry_later\`, \`choose_other\` or
\`contact_operator\`; \`retryable\` is true where the very same request can succeed later; \`alternatives\` lists what could be
asked for instead.

Who calls and may they is looked at first, then whether the request is well formed, then the state of the world. \`details\`
names every bad field; \`code\` and \`error\` are those of the first. Fields that are not named here are ignored, and null
counts as not sent. Ignore members of answers that you do not know: additions can come at any time.

Keys have limits by their plan: any 60 seconds, and a day in UTC. \`RateLimit\` tells what is left; a request over a limit is
answered with status 429, and counts for nothing.

A body may have ${MAX_BODY_BYTES / 1024} KiB, and ${MAX_BODY_DEPTH} levels of lists and objects. Unknown paths are answered with \`NOT_FOUND\`, other methods with \`METHOD_NOT_ALLOWED\`, in the same
envelope. Agents find a short guide in [/llms.txt](/llms.txt).`;

const ERROR: Json = {
  type: 'object',
  description: 'Every failure.',
  properties: {
    success: { const: false },
    error: { type: 'string', description: 'One sentence: what is wrong, with field and value, and what to do.' },
    code: { type: 'string', enum: ERROR_CODES },
    details: { type: 'string', description: 'More of the same, for instance every bad field; may be empty.' },
    retryable: { type: 'boolean', description: 'The very same request can succeed later.' },
    resolution: { type: 'string', enum: ['fix_request', 'retry_later', 'choose_other', 'contact_operator'] },
    alternatives: {
      type: 'array',
      description: 'What could be asked for instead, as fields of the request.',
      items: {
        type: 'object',
        properties: {
          activity_id: { type: 'string' },
          booking_date: { type: 'string', format: 'date' },
          available_slots: { type: 'integer', minimum: 0 },
          city: { type: 'string' },
          leave_out: { type: 'string', description: 'A field to leave out.' },
          activities: { type: 'integer', minimum: 1, description: 'How many activities there are then.' },
        },
      },
    },
  },
  required: ['success', 'error', 'code', 'details', 'retryable', 'resolution'],
};

const SECURITY = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      "An agent's key, 64 lower-case hexadecimal characters: `<API_KEY>`. The names are permissions it must have.",
  },
  DeviceKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-device-key',
    description: "A gate device's key: `<DEVICE_KEY>`.",
  },
  AdminToken: { type: 'http', scheme: 'bearer', description: "The operator's token: `<ADMIN_TOKEN>`." },
  AnalystToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token that reads reports and projections only: `<ANALYST_TOKEN>`.',
  },
};

/**
 * Elysia's plugin reads names and texts off a router. It is given one of its own, which answers nobody: schemas in the
 * hooks of the one that does would make Elysia validate requests, too early (docs/decisions/0003).
 */
async function pathsOf(routes: readonly DeclaredRoute[], components: Components): Promise<Json> {
  // Only who reads the reference waits for the plugin to be loaded, not every start.
  const { toOpenAPISchema } = await import('@elysiajs/openapi/openapi');
  const book = new Elysia();
  for (const { method, path, declaration } of routes) {
    const { id, tag, summary } = declaration;
    const description = `${declaration.description}\n\n${mayCall(declaration)}`;
    const detail = { operationId: id, tags: [tag], summary, description };
    book.route(method, path.replace(/\{(\w+)\}/g, ':$1'), () => null, { detail });
  }
  const told = toOpenAPISchema(book, { staticFile: false, methods: [] }).paths;
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const method = route.method.toLowerCase();
    const texts = Object.entries(told[route.path] ?? {}).find(([name]) => name === method)?.[1];
    paths[route.path] = { ...paths[route.path], [method]: { ...Object(texts), ...operationOf(route, components) } };
  }
  return paths;
}

/** Who may call, for people: tools read it in `security`. */
function mayCall(access: Access): string {
  switch (access.by) {
    case 'key':
      return access.permission === null
        ? 'Callers: any API key.'
        : `Callers: API keys with the permission \`${access.permission}\`.`;
    case 'device':
      return 'Callers: gate devices.';
    case 'operator':
      return access.least === 'analyst' ? 'Callers: the operator, and analysts.' : 'Callers: the operator.';
    case 'anybody':
      return 'Callers: anybody.';
    default:
      return unreachable(access);
  }
}
