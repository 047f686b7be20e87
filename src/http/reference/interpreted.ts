import type { DescribedRoute } from './described-routes.ts';
import { type Components, isJson, type Json } from './json-schema.ts';
import { mapMembers } from './shared-parts.ts';

const INTERPRETED: Json = {
  type: 'object',
  description:
    'Values that were understood differently from how they were written, by field: `user_profile.travel_type`. Absent if there are none.',
  additionalProperties: {
    type: 'object',
    properties: { given: { description: 'As it was sent.' }, taken: { description: 'As it was understood.' } },
    required: ['given', 'taken'],
  },
  example: { limit: { given: '20', taken: 20 } },
};

/**
 * Adds the optional member `interpreted` to the answers of all operations that read a body or a query. If their data is
 * a component, the component gets it. Call it after all components are made: a later use of the same schema would
 * differ.
 */
export function withInterpreted(paths: Json, routes: readonly DescribedRoute[], components: Components): Json {
  const reading = new Set(routes.filter(({ request }) => request !== null).map(({ operationId }) => operationId));
  const operation = (given: Json): Json => {
    if (!reading.has(String(given['operationId']))) return given;
    return changed(given, ['responses', '200', 'content', 'application/json', 'schema', 'properties', 'data'], (data) =>
      added(data, components),
    );
  };
  return mapMembers(paths, (methods) => mapMembers(methods, operation));
}

/** A copy with another value at a path of members; the same if it has no such path. */
function changed(value: Json, [name, ...rest]: readonly string[], change: (value: Json) => Json): Json {
  if (name === undefined) return change(value);
  const inner = value[name];
  return isJson(inner) ? { ...value, [name]: changed(inner, rest, change) } : value;
}

function added(data: Json, components: Components): Json {
  const { $ref, anyOf, allOf, properties } = data;
  if (Array.isArray(anyOf)) return { ...data, anyOf: anyOf.filter(isJson).map((each) => added(each, components)) };
  if (Array.isArray(allOf)) {
    const [base, more] = allOf.filter(isJson);
    return more === undefined ? data : { ...data, allOf: [base, added(more, components)] };
  }
  if (isJson(properties)) {
    components.set('Interpreted', INTERPRETED);
    return { ...data, properties: { ...properties, interpreted: { $ref: '#/components/schemas/Interpreted' } } };
  }
  const name = String($ref).replace('#/components/schemas/', '');
  const component = components.get(name);
  if (component !== undefined) components.set(name, added(component, components));
  return data;
}
