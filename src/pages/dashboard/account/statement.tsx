import type { Api, DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { Field, FilterForm } from '../components/form.tsx';
import { Empty, Loading, Page, Section } from '../components/page.tsx';
import { type Column, PagedTable, Table } from '../components/table.tsx';
import { Money, When } from '../components/values.tsx';
import { usePages } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';

type Statement = DataFrom<Api['keys']['self']['statement']['get']>;

const MONTH = 'YYYY-MM'.length;

const ITEMS: readonly Column<Statement['items'][number]>[] = [
  { title: 'When', cell: ({ at }) => <When at={at} /> },
  { title: 'Type', cell: ({ type }) => type },
  {
    title: 'Booking',
    cell: ({ booking_id }) => <a href={`/dashboard/my/bookings/${booking_id}`}>{booking_id}</a>,
  },
  {
    title: 'Amount',
    align: 'end',
    cell: ({ type, amount, currency }) => <Money amount={type === 'refund' ? -amount : amount} currency={currency} />,
  },
];

const TOTALS: readonly Column<Statement['totals'][number]>[] = [
  { title: 'Currency', cell: ({ currency }) => currency },
  { title: 'Charged', align: 'end', cell: ({ charged, currency }) => <Money amount={charged} currency={currency} /> },
  {
    title: 'Refunded',
    align: 'end',
    cell: ({ refunded, currency }) => <Money amount={refunded} currency={currency} />,
  },
  { title: 'Balance', align: 'end', cell: ({ balance, currency }) => <Money amount={balance} currency={currency} /> },
];

export function StatementPage() {
  const query = useQuery();
  const [{ month = new Date().toISOString().slice(0, MONTH) }] = query;
  const pages = usePages(
    (cursor) => read(api.keys.self.statement.get({ query: { month, ...(cursor === undefined ? {} : { cursor }) } })),
    [month],
    { live: ['statements'] },
  );
  /** Of the whole month: every page of it has them. */
  const totals = pages.first?.totals;
  return (
    <Page title="Statement">
      <FilterForm names={['month']} query={query} submit="Show">
        <Field label="Month (UTC)" name="month" type="month" value={month} required hint="As YYYY-MM." />
      </FilterForm>
      <Section title={`Totals of ${month}`}>
        {totals === undefined && pages.loading && <Loading />}
        {totals?.length === 0 && <Empty>Nothing was charged or refunded.</Empty>}
        {totals !== undefined && totals.length > 0 && (
          <Table caption="Totals by currency" columns={TOTALS} rows={totals} keyOf={({ currency }) => currency} />
        )}
      </Section>
      <Section title="Charges and refunds">
        <PagedTable
          pages={pages}
          caption={`Charges and refunds of ${month}, oldest first`}
          columns={ITEMS}
          keyOf={({ at, type, booking_id }) => `${at} ${type} ${booking_id}`}
          empty="There is none in this month."
        />
      </Section>
    </Page>
  );
}
