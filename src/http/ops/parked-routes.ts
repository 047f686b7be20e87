import { Elysia } from 'elysia';
import { decideParked, listParked, type ReaderItem } from '../../application/ops/parked-items.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './parked-schema.ts';

export function parkedRoutes(context: HttpContext) {
  const { operations } = context;
  return new Elysia({ name: 'parked', tags: ['Operation'] })
    .use(access(context))
    .get(
      '/api/ops/readers/parked',
      async ({ call }) => call.reply(await listParked(context), ({ items }) => ({ items: items.map(presentParked) })),
      { operator: true, response: schema.PARKED_ANSWER, detail: schema.LIST_PARKED_DETAIL },
    )
    .post(
      '/api/ops/readers/:reader/retry',
      async ({ params: { reader }, body: { item, reason, operator: named }, operator, call }) => {
        const by = named ?? operator.operatorId;
        const retried = await decideParked({ type: 'Retry', reader, item, by, reason }, call.cause, context);
        if (retried.kind === 'refused') return call.refuse(retried);
        // An event cannot be applied out of order, so a projection is folded again from the start of the log.
        const rebuilding = await operations.rebuild(reader.replace(/\.v\d+$/, ''));
        const rebuild = rebuilding.kind === 'unknown' ? null : rebuilding.kind;
        return call.reply(retried, () => ({ item: presentParked(retried.item), rebuild }));
      },
      {
        operator: true,
        params: schema.READER_PATH,
        body: schema.DECISION_BODY,
        response: schema.RETRIED_ANSWER,
        detail: schema.RETRY_PARKED_DETAIL,
      },
    )
    .post(
      '/api/ops/readers/:reader/skip',
      async ({ params: { reader }, body: { item, reason, operator: named }, operator, call }) => {
        const by = named ?? operator.operatorId;
        const skipped = await decideParked({ type: 'Skip', reader, item, by, reason }, call.cause, context);
        return call.reply(skipped, (decided) => ({ item: presentParked(decided.item) }));
      },
      {
        operator: true,
        params: schema.READER_PATH,
        body: schema.DECISION_BODY,
        response: schema.SKIPPED_ANSWER,
        detail: schema.SKIP_PARKED_DETAIL,
      },
    );
}

/** As the list and `/readyz` show it. */
export function presentParked(item: ReaderItem) {
  const { reader, id, kind, status, fault, parkedAt, decision } = item;
  const event =
    item.kind === 'event'
      ? { stream: item.stream, revision: item.revision, type: item.type, position: item.position }
      : null;
  return { reader, item: id, kind, status, event, fault, parked_at: parkedAt, decision };
}
