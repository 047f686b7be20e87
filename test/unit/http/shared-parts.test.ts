import { expect, test } from 'bun:test';
import type { Json } from '../../../src/http/reference/json-schema.ts';
import { shareParts } from '../../../src/http/reference/shared-parts.ts';

const LONG = 'A description that is long enough for a component, because a shorter one costs more as a reference.';
const ERROR = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
const KEY = { 'application/json': { schema: { properties: { data: { $ref: '#/components/schemas/Key' } } } } };

function operation(operationId: string, more: Json): Json {
  return { [`/${operationId}`]: { post: { operationId, responses: {}, ...more } } };
}

function answer(content: Json, more: Json = {}): Json {
  return { description: LONG, content, ...more };
}

test('an equal answer of several operations is a component, with the name of its codes, its callers or its schema', () => {
  const failed = answer(ERROR, { 'x-codes': ['NOT_FOUND', 'INVALID_CITY'] });
  const common = answer(ERROR, {
    'x-codes': ['INVALID_REQUEST', 'INVALID_TOKEN', 'RATE_LIMITED', 'UNSUPPORTED_MEDIA_TYPE'],
  });
  const responses = { 200: answer(KEY), 404: failed, default: common };
  const { paths, components } = shareParts({ ...operation('a', { responses }), ...operation('b', { responses }) });
  const refer = (name: string) => ({ $ref: `#/components/responses/${name}` });
  const references = {
    200: refer('KeyAnswer'),
    404: refer('NotFoundOrInvalidCity'),
    default: refer('OperatorBodyFailures'),
  };
  expect(paths).toEqual({ ...operation('a', { responses: references }), ...operation('b', { responses: references }) });
  const named = { KeyAnswer: answer(KEY), NotFoundOrInvalidCity: failed, OperatorBodyFailures: common };
  expect(components.responses).toEqual(named);
});

test('an equal body of several operations is a component, with the name of the first', () => {
  const requestBody = answer(KEY);
  const { paths, components } = shareParts({
    ...operation('pause', { requestBody }),
    ...operation('go', { requestBody }),
  });
  const reference = { $ref: '#/components/requestBodies/PauseBody' };
  const referring = { requestBody: reference };
  expect(paths).toEqual({ ...operation('pause', referring), ...operation('go', referring) });
  expect(components.requestBodies).toEqual({ PauseBody: requestBody });
});

test('a part stays where it is if a component would make the document longer', () => {
  const short = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const once = { name: 'city', in: 'query', description: LONG, schema: { type: 'string' } };
  const paths = { ...operation('a', { parameters: [short] }), ...operation('b', { parameters: [short, once] }) };
  expect(shareParts(paths).paths).toEqual(paths);
});

test('of two parts with one name, the second has the name of its operation too', () => {
  const city = (description: string): Json => ({ name: 'city', in: 'query', description, schema: { type: 'string' } });
  const [one, other] = [city(`${LONG} One.`), city(`${LONG} Other.`)];
  const { components } = shareParts({
    ...operation('a', { parameters: [one] }),
    ...operation('b', { parameters: [one] }),
    ...operation('list_c', { parameters: [other] }),
    ...operation('list_d', { parameters: [other] }),
  });
  expect(components.parameters).toEqual({ CityParameter: one, CityParameterListC: other });
});
