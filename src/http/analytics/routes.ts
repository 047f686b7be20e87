import { Elysia } from 'elysia';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { presentReport, tableOf } from './present.ts';
import { CONVERSIONS, readReport, VISITS } from './report.ts';
import { CONVERSIONS_ANSWER, CONVERSIONS_QUERY, VISITS_ANSWER, VISITS_QUERY } from './schema.ts';

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
        query: CONVERSIONS_QUERY,
        response: CONVERSIONS_ANSWER,
        detail: {
          operationId: 'conversions',
          summary: 'Recommendations, and the bookings and visits that followed',
          description: [
            'One row for each group of `group_by`; without it, one row in total. Days are those of UTC. `recommended` counts ' +
              'the activities that were shown, `requests` the answers that showed them: grouped by activity or category, ' +
              'one answer counts in several rows.',
            PAGES,
          ].join('\n\n'),
        },
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
        query: VISITS_QUERY,
        response: VISITS_ANSWER,
        detail: {
          operationId: 'visits',
          summary: 'Verified visits, and the guests who came',
          description: [
            'One row for each group of `group_by`; without it, one row in total. Days are those of the city.',
            PAGES,
          ].join('\n\n'),
        },
      },
    );
}

const PAGES =
  '`next_cursor` and the header `Link` lead to the next page, if there is one. `format=csv` and `format=ndjson` have no ' +
  'envelope, and only `Link`. The range includes `from` and `to`; without them it covers all days.';
