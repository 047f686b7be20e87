import { Dialog } from '../components/dialog.tsx';
import { Facts } from '../components/page.tsx';
import type { Column } from '../components/table.tsx';
import { Code, Id, When } from '../components/values.tsx';

/** An event as the list of the log and one stream show it. */
export type ShownEvent = {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly event_id: string;
  readonly type: string;
  readonly data: object;
  readonly at: string;
  readonly by: string;
  readonly correlation_id: string;
  readonly causation_id: string | null;
};

export function eventColumns(open: (event: ShownEvent) => void): readonly Column<ShownEvent>[] {
  return [
    {
      title: 'Event',
      cell: (event) => (
        <button type="button" class="quiet in-line" onClick={() => open(event)}>
          {event.type}
        </button>
      ),
    },
    { title: 'Stream', cell: ({ stream, revision }) => <StreamLink stream={stream} revision={revision} /> },
    { title: 'At', cell: ({ at }) => <When at={at} short /> },
    { title: 'By', cell: ({ by }) => <Id of={by} /> },
    { title: 'Request', cell: (event) => <CorrelationLink {...event} /> },
  ];
}

export function keyOfEvent({ stream, revision }: ShownEvent): string {
  return `${stream} ${revision}`;
}

export function EventDialog({ event, close }: { readonly event: ShownEvent; readonly close: () => void }) {
  const { stream, revision, at, by, event_id, causation_id, position, data } = event;
  return (
    <Dialog title={event.type} close={close}>
      <Facts
        of={{
          Stream: <StreamLink stream={stream} revision={revision} />,
          At: <When at={at} />,
          By: <code>{by}</code>,
          Id: <code>{event_id}</code>,
          Position: <code>{position}</code>,
          'Correlation id': <CorrelationLink {...event} />,
          'Caused by event': causation_id === null ? 'a request' : <code>{causation_id}</code>,
        }}
      />
      <Code label="data" text={JSON.stringify(data, null, 2)} />
    </Dialog>
  );
}

function StreamLink({ stream, revision }: Pick<ShownEvent, 'stream' | 'revision'>) {
  return (
    <a href={`/dashboard/streams/${encodeURIComponent(stream)}`}>
      {stream} ({revision})
    </a>
  );
}

/** To all events that one request caused. */
function CorrelationLink({ correlation_id }: Pick<ShownEvent, 'correlation_id'>) {
  return <a href={`/dashboard/events?${new URLSearchParams({ correlation_id }).toString()}`}>{correlation_id}</a>;
}
