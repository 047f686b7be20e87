import type { TSchema } from 'typebox';

export type Json = { readonly [name: string]: unknown };

/** Schemas with an `$id`, by this name. */
export type Components = Map<string, Json>;

/**
 * Converts a TypeBox schema to JSON Schema 2020-12 for people and code generators: schemas with an `$id` become
 * referenced components, and "or null" becomes a second type.
 *
 * @param components receives the named schemas
 * @throws if two different schemas have the same name
 */
export function jsonSchema(schema: TSchema, components: Components): Json {
  return plain(parse(schema), components);
}

/** Drops TypeBox's own properties, which JSON does not contain. */
function parse(schema: TSchema): Json {
  // An object stays an object.
  return JSON.parse(JSON.stringify(schema)) as Json;
}

function plain({ $id, ...annotated }: Json, components: Components): Json {
  const schema = withoutRule(annotated);
  return component($id, asDouble(orNull(overBase(children(schema, components), components))), components);
}

/** A reference to a converted schema with an `$id`, which becomes a component; the schema itself if it has none. */
export function component($id: unknown, converted: Json, components: Components): Json {
  if (typeof $id !== 'string') return converted;
  const known = components.get($id);
  if (known !== undefined && !Bun.deepEquals(known, converted)) throw new Error(`two schemas are called ${$id}`);
  components.set($id, converted);
  return { $ref: `#/components/schemas/${$id}` };
}

/** Removes the annotations of `required`, `optional` and `understood`. JSON never contains a `code` that is a function. */
function withoutRule(schema: Json): Json {
  if (typeof schema['rule'] !== 'string') return schema;
  const { rule: _rule, code: _code, spelling: _spelling, ...shape } = schema;
  return shape;
}

function children(schema: Json, components: Components): Json {
  const inner = (value: unknown): Json => plain(isJson(value) ? value : {}, components);
  const converted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties' && isJson(value)) {
      converted[name] = Object.fromEntries(Object.entries(value).map(([property, of]) => [property, inner(of)]));
    } else if (name === 'patternProperties' && isJson(value))
      converted['additionalProperties'] = inner(Object.values(value)[0]);
    else if (name === 'items' || name === 'base') converted[name] = inner(value);
    else if (name === 'anyOf' && Array.isArray(value)) converted[name] = value.map(inner);
    else converted[name] = value;
  }
  return literals(converted);
}

/** Writes an object with a base (`extended`) as the base, by reference, and the members that it adds. */
function overBase(schema: Json, components: Components): Json {
  const { base, type, properties, required, ...rest } = schema;
  if (!isJson(base) || !isJson(properties)) return schema;
  const { properties: inherited } = components.get(String(base['$ref']).replace('#/components/schemas/', '')) ?? {};
  const isOwn = (name: unknown): boolean => !(isJson(inherited) && String(name) in inherited);
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => isOwn(name)));
  const added = { type, properties: own, required: listOf(required)?.filter(isOwn) ?? [] };
  // In one schema of two: with one, some generators of clients take the base for the whole.
  return { ...rest, allOf: [base, added] };
}

/** Writes every union of string literals as an `enum` of strings. */
function literals(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (Array.isArray(schema['enum'])) return { type: 'string', ...schema };
  if (!Array.isArray(anyOf) || !anyOf.every((each) => isJson(each) && typeof each['const'] === 'string')) return schema;
  return { type: 'string', ...rest, enum: anyOf.map((each: Json) => each['const']) };
}

/** Generators for typed languages otherwise read `number` as a float of 32 bits, which cannot hold amounts. */
function asDouble(schema: Json): Json {
  const { type } = schema;
  return (type === 'number' || (Array.isArray(type) && type.includes('number'))) && !('format' in schema)
    ? { ...schema, format: 'double' }
    : schema;
}

/** Writes "X or null" as X with the second type null, if X has one type. */
function orNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  const [first, second, ...more] = listOf(anyOf) ?? [];
  if (!isJson(first) || !isJson(second) || more.length > 0 || second['type'] !== 'null') return schema;
  return typeof first['type'] === 'string' ? { ...rest, ...withNull(first) } : schema;
}

/** The same schema, but null is valid too. */
export function withNull(schema: Json): Json {
  const { const: only, ...rest } = schema;
  const { type } = rest;
  const names = only === undefined ? listOf(rest['enum']) : [only];
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...rest, type: [type, 'null'], ...(names === null ? {} : { enum: [...names, null] }) };
}

function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
