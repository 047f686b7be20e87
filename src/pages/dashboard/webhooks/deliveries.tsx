import { WEBHOOK_EVENTS } from '../../../domain/delivery/delivery.ts';
import { api, read } from '../client.ts';
import { choicesOf, Field, FilterForm, Select } from '../components/form.tsx';
import { Badge, Page, Section, Tabs, type Tone } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { may } from '../session.ts';
import { usePages } from '../use-answer.ts';
import { hrefWith, type Query, useQuery } from '../use-query.ts';
import type { Delivery, EventName } from './answers.ts';
import { BookingLink } from './booking-link.tsx';
import { isOperator } from './caller.ts';
import { SendAgain } from './send-again.tsx';

export const TONES: Readonly<Record<Delivery['status'], Tone>> = { success: 'good', retrying: 'warn', failed: 'bad' };
const STATUSES = ['failed', 'retrying', 'success'] as const;
const FILTERS = ['event', 'booking_id', 'key', 'from', 'to'];
const PAGE = 20;

const PATH = '/dashboard/webhooks/deliveries';

/** The filters that the address has, as the API takes them. */
function filtersOf({ status, event, booking_id, from, to, key }: Query) {
  return {
    ...(status && { status: status as Delivery['status'] }),
    ...(event && { event: event as EventName }),
    ...(booking_id && { booking_id }),
    ...(from && { from }),
    ...(to && { to }),
    ...(key && { key }),
  };
}

export function DeliveriesPage() {
  const [query, change] = useQuery();
  const filters = filtersOf(query);
  const pages = usePages<Delivery>(
    (cursor) => read(api.webhooks.deliveries.get({ query: { ...filters, limit: PAGE, ...(cursor && { cursor }) } })),
    [filters],
    { live: ['deliveries'] },
  );
  const columns = isOperator() ? [...COLUMNS, KEY_COLUMN] : COLUMNS;
  return (
    <Page title="Webhook deliveries">
      <Tabs
        label="Status"
        current={query['status'] ?? ''}
        tabs={(['', ...STATUSES] as const).map((status) => ({
          value: status,
          title: status === '' ? 'All' : titleOf(status),
          href: hrefWith(query, { status }),
        }))}
      />
      <FilterForm names={FILTERS} query={[query, change]}>
        <Select label="Event" name="event" value={query['event'] ?? ''} choices={choicesOf(WEBHOOK_EVENTS, 'all')} />
        <Field label="Booking" name="booking_id" value={query['booking_id'] ?? ''} placeholder="bk_…" />
        {isOperator() && <Field label="API key (id)" name="key" value={query['key'] ?? ''} placeholder="key_…" />}
        <Field label="From (UTC)" name="from" type="date" value={query['from'] ?? ''} />
        <Field label="To (UTC)" name="to" type="date" value={query['to'] ?? ''} />
      </FilterForm>
      <PagedTable
        pages={pages}
        caption="Webhook deliveries, newest first"
        empty="No delivery matches. The log has a delivery from its first attempt on, for 90 days unless the operator set another time."
        columns={columns}
        keyOf={({ delivery_id }) => delivery_id}
      />
      {may('recover_deliveries') && (
        <Section title="Send several again">
          <SendAgain keyId={query['key'] ?? ''} />
        </Section>
      )}
    </Page>
  );
}

function titleOf(status: Delivery['status']): string {
  return { success: 'Acknowledged', retrying: 'Retrying', failed: 'Failed' }[status];
}

export function StatusBadge({ of }: { readonly of: Delivery['status'] }) {
  return <Badge tone={TONES[of]}>{titleOf(of).toLowerCase()}</Badge>;
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    title: 'Event',
    cell: ({ delivery_id, event, test }) => (
      <span>
        <a href={`${PATH}/${delivery_id}`}>{event}</a> {test === true && <Badge>test</Badge>}
      </span>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, next_attempt_at: at }) => (
      <span>
        <StatusBadge of={status} />
        {at !== null && (
          <span class="soft">
            {' '}
            next <When at={at} short />
          </span>
        )}
      </span>
    ),
  },
  {
    title: 'Last answer',
    cell: ({ attempts }) => (
      <span>
        {lastAnswer(attempts)}
        {attempts.length > 1 && <span class="soft"> ({attempts.length} attempts)</span>}
      </span>
    ),
  },
  { title: 'Scheduled', cell: ({ scheduled_at }) => <When at={scheduled_at} short /> },
  { title: 'Booking', cell: (delivery) => <BookingLink of={delivery} /> },
];

const KEY_COLUMN: Column<Delivery> = { title: 'API key', cell: ({ key_id }) => <KeyName id={key_id} /> };

function lastAnswer(attempts: Delivery['attempts']): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'no attempt';
  return last.error ?? `${last.response_code} in ${last.response_time_ms} ms`;
}
