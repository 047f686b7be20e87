import { Empty, Fault, Loading, Page, Section } from '../components/page.tsx';
import { Bars, type Column, Table } from '../components/table.tsx';
import { useAnswer } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';
import { numberIn, percent, type ReportRow, textIn } from './figures.ts';
import { CsvButton, Filters, filtersOf } from './filters.tsx';
import { GroupName } from './group-name.tsx';
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
  const [query, change] = useQuery();
  const by = query['group_by'] ?? 'month';
  const filters = filtersOf(query);
  const asked = { ...filters, group_by: by };
  const load = async () => ({
    totals: await allRows('conversions', filters),
    groups: await allRows('conversions', asked),
  });
  const { answer, fault, reload } = useAnswer(load, [asked], { live: ['conversions'] });
  const totals = answer?.totals.rows[0];
  return (
    <Page title="Funnel" actions={<CsvButton report="conversions" asked={asked} />}>
      <Filters
        query={query}
        change={change}
        groups={COLUMNS}
        days="Each step counts on the day in UTC on which it happened: a visit may belong to a booking of an earlier month."
      />
      <Fault of={fault} retry={reload} />
      {answer === undefined && fault === null && <Loading />}
      {totals !== undefined && <Steps of={totals} />}
      {answer !== undefined && (
        <Section title="By group">
          {answer.groups.rows.length === 0 ? (
            <Empty>Nothing happened in these days.</Empty>
          ) : (
            <Table
              caption={`The funnel by ${(COLUMNS[by as keyof typeof COLUMNS] ?? by).toLowerCase()}`}
              columns={columnsOf(by)}
              rows={answer.groups.rows}
              keyOf={(row) => textIn(row, by)}
            />
          )}
        </Section>
      )}
    </Page>
  );
}

function Steps({ of }: { readonly of: ReportRow }) {
  const count = (name: string): number => numberIn(of, name);
  const step = (label: string, name: string, before: string, whole: number) => {
    const rate = before === '' ? '' : ` (${percent(count(name), whole)} ${before})`;
    return { label, value: count(name), text: `${count(name).toLocaleString('en')}${rate}` };
  };
  return (
    <Section title="From the request to the visit">
      <Bars
        caption="Answers of recommend, and the bookings and visits that followed"
        label="Step"
        unit="Number"
        bars={[
          step('Requests answered', 'requests', '', 0),
          step('Booked', 'booked', 'of requests', count('requests')),
          step('Confirmed', 'confirmed', 'of booked', count('booked')),
          step('Visited', 'visited', 'of confirmed', count('confirmed')),
          step('Cancelled', 'cancelled', 'of booked', count('booked')),
        ]}
      />
      <p class="soft">The answers showed {count('recommended').toLocaleString('en')} activities.</p>
    </Section>
  );
}

function columnsOf(by: string): readonly Column<ReportRow>[] {
  const number = (title: string, name: string): Column<ReportRow> => ({
    title,
    align: 'end',
    cell: (row) => numberIn(row, name).toLocaleString('en'),
  });
  const rate = (title: string, part: string, whole: string): Column<ReportRow> => ({
    title,
    align: 'end',
    cell: (row) => percent(numberIn(row, part), numberIn(row, whole)),
  });
  return [
    { title: COLUMNS[by as keyof typeof COLUMNS] ?? by, cell: (row) => <GroupName of={textIn(row, by)} /> },
    number('Requests', 'requests'),
    number('Recommended', 'recommended'),
    number('Booked', 'booked'),
    rate('Booked of requests', 'booked', 'requests'),
    number('Confirmed', 'confirmed'),
    number('Visited', 'visited'),
    rate('Visited of confirmed', 'visited', 'confirmed'),
    number('Cancelled', 'cancelled'),
  ];
}
