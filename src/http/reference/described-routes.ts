import type { LocalDate } from '../../domain/activity/activity.ts';
import { COMPUTING, OPERATIONS } from '../../domain/operator/roles.ts';
import type { Access } from '../admission.ts';
import { type AnswerSchema, isAnswerSchema } from '../answers.ts';
import { REQUEST_HEADERS, type RequestHeader } from '../headers.ts';
import type { RequestSchema } from '../schema.ts';
import { isJson, type Json } from './json-schema.ts';

/** Settings that the API reference shows. */
export type About = {
  readonly version: string;
  readonly publicUrl: string;
  /** Time limit for the answer of a webhook receiver. */
  readonly webhookTimeoutMs: number;
  /** In UTC, for the dates of examples. */
  readonly today: LocalDate;
};

/** The chapters of the API reference, in order. */
export const TAGS = {
  Recommendations: 'Activities, ranked for a traveller and a place.',
  Inventory: 'What can be booked, when, and at which price.',
  Catalogue: 'The activities on sale, for the operator.',
  Bookings: 'Bookings and their state.',
  Vouchers: 'What a guest shows at the gate. The code in the address is the secret.',
  Gate: 'Scanning vouchers: the ground truth of a visit.',
  Webhooks: 'Events that the service posts to a receiver, and their delivery log.',
  Keys: 'API keys: your own, and all keys for the operator.',
  Operators: 'Who may call the operations of operators, and with which role.',
  Sessions: 'Signing in to the dashboard.',
  Analytics: 'What was recommended, booked and visited.',
  Operation: 'Running the service.',
  Tools: 'The API as tools, for agents that use the Model Context Protocol.',
  Reference: 'How this API describes itself.',
} as const;
type Tag = keyof typeof TAGS;

/** The parts of Elysia's route type that the API reference reads. */
export type Route = { readonly method: string; readonly path: string; readonly hooks: unknown };

/** A route for the API reference. `path` is in the form of OpenAPI: `/api/keys/{id}`. */
export type DescribedRoute = {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** The body or the query; null if the route reads neither. */
  readonly request: RequestSchema | null;
  /** Fields of a valid request; undefined if the route has no example. */
  readonly example: Json | undefined;
  readonly headers: readonly RequestHeader[];
  readonly response: Readonly<Record<number, AnswerSchema>>;
};

/**
 * The routes of the API reference, in the router's order. Those with `hide` in their `detail` are pages for browsers.
 *
 * @throws for a route without a macro of its caller, a text or a response, of an unknown chapter, or for an act of operators
 * that is not audited
 */
export function describedRoutes(routes: readonly Route[]): readonly DescribedRoute[] {
  return routes
    .filter(({ hooks }) => !isHidden(hooks))
    .map(({ method, path, hooks }) => {
      if (!isDescribed(hooks))
        throw new Error(
          `${method} ${path}: name its caller (apiKey, operator, device, session, anybody), tag, texts and response`,
        );
      const { access, detail, body, query, response } = hooks;
      const { operationId, tags, summary, description, parameters = [] } = detail;
      assertAudited(method, access);
      const request = body ?? query ?? null;
      return {
        method,
        path: path.replace(/:(\w+)/g, '{$1}'),
        access,
        operationId,
        tag: tags[0],
        summary,
        description,
        request,
        example: exampleOf(request),
        // Elysia adds the headers of macros to the route's `detail`, again for each app that a process makes.
        headers: [...new Set(parameters.map(({ name }) => name.toLowerCase()))].filter(isRequestHeader),
        response,
      };
    });
}

function isHidden(hooks: unknown): boolean {
  return isJson(hooks) && isJson(hooks['detail']) && hooks['detail']['hide'] === true;
}

function assertAudited(method: string, access: Access): void {
  if (access.by !== 'operator' || method === 'GET' || COMPUTING.has(access.operation)) return;
  if (OPERATIONS[access.operation].audited === 'act') return;
  throw new Error(`${access.operation}: src/domain/operator/roles.ts must audit it as an act: it is no GET`);
}

type Described = {
  readonly access: Access;
  readonly detail: {
    readonly operationId: string;
    readonly tags: readonly [Tag];
    readonly summary: string;
    readonly description: string;
    readonly parameters?: readonly { readonly name: string }[];
  };
  readonly body?: RequestSchema;
  readonly query?: RequestSchema;
  readonly response: Readonly<Record<number, AnswerSchema>>;
};

export function isDescribed(hooks: unknown): hooks is Described {
  if (typeof hooks !== 'object' || hooks === null || !('access' in hooks)) return false;
  const { detail, response } = { detail: null, response: null, ...hooks };
  if (!isJson(detail) || !isJson(response)) return false;
  const { operationId, tags, summary, description } = detail;
  const texts = [operationId, summary, description].every((text) => typeof text === 'string');
  return texts && Array.isArray(tags) && String(tags[0]) in TAGS && Object.values(response).every(isAnswerSchema);
}

function exampleOf(request: RequestSchema | null): Json | undefined {
  const { examples } = { examples: [], ...request?.schema };
  return Array.isArray(examples) ? examples[0] : undefined;
}

function isRequestHeader(name: string): name is RequestHeader {
  return name in REQUEST_HEADERS;
}
