import { describe, expect, test } from 'bun:test';
import { Elysia, t } from 'elysia';
import { Type } from 'typebox';
import { OPERATIONS } from '../../../src/domain/operator/roles.ts';
import { access } from '../../../src/http/access.ts';
import { answers, success } from '../../../src/http/answers.ts';
import { assertEveryRoleUsed } from '../../../src/http/app.ts';
import type { HttpContext } from '../../../src/http/context.ts';
import { describedRoutes } from '../../../src/http/reference/described-routes.ts';
import { body, optional, query } from '../../../src/http/schema.ts';

// A route reads the context only when a request arrives.
const app = () => new Elysia().use(access({} as HttpContext));
const FIELDS = Type.Object({ name: optional(Type.String(), 'a text') });
const detail = { operationId: 'rename' };

describe('a route does not start', () => {
  test('without an operationId', () => {
    expect(() => app().get('/name', () => null, { anybody: true })).toThrow('a route has no operationId');
  });

  test('with two macros of its caller', () => {
    const route = { anybody: true, operator: true, detail: { operationId: 'create_key' } } as const;
    expect(() => app().get('/name', () => null, route)).toThrow('create_key: a route names its caller by one macro');
  });

  test('with the macro of operators, and no roles in the table', () => {
    const route = { operator: true, detail } as const;
    expect(() => app().get('/name', () => null, route)).toThrow('rename: src/domain/operator/roles.ts has no roles');
  });

  test('if the table of roles names an operation that no route of operators has', () => {
    const route = (operationId: string): Parameters<typeof assertEveryRoleUsed>[0][number] => ({
      access: { by: 'operator', operation: 'list_keys' },
      operationId,
    });
    const all = Object.keys(OPERATIONS).map(route);
    expect(() => assertEveryRoleUsed(all)).not.toThrow();
    const without = all.filter(({ operationId }) => operationId !== 'list_keys');
    const open = { access: { by: 'anybody' }, operationId: 'list_keys' } as const;
    for (const routes of [without, [...without, open]])
      expect(() => assertEveryRoleUsed(routes)).toThrow('roles.ts names operations without a route: list_keys');
  });

  test('with no macro of its caller, or an unknown chapter', () => {
    const response = answers(Type.Object({}), {}, []);
    const texts = { ...detail, summary: 'Rename', description: 'Renames.' };
    const open = app().get('/name', () => success({}), { response, detail: { ...texts, tags: ['Keys'] } });
    expect(() => describedRoutes(open.routes)).toThrow('GET /name: name its caller');
    const misplaced = { anybody: true as const, response, detail: { ...texts, tags: ['Kyes'] } };
    const strange = app().get('/name', () => success({}), misplaced);
    expect(() => describedRoutes(strange.routes)).toThrow('GET /name: name its caller');
  });

  test("with a schema of Elysia's `t`, which would check nothing", () => {
    const route = { anybody: true, detail, body: t.Object({}) } as const;
    expect(() => app().post('/name', () => null, route)).toThrow('rename: body must be made with body() of');
    const byQuery = { anybody: true, detail, query: t.Object({}) } as const;
    expect(() => app().get('/name', () => null, byQuery)).toThrow('rename: query must be made with query() of');
    const byPath = { anybody: true, detail, params: t.Object({ id: t.String() }) } as const;
    expect(() => app().get('/name/:id', () => null, byPath)).toThrow('rename: params must be made with path() of');
  });

  test('with a schema of another place', () => {
    const route = { anybody: true, detail, body: query(FIELDS) } as const;
    expect(() => app().post('/name', () => null, route)).toThrow('rename: body must be made with body() of');
  });

  test('with a schema of its headers or cookies', () => {
    const route = { anybody: true, detail, headers: t.Object({}) } as const;
    expect(() => app().get('/name', () => null, route)).toThrow('rename: a header is read by a macro');
  });

  test('with a body and a query', () => {
    const route = { anybody: true, detail, body: body(FIELDS), query: query(FIELDS) } as const;
    expect(() => app().post('/name', () => null, route)).toThrow('rename: a route has a body or a query, not both');
  });
});

test('a route parses no cookies: the hooks of access pass the context to no function, or Elysia would do that', () => {
  const route = { anybody: true, detail, body: body(FIELDS) } as const;
  const [made] = app().post('/name', () => null, route).routes;
  const source = String(made?.compile());
  expect(source).toContain('transform[0]');
  expect(source).not.toContain('parseCookie');
});
