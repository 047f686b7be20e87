import { Elysia } from 'elysia';
import { listAudit } from '../../../projections/audit/query.ts';
import type { AuditEntryDocument } from '../../../projections/audit/read-model.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import { didYouMean } from '../../domain/nearest-name.ts';
import { AUDITED_OPERATIONS } from '../../domain/operator/roles.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import * as schema from './schema.ts';

/** Maximum time that the list waits until it shows every request that was answered before. */
const CAUGHT_UP_MS = 2_000;

export function auditRoutes(context: HttpContext) {
  return new Elysia({ name: 'audit', tags: ['Operation'] }).use(access(context)).get(
    '/api/ops/audit',
    async ({ query, call }) => {
      const { operation = null } = query;
      if (operation !== null && !AUDITED_OPERATIONS.includes(operation)) return call.refuse(notAudited(operation));
      await context.caughtUp('audit', CAUGHT_UP_MS);
      const page = await listAudit(context.readModels, await context.collection('audit'), {
        caller: query.operator ?? null,
        object: query.object ?? null,
        operation,
        from: timeOf(query.from, 'fromMs'),
        to: timeOf(query.to, 'toMs'),
        limit: query.limit ?? schema.DEFAULT_LIMIT,
        after: readCursor(query.cursor),
      });
      return success({ items: page.items.map(present), next_cursor: writeCursor(page.next) });
    },
    {
      operator: true,
      query: schema.AUDIT_QUERY,
      response: schema.AUDIT_ANSWER,
      detail: schema.LIST_AUDIT_DETAIL,
    },
  );
}

function notAudited(operation: string): Refused {
  const nearest = didYouMean(operation, AUDITED_OPERATIONS);
  const message = `operation "${operation}" is not audited${nearest}; it must be one of ${AUDITED_OPERATIONS.join(', ')}.`;
  return refused('INVALID_REQUEST', message);
}

function timeOf(text: string | undefined, bound: 'fromMs' | 'toMs'): string | null {
  const moment = text === undefined ? null : parseMoment(text);
  return moment === null ? null : new Date(moment[bound]).toISOString();
}

function present({
  auditId,
  kind,
  by,
  operation,
  at,
  objects,
  fields,
  address,
  requestId,
  outcome,
}: AuditEntryDocument) {
  return {
    audit_id: auditId,
    at,
    kind,
    by: by.id,
    role: by.kind === 'operator' ? by.role : null,
    venue_id: by.kind === 'device' ? by.venueId : null,
    operation,
    objects: [...objects],
    fields: [...fields],
    address,
    request_id: requestId,
    outcome,
  };
}
