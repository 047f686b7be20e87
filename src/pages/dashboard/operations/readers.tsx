import { useState } from 'preact/hooks';
import type { Api, DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Badge, Done, Empty, Fault, Page, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { REBUILDS } from '../live.ts';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';
import { ParkedItems } from './parked.tsx';

type Reader = DataFrom<Api['ops']['readers']['get']>['items'][number];
type Projection = DataFrom<Api['ops']['projections']['get']>['items'][number];

/** Read models that change with nearly every event: the page follows the log with them. */
const LIVE = [REBUILDS, 'bookings', 'deliveries', 'inventory', 'audit', 'keys', 'operators', 'activities'];

/** How far each reader of the log is, what it left out, and rebuilds. */
export function ReadersPage() {
  const [done, setDone] = useState('');
  const readers = useAnswer(() => read(api.ops.readers.get()), [], { live: LIVE });
  const projections = useAnswer(() => read(api.ops.projections.get()), [], { live: LIVE });
  const reload = (): void => {
    readers.reload();
    projections.reload();
  };
  const byName = new Map((projections.answer?.items ?? []).map((projection) => [projection.name, projection]));
  const items = readers.answer?.items ?? [];
  const columns = [
    { title: 'Reader', cell: ({ reader }: Reader) => <code>{reader}</code> },
    { title: 'Lag', cell: (reader: Reader) => <Lag of={reader} head={readers.answer?.head ?? ''} /> },
    { title: 'Parked', cell: ({ parked }: Reader) => (parked === 0 ? '0' : <Badge tone="warn">{parked}</Badge>) },
    {
      title: 'Position',
      cell: ({ position }: Reader) => <code>{position === '' ? 'start of the log' : position}</code>,
    },
  ];
  const rebuildColumn = {
    title: 'Rebuild',
    cell: ({ projection }: Reader) => <Rebuild of={byName.get(projection ?? '')} done={setDone} reload={reload} />,
  };
  return (
    <Page
      title="Readers"
      actions={
        <button type="button" onClick={reload}>
          Look again
        </button>
      }
    >
      <Fault of={readers.fault ?? projections.fault} retry={reload} />
      <Done>{done}</Done>
      {readers.answer !== undefined && <p>{currencyOf(items)}</p>}
      {may('list_parked') && <ParkedItems parked={items.map(({ parked }) => parked)} done={setDone} />}
      <Section title="Projections">
        <Table
          caption="Projections"
          keyOf={({ reader }) => reader}
          rows={items.filter(({ projection }) => projection !== null)}
          columns={[...columns, rebuildColumn]}
        />
      </Section>
      <Section title="Process managers">
        <p class="soft">The position of a process manager is before its oldest open item.</p>
        {items.length === 0 && <Empty>Nothing is known yet.</Empty>}
        <Table
          caption="Process managers"
          keyOf={({ reader }) => reader}
          rows={items.filter(({ projection }) => projection === null)}
          columns={columns}
        />
      </Section>
    </Page>
  );
}

/** Seconds from which on a projection is behind. */
const BEHIND_SECONDS = 60;

/** Whether queries have what happened. */
function currencyOf(items: readonly Reader[]): string {
  const behind = items.filter(
    ({ projection, lag_seconds: lag }) => projection !== null && (lag === null || lag > BEHIND_SECONDS),
  ).length;
  if (behind === 0) return 'All read models are current.';
  return behind === 1 ? '1 read model is behind.' : `${behind} read models are behind.`;
}

function Lag({ of: { projection, lag_seconds: lag }, head }: { readonly of: Reader; readonly head: string }) {
  if (lag === null) return <Badge tone="warn">not known</Badge>;
  if (lag === 0) return <Badge tone="good">{head === '' ? 'empty log' : 'up to date'}</Badge>;
  const seconds = (digits: number): string => `${lag.toLocaleString('en', { maximumFractionDigits: digits })} s`;
  // What waits for its time, such as the next attempt of a delivery, is no fault.
  if (projection === null) return <Badge tone="info">{`oldest open item ${seconds(0)}`}</Badge>;
  return <Badge tone={lag > BEHIND_SECONDS ? 'bad' : 'info'}>{seconds(1)}</Badge>;
}

function differencesText(count: number): string {
  return count === 1 ? '1 difference' : `${count.toLocaleString('en')} differences`;
}

function Rebuild({
  of,
  done,
  reload,
}: {
  readonly of: Projection | undefined;
  readonly done: (said: string) => void;
  readonly reload: () => void;
}) {
  if (of === undefined) return null;
  const { name, rebuild, last_rebuild: last } = of;
  if (rebuild !== null)
    return (
      <span role="status">
        {`running${rebuild.events === null ? '' : `, ${rebuild.events.toLocaleString('en')} events`}`}{' '}
        <progress
          aria-label={`Rebuild of ${name}`}
          value={Number.parseInt(rebuild.position, 10) || 0}
          max={Number.parseInt(rebuild.head, 10) || 1}
        />
      </span>
    );
  const outcome =
    last === null
      ? ''
      : last.kind === 'rebuilt'
        ? `rebuilt, ${differencesText(last.differences)} from the collection before `
        : `failed: ${last.message} `;
  return (
    <>
      {outcome}
      {may('rebuild_projection') && (
        <ActionButton
          label="Rebuild"
          title={`Rebuild ${name}`}
          send={async () => {
            const started = await read(api.ops.projections({ name }).rebuild.post());
            done(
              started.rebuild === 'started' ? `The rebuild of ${name} has begun.` : `A rebuild of ${name} is running.`,
            );
            reload();
          }}
        >
          <p>The projection is rebuilt from the event log. Queries read the present collection meanwhile.</p>
        </ActionButton>
      )}
    </>
  );
}
