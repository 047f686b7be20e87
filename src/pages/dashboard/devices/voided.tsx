import { api, read } from '../client.ts';
import { Field, FilterForm } from '../components/form.tsx';
import { Badge, Page } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { may } from '../session.ts';
import { usePages } from '../use-answer.ts';
import { type Query, useQuery } from '../use-query.ts';
import type { VoidedVisit } from './answers.ts';

const PAGE = 20;

function filtersOf({ device_id, booking_id }: Query) {
  return { ...(device_id && { device_id }), ...(booking_id && { booking_id }) };
}

export function VoidedPage() {
  const [query, change] = useQuery();
  const filters = filtersOf(query);
  const pages = usePages<VoidedVisit>(
    (cursor) => read(api.visits.void.get({ query: { ...filters, limit: PAGE, ...(cursor && { cursor }) } })),
    [filters],
    { live: ['devicevisits'] },
  );
  return (
    <Page title="Voided visits">
      <FilterForm names={['device_id', 'booking_id']} query={[query, change]}>
        <Field label="Device (id)" name="device_id" value={query['device_id'] ?? ''} placeholder="dev_…" />
        <Field label="Booking" name="booking_id" value={query['booking_id'] ?? ''} placeholder="bk_…" />
      </FilterForm>
      <PagedTable
        pages={pages}
        caption="Visits that were taken back, the latest first"
        empty="No visit was voided."
        columns={COLUMNS}
        keyOf={({ booking_id, voided_at }) => `${booking_id} ${voided_at}`}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<VoidedVisit>[] = [
  {
    title: 'Booking',
    cell: ({ booking_id: id }) =>
      may('get_any_booking') ? <a href={`/dashboard/bookings/${id}`}>{id}</a> : <code>{id}</code>,
  },
  { title: 'Voided', cell: ({ voided_at }) => <When at={voided_at} /> },
  { title: 'Reason', cell: ({ reason }) => reason },
  { title: 'Scanned', cell: ({ verified_at }) => <When at={verified_at} /> },
  { title: 'Device', cell: ({ device_id }) => <code>{device_id}</code> },
  { title: 'Venue', cell: ({ venue_id }) => venue_id },
  { title: 'Activity', cell: ({ activity_id }) => <code>{activity_id}</code> },
  { title: 'Was disputed', cell: ({ disputed }) => (disputed ? <Badge tone="warn">yes</Badge> : 'no') },
];
