import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { api, read } from '../client.ts';
import { Page } from '../components/page.tsx';
import { PagedTable } from '../components/table.tsx';
import { usePages } from '../use-answer.ts';
import { EventDialog, eventColumns, keyOfEvent, type ShownEvent } from './event-table.tsx';

/** The events of one stream, oldest first. */
export function StreamPage() {
  const stream = useRoute().params['stream'] ?? '';
  const [open, setOpen] = useState<ShownEvent | null>(null);
  const load = async (cursor: string | undefined) => {
    const page = await read(api.ops.streams({ stream }).get({ query: cursor === undefined ? {} : { cursor } }));
    return { ...page, items: page.items.map((event) => ({ stream, ...event })) };
  };
  const pages = usePages(load, [stream]);
  return (
    <Page title={stream}>
      <PagedTable
        pages={pages}
        caption={`Events of ${stream}`}
        empty="The stream has no events."
        keyOf={keyOfEvent}
        columns={eventColumns(setOpen)}
      />
      {open !== null && <EventDialog event={open} close={() => setOpen(null)} />}
    </Page>
  );
}
