import type { Api, DataFrom } from '../answers.ts';
import { partyOf, STATUSES, Status } from '../bookings/status.tsx';
import { api, read } from '../client.ts';
import { choicesOf, Field, FilterForm, Select } from '../components/form.tsx';
import { Page } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { Id, Money, When } from '../components/values.tsx';
import { usePages } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';

type Booking = DataFrom<Api['b2a']['bookings']['get']>['items'][number];

const FILTERS = ['reference', 'status', 'from', 'to'];

const COLUMNS: readonly Column<Booking>[] = [
  {
    title: 'Booking',
    cell: ({ booking_id }) => (
      <a href={`/dashboard/my/bookings/${booking_id}`}>
        <Id of={booking_id} />
      </a>
    ),
  },
  { title: 'Reference', cell: ({ reference }) => reference ?? <span class="soft">none</span> },
  { title: 'Status', cell: ({ status }) => <Status of={status} /> },
  { title: 'Activity', cell: ({ activity }) => activity.title },
  { title: 'Date', cell: ({ booking_date }) => <span class="number">{booking_date}</span> },
  { title: 'Guests', cell: partyOf },
  { title: 'Price', align: 'end', cell: ({ pricing }) => <Money amount={pricing.total} currency={pricing.currency} /> },
  { title: 'Created', cell: ({ created_at }) => <When at={created_at} short /> },
];

export function BookingsPage() {
  const query = useQuery();
  const [{ reference = '', status = '', from = '', to = '' }] = query;
  const pages = usePages(
    (cursor) =>
      read(
        api.b2a.bookings.get({
          query: {
            ...(reference === '' ? {} : { reference }),
            ...statusIn(status),
            ...(from === '' ? {} : { from }),
            ...(to === '' ? {} : { to }),
            ...(cursor === undefined ? {} : { cursor }),
          },
        }),
      ),
    [reference, status, from, to],
    { live: ['bookings'] },
  );
  return (
    <Page title="Your bookings">
      <FilterForm names={FILTERS} query={query}>
        <Field label="Reference" name="reference" value={reference} hint="As you sent it with the booking." />
        <Select label="Status" name="status" value={status} choices={choicesOf(STATUSES, 'all')} />
        <Field label="From date" name="from" type="date" value={from} />
        <Field label="To date" name="to" type="date" value={to} />
      </FilterForm>
      <PagedTable
        pages={pages}
        caption="Bookings of the key, newest first"
        columns={COLUMNS}
        keyOf={({ booking_id }) => booking_id}
        empty="There is no such booking."
        what="bookings"
      />
    </Page>
  );
}

function statusIn(text: string) {
  const status = STATUSES.find((each) => each === text);
  return status === undefined ? {} : { status };
}
