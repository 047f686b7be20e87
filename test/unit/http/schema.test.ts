import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { access } from '../../../src/http/access.ts';
import { success } from '../../../src/http/answers.ts';
import type { HttpContext } from '../../../src/http/context.ts';
import { body, clearable, optional, required } from '../../../src/http/schema.ts';
import { movedClock } from '../../support/clock.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';

const PLACE = Type.Object({ city: optional(Type.String(), 'a text'), floor: optional(Type.Integer(), 'a number') });
const REQUEST = body(
  Type.Object({
    name: required(Type.String(), 'a text'),
    note: clearable(optional(Type.String(), 'a text')),
    guests: optional(Type.Integer(), 'a number'),
    place: optional(PLACE, 'an object'),
  }),
);

/** The body that a handler gets. */
function read(sent: unknown): unknown {
  return REQUEST['~standard'].validate(sent).value;
}

describe('a body', () => {
  test('has only the members that its schema names', () => {
    const sent: unknown = JSON.parse('{"name":"Ada","plan":"enterprise","constructor":1,"__proto__":{"guests":9}}');
    expect(read(sent)).toStrictEqual({ name: 'Ada' });
  });

  test('has only named members in its objects', () => {
    const sent = { name: 'Ada', place: { city: 'Bangkok', street: 'Silom', more: { floor: 1 } } };
    expect(read(sent)).toStrictEqual({ name: 'Ada', place: { city: 'Bangkok' } });
  });

  test('has no null, except of a member that null clears', () => {
    const sent = { name: 'Ada', note: null, guests: null, place: { city: null, floor: 2 } };
    expect(read(sent)).toStrictEqual({ name: 'Ada', note: null, place: { floor: 2 } });
  });

  test('leaves the sent object unchanged', () => {
    const sent = { name: 'Ada', plan: 'enterprise', guests: null, place: { city: 'Bangkok', street: 'Silom' } };
    const before = structuredClone(sent);
    read(sent);
    expect(sent).toStrictEqual(before);
  });

  test('reaches the handler without a member that its schema does not name', async () => {
    const context = { clock: movedClock(), ids: seededIds(), log: collectedLog() } as Partial<HttpContext>;
    const app = new Elysia()
      .use(access(context as HttpContext))
      .post('/name', ({ body: given }) => success({ given }), {
        anybody: true,
        body: REQUEST,
        detail: { operationId: 'rename' },
      });
    const request = new Request('http://localhost/name', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', plan: 'enterprise', place: { city: 'Bangkok', street: 'Silom' } }),
    });
    expect(await (await app.handle(request)).json()).toEqual({
      success: true,
      data: { given: { name: 'Ada', place: { city: 'Bangkok' } } },
    });
  });
});
