import { Elysia } from 'elysia';
import type { KnownOperator } from '../../application/key/authenticate.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { Call } from '../call.ts';
import type { HttpContext } from '../context.ts';
import { presentReport, tableOf } from './present.ts';
import { CONVERSIONS, REVENUE, type Report, readReport, VISITS } from './report.ts';
import * as schema from './schema.ts';

/** What Elysia gives the handler of a report. */
type Asked = {
  readonly query: schema.ReportQuery;
  readonly operator: KnownOperator;
  readonly call: Call;
  readonly request: Request;
};

export function analyticsRoutes(context: HttpContext) {
  async function answer<Column extends string>(report: Report<Column>, { query, operator, call, request }: Asked) {
    const page = await readReport(report, query, operator.role, context);
    if (page.kind === 'refused') return call.refuse(page);
    const { format = 'json' } = query;
    return format === 'json' ? success(presentReport(page)) : tableOf(page, format, query, request.headers);
  }
  return new Elysia({ name: 'analytics', tags: ['Analytics'] })
    .use(access(context))
    .get('/api/analytics/conversions', (asked) => answer(CONVERSIONS, asked), {
      positioned: 'conversions',
      operator: true,
      query: schema.conversionsQuery(context),
      response: schema.CONVERSIONS_ANSWER,
      detail: schema.CONVERSIONS_DETAIL,
    })
    .get('/api/analytics/visits', (asked) => answer(VISITS, asked), {
      positioned: 'visits',
      operator: true,
      query: schema.visitsQuery(context),
      response: schema.VISITS_ANSWER,
      detail: schema.VISITS_DETAIL,
    })
    .get('/api/analytics/revenue', (asked) => answer(REVENUE, asked), {
      positioned: 'statements',
      operator: true,
      query: schema.revenueQuery(context),
      response: schema.REVENUE_ANSWER,
      detail: schema.REVENUE_DETAIL,
    });
}
