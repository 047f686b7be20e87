import { api, read } from '../client.ts';
import { Field, FilterForm } from '../components/form.tsx';
import { Badge, Page } from '../components/page.tsx';
import { PagedTable } from '../components/table.tsx';
import { Id, When } from '../components/values.tsx';
import { usePages } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';

const FIELDS = ['operator', 'object', 'operation', 'from', 'to'] as const;

/** Who did or read what, newest first. */
export function AuditPage() {
  const query = useQuery();
  const [asked] = query;
  const sent = Object.fromEntries(FIELDS.flatMap((name) => (asked[name] ? [[name, asked[name]]] : [])));
  const load = (cursor: string | undefined) =>
    read(api.ops.audit.get({ query: { ...sent, ...(cursor !== undefined && { cursor }) } }));
  const pages = usePages(load, [sent], { live: ['audit'] });
  return (
    <Page title="Audit">
      <FilterForm names={FIELDS} query={query} submit="Search" tone="primary">
        <Field label="Person or device" name="operator" value={asked['operator'] ?? ''} />
        <Field
          label="Object"
          name="object"
          value={asked['object'] ?? ''}
          hint="The id of a booking, key or other object"
        />
        <Field label="Operation" name="operation" value={asked['operation'] ?? ''} />
        <Field label="From (UTC)" name="from" type="date" value={asked['from'] ?? ''} />
        <Field label="To (UTC)" name="to" type="date" value={asked['to'] ?? ''} />
      </FilterForm>
      <PagedTable
        pages={pages}
        caption="Acts, and reads of data of guests"
        empty="There is no such entry."
        keyOf={({ audit_id }) => audit_id}
        columns={[
          { title: 'Operation', cell: ({ operation }) => <Id of={operation} /> },
          { title: 'At', cell: ({ at }) => <When at={at} short /> },
          { title: 'By', cell: ({ by, role, venue_id }) => `${by} (${role ?? venue_id ?? ''})` },
          { title: 'Objects', cell: ({ objects }) => <code>{objects.join(', ')}</code> },
          { title: 'Outcome', cell: ({ outcome }) => <Outcome of={outcome} /> },
        ]}
      />
    </Page>
  );
}

function Outcome({ of }: { readonly of: { readonly status: number; readonly code: string | null } | null }) {
  if (of === null) return <Badge tone="warn">not known</Badge>;
  return of.code === null ? <Badge tone="good">done</Badge> : <Badge tone="bad">{of.code}</Badge>;
}
