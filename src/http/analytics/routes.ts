import { Elysia } from 'elysia';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { presentReport, tableOf } from './present.ts';
import { CONVERSIONS, readReport, VISITS } from './report.ts';
import * as schema from './schema.ts';

export function analyticsRoutes(context: HttpContext) {
  return new Elysia({ name: 'analytics', tags: ['Analytics'] })
    .use(access(context))
    .get(
      '/api/analytics/conversions',
      async ({ query, call, request }) => {
        const page = await readReport(CONVERSIONS, query, context);
        if (page.kind === 'refused') return call.refuse(page);
        const { format = 'json' } = query;
        return format === 'json' ? success(presentReport(page)) : tableOf(page, format, query, request.headers);
      },
      {
        operator: 'analyst',
        positioned: 'conversions',
        query: schema.CONVERSIONS_QUERY,
        response: schema.CONVERSIONS_ANSWER,
        detail: schema.CONVERSIONS_DETAIL,
      },
    )
    .get(
      '/api/analytics/visits',
      async ({ query, call, request }) => {
        const page = await readReport(VISITS, query, context);
        if (page.kind === 'refused') return call.refuse(page);
        const { format = 'json' } = query;
        return format === 'json' ? success(presentReport(page)) : tableOf(page, format, query, request.headers);
      },
      {
        operator: 'analyst',
        positioned: 'visits',
        query: schema.VISITS_QUERY,
        response: schema.VISITS_ANSWER,
        detail: schema.VISITS_DETAIL,
      },
    );
}
