import { ERROR_CODES, type ErrorCode, refusal } from '../../application/refusal.ts';
import type { AnswerSchema } from '../answers.ts';
import { challengeOf } from '../challenge.ts';
import { MEANINGS } from '../error-meanings.ts';
import { ANSWER_HEADERS } from '../headers.ts';
import { STATUS } from '../status.ts';
import { codesOf, commonCodesOf } from './codes.ts';
import type { DescribedRoute } from './described-routes.ts';
import { type Components, type Json, jsonSchema } from './json-schema.ts';

export function responsesOf(route: DescribedRoute, components: Components): Json {
  const { headers, response } = route;
  const success = response[200];
  if (success === undefined || !('headers' in success.about)) throw new Error('a route has no answer with status 200');
  const sent = answerHeaders(success.about.headers);
  const responses = new Map<number, Json>([
    [200, { description: 'Success.', ...sent, content: successOf(success, components) }],
  ]);
  if (headers.includes('if-none-match')) {
    responses.set(304, { description: 'Your copy is current.', ...sent });
  }
  const others = new Map<number, Other>();
  for (const [status, { about, schema }] of Object.entries(response)) {
    if (!('description' in about)) continue;
    const { description, json } = about;
    const other = { description, schema: json ? jsonSchema(schema, components) : null };
    const content = other.schema === null ? {} : { content: jsonContent(other.schema) };
    others.set(Number(status), other);
    responses.set(Number(status), { description, ...sent, ...content });
  }
  // In one order, so that equal failures of several operations are one component.
  const codes = codesOf(route).toSorted((a, b) => ERROR_CODES.indexOf(a) - ERROR_CODES.indexOf(b));
  const common = commonCodesOf(route);
  for (const [status, of] of Map.groupBy(codes, (code) => STATUS[code]))
    if (others.has(status) || of.some((code) => !common.has(code)))
      responses.set(status, refusalResponse(of, others.get(status)));
  return { ...Object.fromEntries(responses), default: commonFailures(codes.filter((code) => common.has(code))) };
}

/** An answer of another protocol (MCP). `schema` is null if it has no body. */
type Other = { readonly description: string; readonly schema: Json | null };

function successOf({ schema, about }: AnswerSchema, components: Components): Json {
  if ('media' in about) {
    const shape = about.media === 'application/json' ? { schema: jsonSchema(schema, components) } : {};
    const example = about.example === undefined ? {} : { example: about.example };
    return { [about.media]: { ...shape, ...example }, ...bareOf(about) };
  }
  if (!('example' in about)) throw new Error('a success has no example');
  const example = { success: true, data: about.example };
  return { ...jsonContent(jsonSchema(schema, components), { example }), ...bareOf(about) };
}

/** Further media types, without a schema. */
function bareOf({ bare = [] }: { readonly bare?: readonly string[] }): Json {
  return Object.fromEntries(bare.map((media) => [media, {}] as const));
}

function jsonContent(schema: Json, more: Json = {}): Json {
  return { 'application/json': { schema, ...more } };
}

/**
 * The failures that many operations have, in one answer with the statuses in words: a reference for each status would be a
 * sixth of the document (docs/decisions/0090).
 */
function commonFailures(codes: readonly ErrorCode[]): Json {
  const sorted = codes.toSorted((a, b) => STATUS[a] - STATUS[b]);
  const lines = sorted.map((code) => `- ${STATUS[code]} \`${code}\`: ${MEANINGS[code]}`);
  return { ...refusalResponse(sorted, undefined), description: lines.join('\n') };
}

/** The failures of one status: the schema `Error`, the codes, and the other protocol's answer, if any. */
function refusalResponse(codes: readonly ErrorCode[], other: Other | undefined): Json {
  // INTERNAL_ERROR has no Retry-After: nobody knows how long the fault lasts.
  const waits = codes.some((code) => code !== 'INTERNAL_ERROR' && refusal(code, '').retryable);
  const asks = codes.some((code) => challengeOf(code) !== null);
  const error = { $ref: '#/components/schemas/Error' };
  const lines = codes.map((code) => `- \`${code}\`: ${MEANINGS[code]}`);
  return {
    description: [...lines, ...(other === undefined ? [] : [`- ${other.description}`])].join('\n'),
    ...answerHeaders([
      ...(waits ? ['retry-after' as const] : []),
      ...(asks ? ['www-authenticate' as const] : []),
      ...(codes.some((code) => STATUS[code] === 404) ? ['link' as const] : []),
    ]),
    content: jsonContent(other?.schema ? { anyOf: [error, other.schema] } : error),
    'x-codes': codes,
  };
}

function answerHeaders(names: readonly (keyof typeof ANSWER_HEADERS)[]): Json {
  const sent = names.map((name) => ANSWER_HEADERS[name].name);
  const headers = sent.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
}
