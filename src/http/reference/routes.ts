import type { Declaration, Endpoint } from '../endpoint.ts';

/** A route as the router has it. */
export type Route = { readonly method: string; readonly path: string; readonly handler: unknown };

/** A route whose endpoint says what it is; the path in the manner of OpenAPI, `/api/keys/{id}`. */
export type DeclaredRoute = {
  readonly method: string;
  readonly path: string;
  readonly declaration: Declaration;
  readonly form: Endpoint['form'];
};

/** The routes that can be told of, in the router's order; the others are left out (a test finds them). */
export function declaredRoutes(routes: readonly Route[]): readonly DeclaredRoute[] {
  return routes.flatMap(({ method, path, handler }) =>
    isEndpoint(handler)
      ? [{ method, path: path.replace(/:(\w+)/g, '{$1}'), declaration: handler.declaration, form: handler.form }]
      : [],
  );
}

/** Whether a route's handler was made by `endpoint` with a declaration. */
export function isEndpoint(handler: unknown): handler is Endpoint {
  if (typeof handler !== 'function' || !('declaration' in handler)) return false;
  const { declaration } = handler;
  return typeof declaration === 'object' && declaration !== null && 'id' in declaration;
}
