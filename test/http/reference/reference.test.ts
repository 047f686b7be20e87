import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ERROR_CODES } from '../../../src/application/refusal.ts';
import { WEBHOOK_EVENTS } from '../../../src/domain/delivery/delivery.ts';
import { createApp } from '../../../src/http/app.ts';
import { describedRoutes, isDescribed } from '../../../src/http/reference/described-routes.ts';
import { isRequestSchema } from '../../../src/http/schema.ts';
import { STATUS } from '../../../src/http/status.ts';
import { openReceiver } from '../../support/receiver.ts';
import { DOCUMENTS, explainedCodes, fullReference, type Operation, Reference } from '../../support/reference.ts';
import { openService, type Service } from '../../support/service.ts';

type Json = { readonly [name: string]: unknown };
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Json;
};
type Told = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Json };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Json; readonly 'x-codes'?: readonly string[] }>
  >;
};

let service: Service;
/** The documents by their paths. */
let documents: Readonly<Record<string, Json>>;
/** Of both documents. */
let reference: Reference;
beforeAll(async () => {
  service = await openService();
  const read = async (path: string) => [path, (await (await service.send(path)).json()) as Json] as const;
  documents = Object.fromEntries(await Promise.all(DOCUMENTS.map(read)));
  reference = await fullReference((path) => service.send(path));
});
afterAll(() => service.stop());

/** Whether a schema says all that a description of the parameter could. */
function isPlain({ $ref, ...schema }: Json): boolean {
  const { value } = (typeof $ref === 'string' ? reference.at($ref.slice(1)) : null) ?? { value: schema };
  return 'enum' in value || value['type'] === 'boolean' || value['format'] === 'date' || 'maximum' in value;
}

/** An operation with the components that it refers to. */
function operationOf({ operation, pointer }: Operation): Told {
  const referred = (place: string): Json => reference.at(`${pointer}/${place}`)?.value ?? {};
  const { parameters, responses } = operation as Told;
  const told = {
    ...operation,
    parameters: (parameters ?? []).map((_, index) => referred(`parameters/${index}`)),
    responses: Object.fromEntries(Object.keys(responses).map((status) => [status, referred(`responses/${status}`)])),
  };
  // What the validator below has looked at.
  return told as unknown as Told;
}

describe.each(DOCUMENTS)('%s', (path) => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone({ ...documents[path] }))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('has the operations of its callers, their schemes, and no component that it does not use', () => {
    const { document, operations } = new Reference(documents[path] ?? {});
    const { securitySchemes, ...components } = document['components'] as Readonly<Record<string, Json>>;
    const schemes = operations.map(({ operation }) => (operation['security'] as readonly Json[]).flatMap(Object.keys));
    const ofOperators = schemes.filter(
      (each) => each.length > 0 && each.every((scheme) => /Operator|Session/.test(scheme)),
    );
    // Signing in needs no scheme.
    expect(ofOperators).toHaveLength(path === '/openapi.json' ? 0 : operations.length - 1);
    const named = new Set(['Session', ...schemes.flat()]);
    expect(new Set(Object.keys(securitySchemes ?? {}))).toEqual(named);
    const text = JSON.stringify(document);
    const names = Object.entries(components).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `#/components/${kind}/${name}`),
    );
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !text.includes(`"${name}"`))).toEqual([]);
  });

  test('describes the headers of every answer once', () => {
    const { info } = documents[path] as { readonly info: { readonly description: string } };
    const { description } = info;
    expect(description).toContain('Every answer has `X-Request-Id`');
    const plans = path === '/openapi.json' ? ['RateLimit-Policy', 'RateLimit'] : [];
    for (const name of ['Cache-Control', ...plans]) expect(description).toContain(`\`${name}\``);
  });

  test('holds no secret', () => {
    const text = JSON.stringify(documents[path]);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
    const { adminToken, analystToken } = service.node.secrets;
    for (const secret of [adminToken, analystToken]) expect(text).not.toContain(secret);
  });

  test('names the public URL of the service as its server', () => {
    expect(documents[path]?.['servers']).toEqual([{ url: 'http://localhost' }]);
  });
});

describe('the documents', () => {
  test('have every route of the app, and each route is described', () => {
    const { routes } = createApp(service.node.context);
    expect(routes.length).toBeGreaterThan(20);
    const silent = routes.filter(({ hooks }) => !isDescribed(hooks)).map(({ method, path }) => `${method} ${path}`);
    expect(silent).toEqual([]);
    const described = describedRoutes(routes).map(({ method, path }) => `${method} ${path}`);
    const inDocument = reference.operations.map(({ method, path }) => `${method} ${path}`);
    expect(inDocument.toSorted()).toEqual(described.toSorted());
    const { length } = Object.values(documents).flatMap((document) => new Reference(document).operations);
    expect(length).toBe(described.length);
  });

  test('name each operation uniquely and describe it', () => {
    const ids = reference.operations.map((each) => operationOf(each).operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const each of reference.operations) {
      const { operationId, summary, description, tags } = operationOf(each);
      expect(operationId).toMatch(/^[a-z][a-z_]*$/);
      expect(summary, each.path).toMatch(/^[A-Z].{5,59}[^.]$/);
      expect(description, each.path).toMatch(/^[A-Z`].*[.:?]$/s);
      expect(tags).toHaveLength(1);
    }
  });

  test('describe each parameter, unless its schema says all: names, bounds or a date', () => {
    for (const operation of reference.operations) {
      const { path, method } = operation;
      const { parameters = [] } = operationOf(operation);
      const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => `{${name}}`);
      expect(inPath).toEqual([...(path.match(/\{\w+\}/g) ?? [])]);
      const wordless = parameters
        .filter(({ description = '', schema }) => description.length < 5 && !isPlain(schema))
        .map(({ name }) => name);
      expect(wordless, `${method} ${path}`).toEqual([]);
    }
  });

  test('name no path parameter that does not exist', () => {
    for (const { path, hooks } of createApp(service.node.context).routes) {
      const { params } = { params: null, ...hooks };
      const names = isRequestSchema(params) ? Object.keys(Object(params.schema).properties) : [];
      expect(names.filter((name) => !path.split('/').includes(`:${name}`))).toEqual([]);
    }
  });

  test('have every error code where it can occur, with its status only', () => {
    const statuses = new Map<string, Set<number>>(ERROR_CODES.map((code) => [code, new Set()]));
    for (const each of reference.operations) {
      const { responses } = operationOf(each);
      for (const [status, { description, 'x-codes': codes = [] }] of Object.entries(responses)) {
        const explained = explainedCodes(description);
        expect(codes, each.path).toEqual(explained.map(({ code }) => code));
        for (const { code, status: common } of explained) {
          // Only common failures name the status of each code.
          expect(common !== null, `${each.path} ${code}`).toBe(status === 'default');
          const own = responses[String(common)];
          if (own !== undefined) expect(own['x-codes'], each.path).toContain(code);
          statuses.get(code)?.add(common ?? Number(status));
        }
      }
    }
    // No operation answers these: the introduction has them.
    statuses.delete('METHOD_NOT_ALLOWED');
    statuses.delete('HTTPS_REQUIRED');
    const { METHOD_NOT_ALLOWED: _everywhere, HTTPS_REQUIRED: _production, ...expected } = STATUS;
    expect(Object.fromEntries([...statuses].map(([code, found]) => [code, [...found].join()]))).toEqual(
      Object.fromEntries(Object.entries(expected).map(([code, status]) => [code, String(status)])),
    );
  });

  test('have one schema for all failures', () => {
    const errors = ['Error', '1.Error'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    let failures = 0;
    for (const each of reference.operations) {
      for (const { 'x-codes': codes, content } of Object.values(operationOf(each).responses)) {
        if (codes === undefined) continue;
        const { schema } = (content?.['application/json'] ?? {}) as { readonly schema: Json };
        // The tool server also answers with the errors of its protocol.
        const all = 'anyOf' in schema ? (schema['anyOf'] as readonly Json[]) : [schema];
        expect(
          all.filter(({ $ref }) => errors.some((error) => error.$ref === $ref)),
          each.path,
        ).toHaveLength(1);
        expect(JSON.stringify(schema).length).toBeLessThan(120);
        failures += 1;
      }
    }
    expect(failures).toBeGreaterThan(150);
  });
});

describe('what receivers get', () => {
  type Posted = { readonly parameters: readonly Parameter[]; readonly requestBody: { readonly content: Json } };
  const postedOf = (event: string): Posted => {
    const webhooks = reference.document['webhooks'] as Readonly<Record<string, { readonly post: Posted }>>;
    const { post } = webhooks[event] ?? {};
    if (post === undefined) throw new Error(`the document does not tell of ${event}`);
    return post;
  };
  const fault = (event: string, body: unknown) =>
    reference.fault(`/webhooks/${event}/post/requestBody/content/application~1json/schema`, body);

  test.each(WEBHOOK_EVENTS)('of %s has the headers and the body of the document', async (event) => {
    await using receiver = openReceiver();
    await service.post('/api/webhooks/test', { event_type: event, webhook_url: receiver.url }, service.key);
    const { headers, body } = await receiver.arrived(1);
    expect(fault(event, JSON.parse(body))).toBeNull();
    expect(fault(event, { ...JSON.parse(body), event: 'nothing_happened' })).toContain('body/event must be equal');
    const { parameters, requestBody } = postedOf(event);
    const own = [...headers.keys()].filter((name) => /^(webhook|x-service)-/.test(name));
    expect(parameters.map(({ name }) => name.toLowerCase()).toSorted()).toEqual(own.toSorted());
    const { schema } = requestBody.content['application/json'] as { readonly schema: Json };
    expect(fault(event, reference.sample(schema))).toBeNull();
  });
});

describe('an answer that the document does not describe', () => {
  const health = new Request('http://localhost/livez');
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r' });
  const answer =
    (body: object, change: object = {}) =>
    () =>
      reference.check(health, { status: 200, headers, text: JSON.stringify(body), ...change });
  const alive = { success: true, data: { status: 'ok' } };
  const refusal = { success: false, error: 'No.', details: '', retryable: false, resolution: 'fix_request' };

  test('is one that it describes', () => {
    expect(answer(alive)).not.toThrow();
    expect(answer({ ...refusal, code: 'INTERNAL_ERROR' }, { status: 500 })).not.toThrow();
  });

  test.each<[string, () => void, string]>([
    ['has a member more', answer({ ...alive, data: { status: 'ok', since: 1 } }), 'body/data must NOT have additional'],
    ['has another value', answer({ ...alive, data: { status: 'fine' } }), 'body/data/status must be equal to constant'],
    ['lacks a member', answer({ success: true, data: {} }), "body/data must have required property 'status'"],
    ['has another status', answer(alive, { status: 201 }), 'there is no such status'],
    ['has a code of others', answer({ ...refusal, code: 'NO_INVENTORY' }, { status: 500 }), 'NO_INVENTORY is none of'],
    [
      'has a header more',
      answer(alive, { headers: new Headers({ ...headers.toJSON(), etag: '1' }) }),
      'the header etag',
    ],
    ['is no JSON', answer(alive, { headers: new Headers({ 'content-type': 'text/html' }) }), 'text/html is none of'],
  ])('%s: the test that saw it fails, and says so', (_what, check, says) => {
    expect(check).toThrow(says);
    expect(check).toThrow('GET /livez answered');
  });

  test('where there is no operation, only NOT_FOUND and METHOD_NOT_ALLOWED are documented', () => {
    const nowhere = new Request('http://localhost/nowhere');
    const seen = (code: string, status: number) => () =>
      reference.check(nowhere, { status, headers, text: JSON.stringify({ ...refusal, code }) });
    expect(seen('NOT_FOUND', 404)).not.toThrow();
    expect(seen('METHOD_NOT_ALLOWED', 405)).not.toThrow();
    expect(seen('NO_INVENTORY', 404)).toThrow('NOT_FOUND was to be expected');
    expect(seen('INTERNAL_ERROR', 500)).toThrow('there is no such operation');
  });
});
