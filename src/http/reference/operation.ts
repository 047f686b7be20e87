import { type TObject, type TSchema, Type } from 'typebox';
import { type AnswerSchema, isAnswerSchema } from '../answers.ts';
import { EXACT_RULE } from '../dates.ts';
import { REQUEST_HEADERS } from '../headers.ts';
import type { RequestSchema } from '../schema.ts';
import { annotationOf, isClearable, membersOf } from '../schema-fields.ts';
import { callersOf } from './callers.ts';
import type { DescribedRoute } from './described-routes.ts';
import { type Components, component, isJson, type Json, jsonSchema, withNull } from './json-schema.ts';
import { responsesOf } from './responses.ts';

/** Converts a route's schema for the plugin (`mapJsonSchema`). Adds named schemas to the components. */
export function schemaAsJson(from: RequestSchema | AnswerSchema, components: Components): Json {
  const { schema } = from;
  const object = membersOf(schema);
  if (isAnswerSchema(from) || from.place === 'path' || object === null) {
    // OpenAPI has the example beside the schema.
    const { examples: _examples, ...shape } = { examples: [], ...schema };
    return jsonSchema(shape, components);
  }
  return objectOf(object, from.place, components);
}

/**
 * Completes the plugin's operation: the body (for `parse: 'none'` the plugin has none), examples, descriptions and headers
 * beside their schemas, error codes, and authentication.
 */
export function completed(operation: Json, route: DescribedRoute, components: Components): Json {
  const { parameters = [], requestBody: _empty, ...rest } = operation;
  const { access, request, example, headers } = route;
  // If a route has a path or query schema, the plugin drops the header parameters of `detail`.
  const own = Array.isArray(parameters) ? parameters.filter(isJson).filter((each) => each['in'] !== 'header') : [];
  const ofHeaders = headers.map((header) => ({ in: 'header', ...REQUEST_HEADERS[header] }));
  const all = [...own.map((parameter) => described(parameter, example ?? {})), ...ofHeaders];
  return {
    ...rest,
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(request?.place === 'body' ? { requestBody: jsonBody(schemaAsJson(request, components), example) } : {}),
    responses: responsesOf(route, components),
    security: callersOf(access).security,
  };
}

function described({ schema, ...parameter }: Json, example: Json): Json {
  const { description, ...shape } = isJson(schema) ? schema : {};
  const name = String(parameter['name']);
  const shown = parameter['in'] === 'query' && name in example ? { example: example[name] } : {};
  // False is the default.
  const { required, ...rest } = parameter;
  return {
    ...rest,
    ...(required === true && { required }),
    ...(description !== undefined && { description }),
    schema: shape,
    ...shown,
  };
}

/** An absent body counts as `{}`, so a body is required only if it has required members or a named schema. */
function jsonBody(schema: Json, example: Json | undefined): Json {
  const json = { schema, ...(example === undefined ? {} : { example }) };
  const required = 'required' in schema || '$ref' in schema;
  return { ...(required && { required }), content: { 'application/json': json } };
}

type Field = { readonly schema: TSchema; readonly rule: string; readonly required: boolean };

function fieldOf(field: TSchema): Field {
  const schema = Type.IsUnion(field) && isClearable(field) ? (field.anyOf[0] ?? field) : field;
  return { schema, rule: annotationOf(field).rule, required: !Type.IsOptional(field) };
}

/** The fields of an object and of its nested objects. In a body, null counts as left out; a query has no null. */
function objectOf(object: TObject, place: RequestSchema['place'], components: Components): Json {
  const fields = Object.entries<TSchema>(object.properties).map(([name, field]) => ({ name, ...fieldOf(field) }));
  const properties = fields.map(({ name, ...field }) => {
    const inner = membersOf(field.schema);
    const schema =
      inner === null
        ? jsonSchema(field.schema, components)
        : component('$id' in inner ? inner.$id : null, objectOf(inner, place, components), components);
    const shape = field.required || place === 'query' ? schema : withNull(schema);
    const description = textOf(field);
    return [name, { ...shape, ...(description !== '' && { description }) }] as const;
  });
  const needed = fields.filter(({ required }) => required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(place === 'body' ? { additionalProperties: false } : {}),
  };
}

/** The schema's description, if any, and the rule as a sentence, unless the schema itself says it. */
function textOf({ schema, rule }: Field): string {
  const sentence = isSaidBy(schema, rule) ? '' : `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.`;
  const description = 'description' in schema && typeof schema.description === 'string' ? schema.description : '';
  return [description, sentence].filter((text) => text !== '').join(' ');
}

/** Whether a rule only repeats the type, the names or the bounds of its schema. */
function isSaidBy(schema: TSchema, rule: string): boolean {
  if (Type.IsBoolean(schema)) return rule === 'true or false';
  if ('format' in schema && schema.format === 'date') return rule === EXACT_RULE;
  if (Type.IsEnum(schema)) return rule === `one of ${schema.enum.join(', ')}`;
  if (Type.IsInteger(schema)) {
    const { minimum, maximum } = { minimum: '', maximum: '', ...schema };
    return rule === `a whole number from ${minimum} to ${maximum}`;
  }
  const listed = Type.IsArray(schema) && Type.IsEnum(schema.items) ? schema.items.enum.join(', ') : null;
  return listed !== null && rule.startsWith('a list ') && rule.endsWith(listed);
}
