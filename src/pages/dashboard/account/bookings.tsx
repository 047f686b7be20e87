import type { Api, DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { Field, Form, Select } from '../components/form.tsx';
import { Badge, Page, type Tone } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { Money, When } from '../components/values.tsx';
import { usePages } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';

type Booking = DataFrom<Api['b2a']['bookings']['get']>['items'][number];

const STATUSES = ['processing', 'pending', 'confirmed', 'rejected', 'cancelled', 'completed'] as const;
const TONES: Readonly<Record<Booking['status'], Tone>> = {
  processing: 'info',
  pending: 'warn',
  confirmed: 'good',
  rejected: 'bad',
  cancelled: 'bad',
  completed: 'plain',
};

export function StatusOf({ of }: { readonly of: Booking['status'] }) {
  return <Badge tone={TONES[of]}>{of}</Badge>;
}

const COLUMNS: readonly Column<Booking>[] = [
  {
    title: 'Booking',
    cell: ({ booking_id }) => <a href={`/dashboard/my/bookings/${booking_id}`}>{booking_id}</a>,
  },
  { title: 'Reference', cell: ({ reference }) => reference ?? <span class="soft">none</span> },
  { title: 'Status', cell: ({ status }) => <StatusOf of={status} /> },
  { title: 'Activity', cell: ({ activity }) => activity.title },
  { title: 'Date', cell: ({ booking_date }) => booking_date },
  { title: 'Guests', align: 'end', cell: ({ num_adults, num_children }) => num_adults + num_children },
  { title: 'Price', align: 'end', cell: ({ pricing }) => <Money amount={pricing.total} currency={pricing.currency} /> },
  { title: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
];

export function BookingsPage() {
  const [{ reference = '', status = '', from = '', to = '' }, setQuery] = useQuery();
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
      <Form
        key={[reference, status, from, to].join('\n')}
        inline
        tone="plain"
        submit="Filter"
        send={(values) => setQuery({ reference: '', status: '', from: '', to: '', ...values })}
      >
        <Field label="Reference" name="reference" value={reference} hint="As you sent it with the booking." />
        <Select
          label="Status"
          name="status"
          value={status}
          choices={[{ value: '', title: 'all' }, ...STATUSES.map((each) => ({ value: each, title: each }))]}
        />
        <Field label="From date" name="from" type="date" value={from} />
        <Field label="To date" name="to" type="date" value={to} />
      </Form>
      <PagedTable
        pages={pages}
        caption="Bookings of the key, newest first"
        columns={COLUMNS}
        keyOf={({ booking_id }) => booking_id}
        empty="There is no such booking."
      />
    </Page>
  );
}

function statusIn(text: string) {
  const status = STATUSES.find((each) => each === text);
  return status === undefined ? {} : { status };
}
