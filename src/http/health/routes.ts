import { Elysia } from 'elysia';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { readiness } from './readiness.ts';
import * as schema from './schema.ts';

export function healthRoutes(context: HttpContext) {
  const { clock, version } = context;
  return new Elysia({ name: 'health' })
    .use(access(context))
    .get(
      '/api/health',
      ({ key: { prefix, mode, name, plan, permissions }, call: { usage } }) => {
        const key = { prefix, mode, name, plan, permissions, daily_remaining: usage?.day.remaining ?? null };
        return success({ status: 'ok', version, time: new Date(clock.nowMs()).toISOString(), key });
      },
      {
        apiKey: { permission: null, uncounted: true },
        response: schema.KEY_WORKS_ANSWER,
        detail: schema.HEALTH_DETAIL,
      },
    )
    .get('/livez', () => success({ status: 'ok' }), {
      anybody: true,
      response: schema.ALIVE_ANSWER,
      detail: schema.LIVEZ_DETAIL,
    })
    .get(
      '/readyz',
      ({ call }) => {
        const ready = readiness(context.ready(), context.parked());
        return ready.kind === 'refused' ? call.refuse(ready) : success(ready.data);
      },
      {
        anybody: true,
        response: schema.READY_ANSWER,
        detail: schema.READYZ_DETAIL,
      },
    );
}
