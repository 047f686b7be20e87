import { Empty, Fault, Loading, Page, Section } from '../components/page.tsx';
import { Bars, type Column, Table } from '../components/table.tsx';
import { Money, money } from '../components/values.tsx';
import { useAnswer } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';
import { largestFirst, numberIn, percent, type ReportRow, textIn } from './figures.ts';
import { CsvButton, Filters, filtersOf } from './filters.tsx';
import { GroupName } from './group-name.tsx';
import { allRows } from './rows.ts';

const COLUMNS = {
  month: 'Month',
  day: 'Day',
  activity_id: 'Activity',
  category: 'Category',
  city: 'City',
  travel_type: 'Type of traveller',
} as const;
const MOST_BARS = 15;

/** Charges and refunds, in the currency of each. */
export function RevenuePage() {
  const [query, change] = useQuery();
  const by = query['group_by'] ?? 'month';
  const asked = { ...filtersOf(query), group_by: `currency,${by}` };
  const { answer, fault, reload } = useAnswer(() => allRows('revenue', asked), [asked], { live: ['statements'] });
  const currencies = Map.groupBy(answer?.rows ?? [], (row) => textIn(row, 'currency'));
  return (
    <Page title="Revenue and refunds" actions={<CsvButton report="revenue" asked={asked} />}>
      <Filters
        query={query}
        change={change}
        groups={COLUMNS}
        days="Charges and refunds by the local date of the city on which each was recorded. Statements of keys have months in UTC."
      />
      <Fault of={fault} retry={reload} />
      {answer === undefined && fault === null && <Loading />}
      {answer !== undefined && currencies.size === 0 && <Empty>Nothing was charged in these days.</Empty>}
      {answer?.complete === false && (
        <p class="notice warn">There are more groups than this page shows. Choose fewer days, or one city.</p>
      )}
      {[...currencies].map(([currency, rows]) => (
        <InCurrency key={currency} currency={currency} rows={rows} by={by} />
      ))}
    </Page>
  );
}

function InCurrency({
  currency,
  rows,
  by,
}: {
  readonly currency: string;
  readonly rows: readonly ReportRow[];
  readonly by: string;
}) {
  // Days and months stay in their order.
  const ordered = by === 'month' || by === 'day' ? rows : largestFirst(rows, 'charged');
  const title = COLUMNS[by as keyof typeof COLUMNS] ?? by;
  const shown = by === 'month' || by === 'day' ? ordered.slice(-MOST_BARS) : ordered.slice(0, MOST_BARS);
  const bars = (name: string) =>
    shown
      .filter((row) => numberIn(row, name) > 0)
      .map((row) => ({
        label: textIn(row, by),
        value: numberIn(row, name),
        text: money(numberIn(row, name), currency),
      }));
  const refunds = rows.some((row) => numberIn(row, 'refunded') > 0);
  return (
    <Section title={`In ${currency}`}>
      <div class="charts">
        <Bars caption={`Charged, ${currency}`} label={title} unit="Charged" bars={bars('charged')} />
        {refunds && <Bars caption={`Refunded, ${currency}`} label={title} unit="Refunded" bars={bars('refunded')} />}
      </div>
      <Table
        caption={`Charges and refunds in ${currency}, by ${title.toLowerCase()}`}
        shown
        columns={columnsOf(title, by, currency)}
        rows={[...ordered, { ...total(rows), [by]: 'Total' }]}
        keyOf={(row) => textIn(row, by)}
      />
    </Section>
  );
}

function total(rows: readonly ReportRow[]): ReportRow {
  const names = ['charged', 'refunded', 'retained', 'bookings', 'guests'];
  return Object.fromEntries(names.map((name) => [name, rows.reduce((sum, row) => sum + numberIn(row, name), 0)]));
}

function columnsOf(title: string, by: string, currency: string): readonly Column<ReportRow>[] {
  const amount = (name: string) => (row: ReportRow) => <Money amount={numberIn(row, name)} currency={currency} />;
  const count = (name: string) => (row: ReportRow) => numberIn(row, name).toLocaleString('en');
  return [
    { title, cell: (row) => <GroupName of={textIn(row, by)} /> },
    { title: 'Charged', align: 'end', cell: amount('charged') },
    { title: 'Refunded', align: 'end', cell: amount('refunded') },
    {
      title: 'Refunded of charged',
      align: 'end',
      cell: (row) => percent(numberIn(row, 'refunded'), numberIn(row, 'charged')),
    },
    { title: 'Retained', align: 'end', cell: amount('retained') },
    { title: 'Bookings', align: 'end', cell: count('bookings') },
    { title: 'Guests', align: 'end', cell: count('guests') },
  ];
}
