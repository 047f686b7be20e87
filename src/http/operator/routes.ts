import { Elysia } from 'elysia';
import { listOperators } from '../../../projections/operators/query.ts';
import type { OperatorDocument } from '../../../projections/operators/read-model.ts';
import {
  changeOperator,
  createOperator,
  revokeOperator,
  rotateOperatorToken,
} from '../../application/operator/manage-operators.ts';
import type { ExistingOperator } from '../../domain/operator/operator.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { appliedHere } from '../applied-here.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import * as schema from './schema.ts';

/** The named operators, for admins. */
export function operatorRoutes(context: HttpContext) {
  return new Elysia({ name: 'operators', tags: ['Operators'] })
    .use(access(context))
    .get(
      '/api/operators',
      async ({ query }) => {
        const page = await listOperators(context.readModels, await context.collection('operators'), {
          limit: query.limit ?? schema.DEFAULT_LIMIT,
          after: readCursor(query.cursor),
        });
        return success({ items: page.items.map(present), next_cursor: writeCursor(page.next) });
      },
      {
        positioned: 'operators',
        operator: true,
        query: schema.OPERATORS_QUERY,
        response: schema.OPERATORS_ANSWER,
        detail: schema.LIST_OPERATORS_DETAIL,
      },
    )
    .post(
      '/api/operators',
      async ({ body, call }) => {
        const created = await appliedHere('operators', await createOperator(body, call.cause, context), context);
        return call.reply(created, ({ operator, token }) => ({ ...presentExisting(operator), token }), commandHeaders);
      },
      {
        operator: true,
        body: schema.CREATE_BODY,
        response: schema.CREATED_ANSWER,
        detail: schema.CREATE_OPERATOR_DETAIL,
      },
    )
    .patch(
      '/api/operators/:id',
      async ({ params, body: { name, role }, call }) => {
        const changes = { ...(name === undefined ? {} : { name }), ...(role === undefined ? {} : { role }) };
        const changed = await appliedHere(
          'operators',
          await changeOperator(params.id, changes, call.cause, context),
          context,
        );
        return call.reply(changed, ({ operator }) => presentExisting(operator), commandHeaders);
      },
      {
        operator: true,
        params: schema.OPERATOR_PATH,
        body: schema.CHANGE_BODY,
        response: schema.CHANGED_ANSWER,
        detail: schema.CHANGE_OPERATOR_DETAIL,
      },
    )
    .post(
      '/api/operators/:id/rotate',
      async ({ params, call }) => {
        const rotated = await appliedHere(
          'operators',
          await rotateOperatorToken(params.id, call.cause, context),
          context,
        );
        return call.reply(rotated, ({ operator, token }) => ({ ...presentExisting(operator), token }), commandHeaders);
      },
      {
        operator: true,
        params: schema.OPERATOR_PATH,
        response: schema.ROTATED_ANSWER,
        detail: schema.ROTATE_OPERATOR_DETAIL,
      },
    )
    .post(
      '/api/operators/:id/revoke',
      async ({ params, call }) => {
        const revoked = await appliedHere('operators', await revokeOperator(params.id, call.cause, context), context);
        return call.reply(revoked, ({ operator }) => presentExisting(operator), commandHeaders);
      },
      {
        operator: true,
        params: schema.OPERATOR_PATH,
        response: schema.REVOKED_ANSWER,
        detail: schema.REVOKE_OPERATOR_DETAIL,
      },
    );
}

function presentExisting({ facts, revokedAt }: ExistingOperator) {
  return present({ ...facts, active: revokedAt === null, createdAt: facts.at });
}

function present({ operatorId, name, role, active, createdAt }: Omit<OperatorDocument, 'hash'>) {
  return { id: operatorId, name, role, active, created_at: createdAt };
}
