import type { Operation } from '../support/reference.ts';

type Schema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
};
export type Parameter = { readonly name: string; readonly in: 'path' | 'query' | 'header'; readonly schema: Schema };
export type Scheme = 'ApiKey' | 'DeviceKey' | 'AdminToken' | 'AnalystToken';

/** An operation of the API reference, as far as requests are made of it. */
export type Target = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Who may call; none: anybody. */
  readonly schemes: readonly Scheme[];
  readonly parameters: readonly Parameter[];
  /** An example of the body, null where there is none, and what else may stand in it. */
  readonly example: Readonly<Record<string, unknown>> | null;
  readonly members: Readonly<Record<string, Schema>>;
};

type Told = {
  readonly operationId: string;
  readonly security?: readonly Partial<Record<Scheme, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
};
type Media = {
  readonly schema?: { readonly properties?: Readonly<Record<string, Schema>> };
  readonly example?: Readonly<Record<string, unknown>>;
};

/** Every operation of the document, so that one that is new is attacked from its first day. */
export function targetsOf(operations: readonly Operation[]): readonly [Target, ...Target[]] {
  const [first, ...others] = operations.map(targetOf);
  if (first === undefined) throw new Error('the API reference has no operations');
  return [first, ...others];
}

function targetOf({ method, path, operation }: Operation): Target {
  // What the reference's own test has found valid.
  const { operationId, security = [], parameters = [], requestBody } = operation as Told;
  const body = requestBody?.content['application/json'];
  return {
    id: operationId,
    method,
    path,
    schemes: security.flatMap((each) => Object.keys(each) as Scheme[]),
    parameters,
    example: body?.example ?? null,
    members: body?.schema?.properties ?? {},
  };
}

/** A value that a schema allows, undefined where that is not simply said. */
export function allowedBy(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.anyOf !== undefined) return schema.anyOf.map(allowedBy).find((value) => value !== undefined);
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? schema.maximum ?? 1;
  if (schema.type === 'array') return schema.items === undefined ? [] : [allowedBy(schema.items)];
  return undefined;
}
