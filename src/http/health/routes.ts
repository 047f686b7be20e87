import { Elysia } from 'elysia';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { readiness } from './readiness.ts';
import { ALIVE_ANSWER, KEY_WORKS_ANSWER, READY_ANSWER } from './schema.ts';

export function healthRoutes(context: HttpContext) {
  const { clock, version } = context;
  return new Elysia({ name: 'health' })
    .use(access(context))
    .get(
      '/api/health',
      ({ key: { prefix, name, plan, permissions }, call: { usage } }) => {
        const key = { prefix, name, plan, permissions, daily_remaining: usage?.day.remaining ?? null };
        return success({ status: 'ok', version, time: new Date(clock.nowMs()).toISOString(), key });
      },
      {
        apiKey: { permission: null, uncounted: true },
        response: KEY_WORKS_ANSWER,
        detail: {
          operationId: 'health',
          tags: ['Keys'],
          summary: 'Check an API key',
          description: 'For any valid key. The request counts for no limit.',
        },
      },
    )
    .get('/livez', () => success({ status: 'ok' }), {
      anybody: true,
      response: ALIVE_ANSWER,
      detail: {
        operationId: 'livez',
        tags: ['Operation'],
        summary: 'Liveness',
        description: 'Liveness probe: restart a process that does not answer.',
      },
    })
    .get(
      '/readyz',
      ({ call }) => {
        const ready = readiness(context.ready());
        return ready.kind === 'refused' ? call.refuse(ready) : success(ready.data);
      },
      {
        anybody: true,
        response: READY_ANSWER,
        detail: {
          operationId: 'readyz',
          tags: ['Operation'],
          summary: 'Readiness',
          description:
            'Readiness probe for a load balancer. Otherwise 503: the error names each check that fails, `details` the reasons.',
        },
      },
    );
}
