import { useState } from 'preact/hooks';
import { api, read } from '../client.ts';
import { choicesOf, Field, FilterForm, Select } from '../components/form.tsx';
import { Fault, Page } from '../components/page.tsx';
import { PagedTable } from '../components/table.tsx';
import { useAnswer, usePages } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';
import { EventDialog, eventColumns, keyOfEvent, type ShownEvent } from './event-table.tsx';

const FIELDS = ['category', 'type', 'correlation_id', 'direction'] as const;
const ORDERS = [
  { value: '', title: 'Newest first' },
  { value: 'forwards', title: 'Oldest first' },
];

/** The log, filtered by what the address names. */
export function EventsPage() {
  const query = useQuery();
  const [asked] = query;
  const [open, setOpen] = useState<ShownEvent | null>(null);
  const categories = useAnswer(() => read(api.ops.streams.get()), []);
  const sent = Object.fromEntries(FIELDS.flatMap((name) => (asked[name] ? [[name, asked[name]]] : [])));
  const pages = usePages(
    (cursor) => read(api.ops.events.get({ query: { ...sent, ...(cursor !== undefined && { cursor }) } })),
    [sent],
  );
  const choices = choicesOf(categories.answer?.items ?? [], 'All');
  return (
    <Page title="Events">
      <Fault of={categories.fault} />
      <FilterForm names={FIELDS} query={query} submit="Search" tone="primary">
        <Select
          key={choices.length}
          label="Streams"
          name="category"
          value={asked['category'] ?? ''}
          choices={choices}
        />
        <Field label="Type of event" name="type" value={asked['type'] ?? ''} placeholder="BookingConfirmed" />
        <Field label="Correlation id" name="correlation_id" value={asked['correlation_id'] ?? ''} />
        <Select label="Order" name="direction" value={asked['direction'] ?? ''} choices={ORDERS} />
      </FilterForm>
      <PagedTable
        pages={pages}
        caption="Events of the log"
        empty={pages.more ? 'No event was found so far.' : 'There is no such event.'}
        keyOf={keyOfEvent}
        columns={eventColumns(setOpen)}
      />
      {open !== null && <EventDialog event={open} close={() => setOpen(null)} />}
    </Page>
  );
}
