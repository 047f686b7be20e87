import { Empty, Loading, Page, Section } from '../components/page.tsx';
import { Bars, Table } from '../components/table.tsx';
import { money } from '../components/values.tsx';
import { useAnswer } from '../use-answer.ts';
import { countColumn, fileName, fileOf, groupColumn, type ReportColumn, rateColumn, useCsv } from './csv.tsx';
import { largestFirst, numberIn, type ReportRow, sumsBy, textIn, totalOf } from './figures.ts';
import { AsOf, Filters, filtersOf, isBackwards, ReportFault, useReportQuery } from './filters.tsx';
import { GroupName, TOTAL } from './group-name.tsx';
import { everyDay, today } from './periods.ts';
import { type Asked, allRows } from './rows.ts';

const COLUMNS = {
  month: 'Month',
  day: 'Day',
  activity_id: 'Activity',
  category: 'Category',
  city: 'City',
  travel_type: 'Type of traveller',
} as const;
const SUMS = ['charged', 'refunded', 'retained', 'bookings', 'guests'];
const MOST_BARS = 15;

/** Charges and refunds, in the currency of each. */
export function RevenuePage() {
  const [query, change] = useReportQuery();
  const by = query['group_by'] ?? 'month';
  const filters = filtersOf(query);
  const asked = { ...filters, group_by: `currency,${by}` };
  const load = async () => (isBackwards(query) ? null : allRows('revenue', asked));
  const { answer, fault, reload } = useAnswer(load, [asked], { live: ['statements'] });
  const currencies = Map.groupBy(answer?.rows ?? [], (row) => textIn(row, 'currency'));
  const text = async (): Promise<string> => {
    const all = answer?.complete === true ? answer : await allRows('revenue', asked, Number.POSITIVE_INFINITY);
    const groups = [...Map.groupBy(all.rows, (row) => textIn(row, 'currency')).values()];
    const rows = groups.flatMap((each) => ordered(each, by));
    return fileOf([groupColumn('Currency', 'currency'), ...columnsOf(by, rows)], rows);
  };
  const { button, message } = useCsv(fileName('revenue', filters, `by-${by}`), answer ? text : null);
  return (
    <Page title="Revenue and refunds" actions={button}>
      <Filters
        query={query}
        change={change}
        groups={COLUMNS}
        basis="local"
        fault={fault}
        about="Charges and refunds on the day on which each was recorded. Statements of keys have months in UTC."
      />
      <div>
        <AsOf atMs={answer?.asOfMs} />
        {message}
      </div>
      <ReportFault of={fault} retry={reload} />
      {answer === undefined && fault === null && <Loading />}
      {answer && currencies.size === 0 && <Empty>Nothing was charged in these days.</Empty>}
      {answer?.complete === false && (
        <p class="notice warn">There are more groups than this page shows. Choose fewer days, or one city.</p>
      )}
      {currencies.size > 0 && (
        <Section title="Summary">
          <Summary rows={sumsBy(answer?.rows ?? [], 'currency', SUMS)} />
        </Section>
      )}
      {[...currencies].map(([currency, rows]) => (
        <InCurrency key={currency} currency={currency} rows={rows} by={by} filters={filters} />
      ))}
    </Page>
  );
}

function Summary({ rows }: { readonly rows: readonly ReportRow[] }) {
  const sorted = [...rows].sort((left, right) => (textIn(left, 'currency') < textIn(right, 'currency') ? -1 : 1));
  return (
    <Table
      caption="Charges and refunds by currency"
      columns={columnsOf('currency', rows)}
      rows={sorted}
      keyOf={(row) => textIn(row, 'currency')}
    />
  );
}

/** Days and months stay in their order. */
function ordered(rows: readonly ReportRow[], by: string): readonly ReportRow[] {
  return by === 'month' || by === 'day' ? rows : largestFirst(rows, 'charged');
}

/** The rows of one currency, grouped by a column. */
type Grouped = {
  readonly currency: string;
  readonly rows: readonly ReportRow[];
  readonly by: string;
  readonly filters: Asked;
};

function InCurrency({ currency, rows, by, filters }: Grouped) {
  const title = COLUMNS[by as keyof typeof COLUMNS] ?? by;
  return (
    <Section title={`In ${currency}`}>
      <Charts currency={currency} rows={rows} by={by} filters={filters} />
      <Table
        caption={`Charges and refunds in ${currency}, by ${title.toLowerCase()}`}
        shown
        columns={columnsOf(by, rows)}
        rows={ordered(rows, by)}
        keyOf={(row) => textIn(row, by)}
        total={{ ...totalOf(rows, SUMS), currency, [by]: TOTAL }}
      />
    </Section>
  );
}

/** Charges and refunds beside each other, with the same groups and one scale. A single bar would compare nothing. */
function Charts({ currency, rows, by, filters }: Grouped) {
  const latest = today(new Date(), 'local', filters['city'] ?? '');
  const inTime = by === 'month' || by === 'day';
  const series = inTime
    ? everyDay(rows, by, filters, latest)
    : { rows: ordered(rows, by).slice(0, MOST_BARS), of: rows.length };
  if (series.rows.length < 2) return null;
  const which = inTime ? `the last ${series.rows.length}` : `the ${series.rows.length} with the most charged`;
  const bound = series.rows.length < series.of ? ` (${which} of ${series.of})` : '';
  const refunds = rows.some((row) => numberIn(row, 'refunded') > 0);
  const chart = (name: 'charged' | 'refunded', unit: string) => {
    const write = amountsOf(series.rows, name);
    return (
      <Bars
        caption={`${unit}, ${currency}${bound}`}
        label={COLUMNS[by as keyof typeof COLUMNS] ?? by}
        unit={unit}
        most={Math.max(...series.rows.map((row) => numberIn(row, 'charged')))}
        bars={series.rows.map((row) => ({
          label: textIn(row, by),
          name: <GroupName row={row} by={by} />,
          value: numberIn(row, name),
          text: write(row, currency),
        }))}
      />
    );
  };
  return (
    <div class="charts">
      {chart('charged', 'Charged')}
      {refunds && chart('refunded', 'Refunded')}
    </div>
  );
}

/** @param rows those of the table: amounts have no decimals if all of a column are whole */
function columnsOf(by: string, rows: readonly ReportRow[]): readonly ReportColumn[] {
  const amount = (title: string, name: string): ReportColumn => {
    const write = amountsOf(rows, name);
    return {
      title,
      align: 'end',
      cell: (row) => <span class="number">{write(row, textIn(row, 'currency'))}</span>,
      file: { [name]: (row) => numberIn(row, name) },
    };
  };
  const title = by === 'currency' ? 'Currency' : (COLUMNS[by as keyof typeof COLUMNS] ?? by);
  return [
    groupColumn(title, by),
    amount('Charged', 'charged'),
    amount('Refunded', 'refunded'),
    rateColumn('Refunded of charged', 'refunded_of_charged', 'refunded', (row) => numberIn(row, 'charged')),
    amount('Retained', 'retained'),
    countColumn('Bookings', 'bookings'),
    countColumn('Guests', 'guests'),
  ];
}

/** Writes amounts of a column: without decimals if all of its rows are whole. */
function amountsOf(rows: readonly ReportRow[], name: string): (row: ReportRow, currency: string) => string {
  const whole = rows.every((row) => Number.isInteger(numberIn(row, name)));
  return (row, currency) => {
    const amount = numberIn(row, name);
    if (!whole) return money(amount, currency);
    const format = { style: 'currency', currency, currencyDisplay: 'code', maximumFractionDigits: 0 } as const;
    return new Intl.NumberFormat('en', format).format(amount);
  };
}
