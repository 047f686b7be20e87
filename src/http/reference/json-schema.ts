import type { TSchema } from 'typebox';

/** JSON that is built up here and only read elsewhere. */
export type Json = { readonly [name: string]: unknown };

/** Named schemas, by name. */
export type Components = Map<string, Json>;

/**
 * A TypeBox schema as JSON Schema 2020-12 in the form that people and generators read best: schemas with an `$id` become
 * components and are referred to, "or null" becomes a second type.
 *
 * @param components takes up the named schemas
 * @throws where two different schemas have one name
 */
export function jsonSchema(schema: TSchema, components: Components): Json {
  return plain(parse(schema), components);
}

/** What JSON shows of a schema: TypeBox keeps its own marks where it shows none. */
function parse(schema: TSchema): Json {
  // What was an object before is one afterwards.
  return JSON.parse(JSON.stringify(schema)) as Json;
}

function plain({ $id, ...schema }: Json, components: Components): Json {
  const told = orNull(children(schema, components));
  if (typeof $id !== 'string') return told;
  const known = components.get($id);
  if (known !== undefined && !Bun.deepEquals(known, told)) throw new Error(`two schemas are called ${$id}`);
  components.set($id, told);
  return { $ref: `#/components/schemas/${$id}` };
}

function children(schema: Json, components: Components): Json {
  const inner = (value: unknown): Json => plain(isJson(value) ? value : {}, components);
  const told: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties' && isJson(value)) {
      told[name] = Object.fromEntries(Object.entries(value).map(([property, of]) => [property, inner(of)]));
    } else if (name === 'patternProperties' && isJson(value))
      told['additionalProperties'] = inner(Object.values(value)[0]);
    else if (name === 'items') told[name] = inner(value);
    else if (name === 'anyOf' && Array.isArray(value)) told[name] = value.map(inner);
    else told[name] = value;
  }
  return literals(told);
}

/** A choice of texts, however it was written, is an `enum` of strings. */
function literals(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (Array.isArray(schema['enum'])) return { type: 'string', ...schema };
  if (!Array.isArray(anyOf) || !anyOf.every((each) => isJson(each) && typeof each['const'] === 'string')) return schema;
  return { type: 'string', ...rest, enum: anyOf.map((each: Json) => each['const']) };
}

/** "X or null" as X with the further type null, where X has one type. */
function orNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  const [first, second, ...more] = listOf(anyOf) ?? [];
  if (!isJson(first) || !isJson(second) || more.length > 0 || second['type'] !== 'null') return schema;
  return typeof first['type'] === 'string' ? { ...rest, ...withNull(first) } : schema;
}

/** The same, or null. */
export function withNull(schema: Json): Json {
  const { type } = schema;
  const names = listOf(schema['enum']);
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(names === null ? {} : { enum: [...names, null] }) };
}

function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
