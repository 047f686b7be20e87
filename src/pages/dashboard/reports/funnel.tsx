import { Empty, Loading, Page, Section } from '../components/page.tsx';
import { Bars, Table } from '../components/table.tsx';
import { useAnswer } from '../use-answer.ts';
import { countColumn, fileName, fileOf, groupColumn, type ReportColumn, rateColumn, useCsv } from './csv.tsx';
import { numberIn, percent, type ReportRow, textIn } from './figures.ts';
import { AsOf, Filters, filtersOf, isBackwards, ReportFault, useReportQuery } from './filters.tsx';
import { TOTAL } from './group-name.tsx';
import { allRows } from './rows.ts';

const COLUMNS = {
  month: 'Month',
  day: 'Day',
  city: 'City',
  category: 'Category',
  activity_id: 'Activity',
  travel_type: 'Type of traveller',
  model: 'Ranking model',
} as const;

/** From a recommendation to the visit. */
export function FunnelPage() {
  const [query, change] = useReportQuery();
  const by = query['group_by'] ?? 'month';
  const filters = filtersOf(query);
  const asked = { ...filters, group_by: by };
  const load = async () =>
    isBackwards(query)
      ? null
      : {
          totals: await allRows('conversions', filters),
          groups: await allRows('conversions', asked),
          // A visit without a recommendation has no model.
          visits: await allRows('visits', { ...filters, group_by: 'model' }),
        };
  const { answer, fault, reload } = useAnswer(load, [asked], { live: ['conversions', 'visits'] });
  const totals = answer?.totals.rows[0];
  const groups = answer?.groups;
  const text = async (): Promise<string> => {
    const all = groups?.complete === true ? groups : await allRows('conversions', asked, Number.POSITIVE_INFINITY);
    return fileOf(columnsOf(by), all.rows);
  };
  const { button, message } = useCsv(fileName('funnel', filters, `by-${by}`), answer ? text : null);
  const title = COLUMNS[by as keyof typeof COLUMNS] ?? by;
  return (
    <Page title="Funnel" actions={button}>
      <Filters
        query={query}
        change={change}
        groups={COLUMNS}
        basis="utc"
        fault={fault}
        about="Only bookings that named a recommendation. Each step counts on the day on which it happened: a visit may belong to a booking of an earlier month."
      />
      <div>
        <AsOf atMs={answer?.totals.asOfMs} />
        {message}
      </div>
      <ReportFault of={fault} retry={reload} />
      {answer === undefined && fault === null && <Loading />}
      {totals !== undefined && <Steps of={totals} visits={answer?.visits.rows ?? []} />}
      {groups?.complete === false && (
        <p class="notice warn">There are more groups than this page shows. Choose fewer days, or one city.</p>
      )}
      {groups !== undefined && (
        <Section title="By group">
          {groups.rows.length === 0 ? (
            <Empty>Nothing happened in these days.</Empty>
          ) : (
            <Table
              caption={`The funnel by ${title.toLowerCase()}`}
              columns={columnsOf(by)}
              rows={groups.rows}
              keyOf={(row) => textIn(row, by)}
              // An answer that shows several activities counts in the row of each: only the service knows the totals.
              total={{ ...totals, [by]: TOTAL }}
            />
          )}
        </Section>
      )}
    </Page>
  );
}

function Steps({ of, visits }: { readonly of: ReportRow; readonly visits: readonly ReportRow[] }) {
  const count = (name: string): number => numberIn(of, name);
  const number = (value: number): string => value.toLocaleString('en');
  const step = (label: string, name: string, before: string, whole: number) => {
    const rate = before === '' ? '' : ` (${percent(count(name), whole)} ${before})`;
    return { label, value: count(name), text: `${number(count(name))}${rate}` };
  };
  const sum = (rows: readonly ReportRow[]): number => rows.reduce((total, row) => total + numberIn(row, 'visits'), 0);
  const recommended = sum(visits.filter((row) => row['model'] !== null));
  return (
    <Section title="From the request to the visit">
      <Bars
        caption="Requests for recommendations, and the bookings and visits that followed"
        label="Step"
        unit="Number"
        bars={[
          step('Requests', 'requests', '', 0),
          step('Booked', 'booked', 'of requests', count('requests')),
          step('Confirmed', 'confirmed', 'of booked', count('booked')),
          step('Visited', 'visited', 'of confirmed', count('confirmed')),
        ]}
      />
      <p>
        Cancelled: {number(count('cancelled'))} ({percent(count('cancelled'), count('booked'))} of booked)
      </p>
      <p class="soft">
        {number(count('recommended'))} activities were recommended. By dates at the city, {number(recommended)} of{' '}
        {number(sum(visits))} visits came from a recommendation.
      </p>
    </Section>
  );
}

function columnsOf(by: string): readonly ReportColumn[] {
  const of = (name: string) => (row: ReportRow) => numberIn(row, name);
  return [
    groupColumn(COLUMNS[by as keyof typeof COLUMNS] ?? by, by),
    countColumn('Requests', 'requests'),
    countColumn('Recommended', 'recommended'),
    countColumn('Booked', 'booked'),
    rateColumn('Booked of requests', 'booked_of_requests', 'booked', of('requests')),
    countColumn('Confirmed', 'confirmed'),
    countColumn('Visited', 'visited'),
    rateColumn('Visited of confirmed', 'visited_of_confirmed', 'visited', of('confirmed')),
    countColumn('Cancelled', 'cancelled'),
  ];
}
