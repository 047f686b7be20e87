import type { Access } from '../admission.ts';
import { type AnswerSchema, isAnswerSchema } from '../answers.ts';
import type { RequestSchema } from '../schema.ts';
import { REQUEST_HEADERS, type RequestHeader } from './headers.ts';
import { isJson, type Json } from './json-schema.ts';
import { TAGS, type Tag } from './tags.ts';

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
 * The routes of the API reference, in the router's order. It skips routes without a description; a test finds those.
 */
export function describedRoutes(routes: readonly Route[]): readonly DescribedRoute[] {
  return routes.flatMap(({ method, path, hooks }) => {
    if (!isDescribed(hooks)) return [];
    const { access, detail, body, query, response } = hooks;
    const { operationId, tags, summary, description, parameters = [] } = detail;
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
      headers: parameters.map(({ name }) => name.toLowerCase()).filter(isRequestHeader),
      response,
    };
  });
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
