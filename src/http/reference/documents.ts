import { MAX_BODY_BYTES, MAX_BODY_DEPTH } from '../body.ts';
import type { About, DescribedRoute } from './described-routes.ts';
import { webhookRules } from './webhook-operations.ts';

export const SECURITY = {
  Session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'waymark_session',
    description:
      "The dashboard's session, from `POST /api/sessions`. Its browser may call what an operator's role allows, or read a key's data and manage its webhook, without a token or key in a header. A write needs the header `X-CSRF-Token`. Every answer but that of `GET /api/live` renews the cookie (`Set-Cookie`).",
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

type Document = {
  readonly title: string;
  readonly summary: string;
  readonly introduction: (about: About) => string;
};

export type DocumentName = 'agents' | 'operators';

/** An operation that only operators or sessions call is in the document of operators. */
export function documentOf({ access, tag }: Pick<DescribedRoute, 'access' | 'tag'>): DocumentName {
  return access.by === 'operator' || access.by === 'session' || tag === 'Sessions' ? 'operators' : 'agents';
}

const COMMON = `Requests and answers are JSON. A success is status 200 with \`{"success": true, "data": …}\`. A failure has a status and
a code, and says what to do: \`resolution\` is \`fix_request\`, \`retry_later\`, \`choose_other\` or \`contact_operator\`;
\`retryable\` is true if the same request can succeed later; \`alternatives\` lists what you can request instead.

The service first checks who calls and whether they may, then whether the request is well formed, then the state.
\`details\` names every bad field; \`code\` and \`error\` are those of the first. Unknown fields and query parameters are
refused, and texts with line breaks, controls or bidirectional controls; null counts as not sent. Names of a list are understood in any case, and digits in strings as numbers; then
\`data.interpreted\` says what was taken. Ignore unknown members of answers: additions can come at any time.

Lists and reports follow changes within moments. A request that changes something answers with \`X-Position\`: send it back as
a header, and the query sees the change.

Times are ISO 8601 in UTC. Every answer has \`X-Request-Id\` (yours, if you sent one of 1 to 128 letters, digits and \`_ . : -\`; else a new one) and
\`Cache-Control\` (\`no-store\` unless the operation says otherwise).`;

const PLANS = `The plan of a key limits its requests, in any 60 seconds and in a UTC day. If it does, every answer to the key has
\`RateLimit-Policy\`, with the limits: \`q\` requests in \`w\` seconds, and \`RateLimit\`, with what remains: \`r\` requests, more in
\`t\` seconds. A request over a limit gets status 429 and does not count.`;

const READING = `\`security\` of an operation says who may call it: without a scheme anybody. Examples stand at the schemas that they are of.
\`default\` has the failures of a status that is not listed.

A body may have ${MAX_BODY_BYTES / 1024} KiB, and ${MAX_BODY_DEPTH} levels of lists and objects. Unknown paths get \`NOT_FOUND\`, other methods
\`METHOD_NOT_ALLOWED\`, plain HTTP in production \`HTTPS_REQUIRED\`, in the same envelope.`;

/** The OpenAPI documents of the API (docs/decisions/0098). */
export const DOCUMENTS: Readonly<Record<DocumentName, Document>> = {
  agents: {
    title: 'Waymark',
    summary: 'Travel activities in South-East Asia, for AI agents.',
    introduction: (about) =>
      `${COMMON}\n\n${PLANS}\n\n${READING} Agents find a short guide in [/llms.txt](/llms.txt). The operations of operators and of
the dashboard stand in [/openapi-operators.json](/openapi-operators.json).\n\n${webhookRules(about)}`,
  },
  operators: {
    title: 'Waymark for operators',
    summary: 'Running Waymark: the operations of operators and of the dashboard.',
    introduction: () =>
      `${COMMON}\n\n${READING} The operations of API keys and gate devices, and what anybody may call, stand in [/openapi.json](/openapi.json).`,
  },
};
