import { type ErrorCode, refusal } from '../../application/refusal.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { challengeOf } from '../challenge.ts';
import type { About, AnswerHeader, BareAnswer, DataAnswer, OtherAnswer } from '../declaration.ts';
import type { Access } from '../endpoint.ts';
import { MEANINGS } from '../error-meanings.ts';
import type { Field, Fields } from '../form.ts';
import { STATUS } from '../status.ts';
import { codesOf } from './codes.ts';
import { ANSWER_HEADERS, REQUEST_HEADERS } from './headers.ts';
import { type Components, type Json, jsonSchema, withNull } from './json-schema.ts';
import type { DeclaredRoute } from './routes.ts';

/** What OpenAPI tells of a route beside its name and texts: parameters, body, answers, who may call. */
export function operationOf(route: DeclaredRoute, components: Components): Json {
  const { declaration, form, method } = route;
  const queried =
    form !== null && method === 'GET' ? parametersOf(form.fields, declaration.example ?? {}, components) : [];
  const parameters = [...pathParametersOf(route), ...queried, ...headerParametersOf(route)];
  const body = form !== null && method !== 'GET' ? bodyOf(form.fields, declaration, components) : null;
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body }),
    responses: responsesOf(route, components),
    security: securityOf(declaration),
  };
}

function pathParametersOf({ path, declaration }: DeclaredRoute): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: declaration.params?.[name] ?? '',
    schema: { type: 'string' },
  }));
}

function parametersOf(fields: Fields, example: Json, components: Components): Json[] {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    in: 'query',
    required: field.required,
    description: textOf(field),
    schema: jsonSchema(field.schema, components),
    ...(name in example ? { example: example[name] } : {}),
  }));
}

function headerParametersOf({ declaration }: DeclaredRoute): Json[] {
  return (declaration.headers ?? []).map((header) => ({ in: 'header', required: false, ...REQUEST_HEADERS[header] }));
}

/** A body that is left out counts as an empty object, and null as a field that is left out. */
function bodyOf(fields: Fields, { body, example }: About, components: Components): Json {
  const schema = body === undefined ? objectOf(fields, components) : jsonSchema(body, components);
  const content = { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
  return { required: body !== undefined || 'required' in schema, content };
}

/** Fields as an object. `location.city` is a member of the field `location`. */
function objectOf(fields: Fields, components: Components): Json {
  const own = Object.entries(fields).filter(([name]) => !name.includes('.'));
  const properties = own.map(([name, field]) => {
    const members = Object.entries(fields).filter(([member]) => member.startsWith(`${name}.`));
    const within = Object.fromEntries(members.map(([member, inner]) => [member.slice(name.length + 1), inner]));
    const schema = members.length === 0 ? jsonSchema(field.schema, components) : objectOf(within, components);
    return [name, { ...(field.required ? schema : withNull(schema)), description: textOf(field) }] as const;
  });
  const needed = own.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

/** What the field is for, where its schema says it; the rule that it must keep, as a sentence. */
function textOf({ schema, rule }: Field): string {
  const told = `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.`;
  return 'description' in schema && typeof schema.description === 'string' ? `${schema.description} ${told}` : told;
}

function responsesOf(route: DeclaredRoute, components: Components): Json {
  const { declaration } = route;
  const { answer, headers } = declaration;
  const told = answerHeaders(declaration, answer.headers ?? []);
  const others = 'data' in answer ? [] : Object.entries(answer.others ?? {});
  const responses = new Map<number, Json>([
    [200, { description: 'Success.', headers: told, content: successOf(answer, components) }],
  ]);
  if (headers?.includes('if-none-match')) {
    responses.set(304, { description: 'What you have is what there is.', headers: told });
  }
  for (const [status, { description, schema }] of others) {
    const content = schema === null ? {} : { content: jsonContent(jsonSchema(schema, components)) };
    responses.set(Number(status), { description, headers: told, ...content });
  }
  const codes = Map.groupBy(codesOf(route), (code) => STATUS[code]);
  for (const [status, of] of codes) {
    const other = 'data' in answer ? undefined : answer.others?.[status];
    responses.set(status, refusalResponse(of, declaration, other, components));
  }
  return Object.fromEntries(responses);
}

function successOf(answer: DataAnswer | BareAnswer, components: Components): Json {
  if (!('data' in answer)) {
    const schema = answer.schema === null ? {} : { schema: jsonSchema(answer.schema, components) };
    return { [answer.media]: { ...schema, ...(answer.example === undefined ? {} : { example: answer.example }) } };
  }
  const schema = envelopeOf(jsonSchema(answer.data, components));
  const bare = (answer.bare ?? []).map((media) => [media, {}] as const);
  return { ...jsonContent(schema, { example: { success: true, data: answer.example } }), ...Object.fromEntries(bare) };
}

function jsonContent(schema: Json, more: Json = {}): Json {
  return { 'application/json': { schema, ...more } };
}

function envelopeOf(data: Json): Json {
  return { type: 'object', properties: { success: { const: true }, data }, required: ['success', 'data'] };
}

/** The failures of one status: the error component, with the codes that come with it here; or what else has this status. */
function refusalResponse(
  codes: readonly ErrorCode[],
  access: Access,
  other: OtherAnswer | undefined,
  components: Components,
): Json {
  // How long a fault of the service lasts is not known.
  const waits = codes.some((code) => code !== 'INTERNAL_ERROR' && refusal(code, '').retryable);
  const asks = codes.some((code) => challengeOf(code) !== null);
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }],
  };
  const examples = Object.fromEntries(codes.map((code) => [code, { value: refusalExample(code) }]));
  const lines = codes.map((code) => `- \`${code}\`: ${MEANINGS[code]}`);
  const elsewise = other?.schema ? jsonSchema(other.schema, components) : null;
  return {
    description: [...lines, ...(other === undefined ? [] : [`- ${other.description}`])].join('\n'),
    headers: answerHeaders(access, [
      ...(waits ? ['retry-after' as const] : []),
      ...(asks ? ['www-authenticate' as const] : []),
    ]),
    content: jsonContent(elsewise === null ? schema : { anyOf: [schema, elsewise] }, { examples }),
  };
}

function refusalExample(code: ErrorCode): Json {
  const { error, details, retryable, resolution } = refusal(code, MEANINGS[code].replaceAll('`', ''));
  return { success: false, error, code, details, retryable, resolution };
}

function answerHeaders(access: Access, names: readonly (AnswerHeader | 'retry-after' | 'www-authenticate')[]): Json {
  const counted = access.by === 'key' ? (['ratelimit-policy', 'ratelimit'] as const) : [];
  const told = (['x-request-id', 'cache-control', ...counted, ...names] as const).map(
    (name) => ANSWER_HEADERS[name].name,
  );
  return Object.fromEntries(told.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function securityOf(access: Access): readonly Json[] {
  switch (access.by) {
    case 'key':
      return [{ ApiKey: access.permission === null ? [] : [access.permission] }];
    case 'device':
      return [{ DeviceKey: [] }];
    case 'operator':
      return access.least === 'analyst' ? [{ AdminToken: [] }, { AnalystToken: [] }] : [{ AdminToken: [] }];
    case 'anybody':
      return [];
    default:
      return unreachable(access);
  }
}
