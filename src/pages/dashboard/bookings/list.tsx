import { useState } from 'preact/hooks';
import { CITY_NAMES } from '../../../domain/activity/cities.ts';
import { sees } from '../../../domain/operator/roles.ts';
import { api, read } from '../client.ts';
import { choicesOf, Field, FilterForm, Select } from '../components/form.tsx';
import { Page, Section } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { Id, Money, When } from '../components/values.tsx';
import { useLive } from '../live.ts';
import { caller } from '../session.ts';
import { usePages } from '../use-answer.ts';
import { type Query, useQuery } from '../use-query.ts';
import type { Listed } from './load.ts';
import { partyOf, STATUSES, Status } from './status.tsx';

const FILTERS = ['find', 'from', 'to', 'status', 'city', 'mode', 'activity_id', 'venue_id', 'key_id'];
const MODES = ['live', 'test'] as const;

/** What else a search can name. */
const MORE = ['mode', 'activity_id', 'venue_id', 'key_id'] as const;

const COLUMNS: readonly Column<Listed>[] = [
  {
    title: 'Booking',
    cell: ({ booking_id: id, user_name: name }) => (
      <span class="stack">
        {seesGuest() && <span>{name}</span>}
        <a href={`/dashboard/bookings/${id}`}>
          <Id of={id} />
        </a>
      </span>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status of={status} /> },
  { title: 'Date', cell: ({ booking_date: date }) => <span class="number">{date}</span> },
  { title: 'Activity', cell: ({ activity }) => activity.title },
  { title: 'Party', cell: partyOf },
  { title: 'Total', align: 'end', cell: ({ pricing }) => <Money amount={pricing.total} currency={pricing.currency} /> },
  { title: 'Booked', cell: ({ created_at: at }) => <When at={at} short /> },
];

/**
 * The search for bookings. The page reports a change of the list and does not load it by itself: rows stay where they are, and each read of
 * guests' data, which the service records, is one that a person asked for.
 */
export function BookingsPage() {
  const [query, change] = useQuery();
  const [changed, setChanged] = useState(false);
  const pages = usePages(
    (cursor) => read(api.bookings.get({ query: { ...filtersOf(query), ...withCursor(cursor) } })),
    [filtersOf(query)],
  );
  useLive(['bookings'], () => setChanged(true));
  const reload = (): void => {
    setChanged(false);
    pages.reload();
  };
  return (
    <Page title="Bookings">
      <Section title="Search">
        <Filters query={query} change={change} />
      </Section>
      <PagedTable
        pages={{ ...pages, outdated: changed && !pages.loading, reload }}
        caption="Bookings, newest first"
        columns={COLUMNS}
        what="bookings"
        keyOf={({ booking_id: id }) => id}
        empty="No booking matches. Change or clear the search."
      />
    </Page>
  );
}

function Filters({ query, change }: { readonly query: Query; readonly change: (change: Query) => void }) {
  const seesGuests = seesGuest();
  return (
    <>
      <p class="soft">
        {seesGuests
          ? 'Find by booking id (bk_…), voucher code (WM-…), name or mail address, or by a beginning of it.'
          : 'Find by booking id (bk_…) or a beginning of it.'}
      </p>
      <FilterForm names={FILTERS} query={[query, change]} submit="Search" tone="primary">
        <Field
          label={seesGuests ? 'Booking, voucher or guest' : 'Booking'}
          name="find"
          type="search"
          wide
          value={query['find'] ?? ''}
        />
        <Field label="Date from" name="from" type="date" value={query['from'] ?? ''} />
        <Field label="Date to" name="to" type="date" value={query['to'] ?? ''} />
        <Select label="Status" name="status" value={query['status'] ?? ''} choices={choicesOf(STATUSES, 'Any')} />
        <Select label="City" name="city" value={query['city'] ?? ''} choices={choicesOf(CITY_NAMES, 'Any')} />
        <details open={MORE.some((name) => (query[name] ?? '') !== '')}>
          <summary>More filters</summary>
          <div class="inline">
            <Select label="Mode" name="mode" value={query['mode'] ?? ''} choices={choicesOf(MODES, 'Live and test')} />
            <Field label="Activity id" name="activity_id" value={query['activity_id'] ?? ''} />
            <Field label="Venue id" name="venue_id" value={query['venue_id'] ?? ''} />
            <Field label="Key id" name="key_id" value={query['key_id'] ?? ''} />
          </div>
        </details>
      </FilterForm>
      <p>
        <a href="/dashboard/bookings">Clear the search</a>
      </p>
    </>
  );
}

function seesGuest(): boolean {
  const role = caller()?.role ?? null;
  return role !== null && sees(role, 'guest');
}

/** The filters of the API. What is searched for says by its beginning what it is. */
function filtersOf(query: Query) {
  const { find = '', from, to, city, activity_id, venue_id, key_id } = query;
  const status = STATUSES.find((each) => each === query['status']);
  const mode = MODES.find((each) => each === query['mode']);
  return {
    ...(find !== '' && foundBy(find)),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(city !== undefined && { city }),
    ...(activity_id !== undefined && { activity_id }),
    ...(venue_id !== undefined && { venue_id }),
    ...(key_id !== undefined && { key_id }),
    ...(status !== undefined && { status }),
    ...(mode !== undefined && { mode }),
  };
}

function foundBy(text: string) {
  if (/^bk_/i.test(text) || !seesGuest()) return { booking_id: text };
  return /^w[mt]-/i.test(text) ? { voucher_code: text } : { guest: text };
}

function withCursor(cursor: string | undefined) {
  return cursor === undefined ? {} : { cursor };
}
