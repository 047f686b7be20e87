import type { Operation, Reference } from '../support/reference.ts';

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
export type Scheme = 'ApiKey' | 'DeviceKey' | 'OperatorToken' | 'Session';

/** An operation of the API reference: the parts from which requests are generated. */
export type FuzzedOperation = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Credentials that may call it; empty: anybody. */
  readonly schemes: readonly Scheme[];
  readonly parameters: readonly Parameter[];
  /** An example of the body, null without a body; and the schema of each field. */
  readonly example: Readonly<Record<string, unknown>> | null;
  readonly fields: Readonly<Record<string, Schema>>;
};

type OperationObject = {
  readonly operationId: string;
  readonly security?: readonly Partial<Record<Scheme, unknown>>[];
  readonly parameters?: readonly Parameter[];
};
type Json = { readonly [name: string]: unknown };

/** Every operation of the document. */
export function operationsOf(reference: Reference): readonly [FuzzedOperation, ...FuzzedOperation[]] {
  const [first, ...others] = reference.operations.map((operation) => operationOf(operation, reference));
  if (first === undefined) throw new Error('the API reference has no operations');
  return [first, ...others];
}

function operationOf({ method, path, pointer, operation }: Operation, reference: Reference): FuzzedOperation {
  // Another test validates the reference.
  const { operationId, security = [], parameters = [] } = operation as OperationObject;
  const body = reference.at(`${pointer}/requestBody/content/application~1json`);
  const example = body === null ? null : (body.value['example'] ?? reference.sample(body.value['schema'] as Json));
  return {
    id: operationId,
    method,
    path,
    schemes: security.flatMap((each) => Object.keys(each) as Scheme[]),
    // Several operations refer to one parameter.
    parameters: parameters.map((_, index) => reference.at(`${pointer}/parameters/${index}`)?.value as Parameter),
    example: example as FuzzedOperation['example'],
    fields: body === null ? {} : fieldsOf(`${body.pointer}/schema`, reference),
  };
}

/** The schema of each field of an object, those of the parts of an `allOf` included. */
function fieldsOf(pointer: string, reference: Reference): FuzzedOperation['fields'] {
  const place = reference.at(pointer);
  if (place === null) return {};
  const { allOf = [], properties = {} } = place.value as { allOf?: readonly Json[]; properties?: object };
  const parts = allOf.map((_, index) => fieldsOf(`${place.pointer}/allOf/${index}`, reference));
  return Object.assign({}, ...parts, properties) as FuzzedOperation['fields'];
}

/** A value that a schema allows; undefined for schemas that this function does not support. */
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
