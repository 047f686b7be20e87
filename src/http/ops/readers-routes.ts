import { Elysia } from 'elysia';
import { listReaders } from '../../application/ops/list-readers.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './readers-schema.ts';

export function readersRoutes(context: HttpContext) {
  const { positions, operations, webhooks, version, roles } = context;
  return new Elysia({ name: 'readers', tags: ['Operation'] })
    .use(access(context))
    .get(
      '/api/ops/readers',
      async ({ call }) => {
        const projections = new Map((await operations.status()).map(({ name, position }) => [name, position] as const));
        return call.reply(
          await listReaders({ ...context, store: webhooks.store, projections }),
          ({ head, readers }) => ({
            head: positions.format(head),
            items: readers.map(({ position, lagSeconds, ...reader }) => ({
              ...reader,
              kind: reader.projection === null ? ('process_manager' as const) : ('projection' as const),
              position: positions.format(position),
              lag_seconds: lagSeconds,
            })),
          }),
        );
      },
      { operator: true, response: schema.READERS_ANSWER, detail: schema.LIST_READERS_DETAIL },
    )
    .get(
      '/api/ops/leases',
      async () => {
        const leases = await context.leases();
        return success({
          this_node: { node: leases?.holder ?? null, roles: [...roles], version },
          items: (leases?.held ?? []).map(({ name, holder, sinceMs, untilMs }) => ({
            name,
            node: holder,
            since: sinceMs === null ? null : instant(sinceMs),
            until: instant(untilMs),
          })),
        });
      },
      { operator: true, response: schema.LEASES_ANSWER, detail: schema.LIST_LEASES_DETAIL },
    );
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
