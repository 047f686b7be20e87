import { useState } from 'preact/hooks';
import { api, read } from '../client.ts';
import { Field, Form, Select } from '../components/form.tsx';
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
  const [query, change] = useQuery();
  const [open, setOpen] = useState<ShownEvent | null>(null);
  const categories = useAnswer(() => read(api.ops.streams.get()), []);
  const sent = Object.fromEntries(FIELDS.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const pages = usePages(
    (cursor) => read(api.ops.events.get({ query: { ...sent, ...(cursor !== undefined && { cursor }) } })),
    [sent],
  );
  const choices = (categories.answer?.items ?? []).map((category) => ({ value: category, title: category }));
  return (
    <Page title="Events">
      <Fault of={categories.fault} />
      <Form
        key={JSON.stringify(sent)}
        submit="Search"
        inline
        send={(values) => change(Object.fromEntries(FIELDS.map((name) => [name, values[name] ?? ''])))}
      >
        <Select
          key={choices.length}
          label="Streams"
          name="category"
          value={query['category'] ?? ''}
          choices={[{ value: '', title: 'All' }, ...choices]}
        />
        <Field label="Type of event" name="type" value={query['type'] ?? ''} placeholder="BookingConfirmed" />
        <Field label="Correlation id" name="correlation_id" value={query['correlation_id'] ?? ''} />
        <Select label="Order" name="direction" value={query['direction'] ?? ''} choices={ORDERS} />
      </Form>
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
